"""One letter about a draft that has lain for a week, with what is still missing. Never a second one."""

import datetime as dt
from collections.abc import Iterable

from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.letters import post
from formation_portal.letters.models import Letter
from formation_portal.letters.refusing import is_refused
from formation_portal.letters.rounds import on_each_round

from .tidings import language_of, may_write_to

QUIET = dt.timedelta(days=7)
# Whoever has left a draft for so long has left it; nor does a new installation write about what is years old.
FORGOTTEN = dt.timedelta(days=60)
_NEEDS_SHOWN = 5


@on_each_round
def remind() -> None:
    """Write about every draft that has become quiet. Each is a transaction of its own."""
    for application in _quiet():
        if may_write_to(application.owner) and not is_refused(kind="reminder", to=application.owner.email):
            _write_about(application)


def _quiet() -> Iterable[Application]:
    now = timezone.now()
    drafts = Application.objects.filter(
        state=State.DRAFT,
        deleted_at=None,
        submitted_at=None,
        updated_at__range=(now - FORGOTTEN, now - QUIET),
        owner__is_active=True,
    )
    said = set(Letter.objects.filter(kind="reminder").values_list("reference", flat=True))
    return [one for one in drafts.select_related("owner").order_by("pk") if one.reference not in said]


def _write_about(application: Application) -> None:
    draft, language = open_draft(application), language_of(application.owner)
    with translation.override(language):
        needs = [need.text for need in draft.needs]
    context = {
        "company": draft.title,
        "reference": application.reference,
        "link": reverse("portal:overview", args=[application.reference]),
        "needs": needs[:_NEEDS_SHOWN],
        "more": len(needs[_NEEDS_SHOWN:]),
    }
    post(
        kind="reminder",
        to=application.owner.email,
        language=language,
        context=context,
        once=f"reminder:{application.reference}",
    )
