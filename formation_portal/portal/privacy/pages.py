"""What the pages about a customer's own data say: what is deleted with the account, and how long what is kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application
from formation_portal.applications.readback import entity_name
from formation_portal.contract.localisation import ngettext
from formation_portal.privacy.accounts import AccountContent

from ..pages import Link

_DAYS_A_YEAR = 365


@dataclass(frozen=True, slots=True)
class DeletionPage:
    """The question whether to delete the account."""

    user: User
    content: AccountContent

    @property
    def can_be_deleted(self) -> bool:
        """Whether nothing comes first."""
        return not self.user.is_agent and not self.user.is_staff and not self.content.under_way

    @property
    def under_way(self) -> Iterator[Link]:
        """The applications that have to be withdrawn or decided first."""
        return _links(self.content.under_way)

    @property
    def goes(self) -> Iterator[Link]:
        """The applications that are deleted with the account."""
        return _links(self.content.goes)

    @property
    def stays(self) -> Iterator[Link]:
        """The applications that are kept for now, without the account."""
        return _links(self.content.stays)


def _links(applications: Iterable[Application]) -> Iterator[Link]:
    for one in applications:
        view = "portal:overview" if one.is_open else "portal:status"
        yield Link(entity_name(one) or one.product_name, reverse(view, args=[one.reference]), query=one.reference)


def retention_sentences() -> list[str]:
    """How long what is kept, a sentence for each rule that has an end."""
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
    return [words.format(time=_time(days)) for words, days in rules if days]


def _time(days: int) -> str:
    """Whole years as years: the law counts in them, and a leap day more changes nothing."""
    years, rest = divmod(days, _DAYS_A_YEAR)
    if years and rest <= years // 4 + 1:
        return ngettext("{count} year", "{count} years", years)
    return ngettext("{count} day", "{count} days", days)
