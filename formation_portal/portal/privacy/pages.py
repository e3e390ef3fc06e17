"""Describe what is deleted with an account, and how long each kind of data is stored."""

from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.contract.localisation import ngettext

from ..pages import Link

_DAYS_A_YEAR = 365


def application_links(applications: Iterable[Application]) -> list[Link]:
    links: list[Link] = []
    for application in applications:
        view = "portal:overview" if application.is_open else "portal:status"
        url = reverse(view, args=[application.reference])
        links.append(Link(entity_name(application) or application.product_name, url, query=application.reference))
    return links


def retention_sentences() -> list[str]:
    """Return a sentence for each kind of data that is stored for a limited time."""
    rules = (
        (gettext("Drafts that nobody changes: {time}, and we write to you first."), settings.RETENTION_DRAFT_DAYS),
        (gettext("Withdrawn applications: {time}."), settings.RETENTION_WITHDRAWN_DAYS),
        (gettext("Declined applications: {time}."), settings.RETENTION_DECLINED_DAYS),
        (gettext("Applications of companies that were formed: {time}."), settings.RETENTION_INCORPORATED_DAYS),
        (
            gettext("Our copies of your documents: {time} after the application is closed."),
            settings.RETENTION_COPY_DAYS,
        ),
        (gettext("Accounts without an application: {time} after you last signed in."), settings.RETENTION_ACCOUNT_DAYS),
        (gettext("The content of e-mails: {time}."), settings.LETTER_DAYS),
    )
    return [sentence.format(time=_time(days)) for sentence, days in rules if days]


def _time(days: int) -> str:
    """Write a number of days, or of years if it makes whole years, leap days aside."""
    years, rest = divmod(days, _DAYS_A_YEAR)
    if years and rest <= years // 4 + 1:
        return ngettext("{count} year", "{count} years", years)
    return ngettext("{count} day", "{count} days", days)
