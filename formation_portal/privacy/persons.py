"""Functions to find and erase a person who is a party of somebody else's application."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Party
from formation_portal.applications.services import Gone
from formation_portal.applications.services.erasure import erase_party
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core.encryption import UnreadableError
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.relay.erasure import is_settled


class NotErased(Exception):
    """Raised if a party must stay. The message is the reason."""


def find_persons(text: str) -> Iterator[Party]:
    """Yield the parties with an answer that contains the text. All answers are read, since they are encrypted."""
    text = text.strip().casefold()
    for party in Party.objects.order_by("pk").iterator(chunk_size=500):
        try:
            answers = [answer.casefold() for answer in party.raw.values() if isinstance(answer, str)]
        except UnreadableError:
            # `manage.py rotate_keys` counts the unreadable rows.
            continue
        if text in " ".join(answers):
            yield party


def why_party_stays(application: Application) -> str:
    if application.hold_reason is not None:
        return "The application is on hold"
    state = application.status
    if state is State.WITHDRAWN:
        return "" if is_settled(application) else "The formation service has not confirmed the withdrawal yet"
    if state.is_open:
        return ""
    if state not in FINAL:
        return "The application is being worked on. Return it to its customer, or decline it, first"
    return f"Records of it must be kept until {_erasure_day(application)}"


def _erasure_day(application: Application) -> str:
    days = settings.RETENTION_DECLINED_DAYS
    if application.status is State.INCORPORATED:
        days = settings.RETENTION_INCORPORATED_DAYS
    closed = application.changes.filter(moved_to=application.state).order_by("-pk").values_list("at", flat=True).first()
    if not days:
        return "the operator ends that"
    day = timezone.localdate((closed or application.updated_at) + timedelta(days=days))
    return f"{day.day} {day:%B %Y}"


def erase_person(application: Application, token: str, *, by: User | None) -> None:
    """Erase a party, and its name wherever it was typed in the application. Raises NotErased."""
    if reason := why_party_stays(application):
        raise NotErased(f"{reason}.")
    try:
        erase_party(application, token, by=by)
    except Gone as error:
        raise NotErased("There is no such person or company in it any more.") from error
    overwrite_deleted()
