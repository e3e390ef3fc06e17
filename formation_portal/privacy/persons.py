"""A person in somebody else's application: where they are found, whether they can be erased, and erasing them.

A party can be erased while its application is open, and once it was withdrawn. Of what was submitted and decided the
law asks for records; they go with the whole application (`retention`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Party
from formation_portal.applications.services import Gone
from formation_portal.applications.services.erasure import erase_party
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core.encrypted_fields import rows_in_order
from formation_portal.core.encryption import UnreadableError
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.relay.erasure import is_settled


class NotErased(Exception):
    """The party must stay; the message says why."""


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """One party of one application."""

    application: Application
    token: str

    @property
    def can_be_erased(self) -> bool:
        """Whether nothing keeps it."""
        return not self.why_not

    @property
    def why_not(self) -> str:
        """What keeps it, in a sentence; empty where nothing does."""
        return why_party_stays(self.application)


def find_persons(text: str) -> Iterator[FoundPerson]:
    """The parties with an answer that has this text in it. Answers are encrypted, so that all of them are opened."""
    wanted = text.strip().casefold()
    for party in rows_in_order(Party, "default"):
        try:
            texts = [one.casefold() for one in party.raw.values() if isinstance(one, str)]
        except UnreadableError:
            # `manage.py rotate_keys` counts it.
            continue
        if wanted in " ".join(texts):
            yield FoundPerson(party.application, party.token)


def why_party_stays(application: Application) -> str:
    """Why a party of the application can't be erased now; empty where it can."""
    if application.hold_reason is not None:
        return "The application is on hold"
    state = application.status
    if state is State.WITHDRAWN:
        return "" if is_settled(application) else "The formation service has not confirmed the withdrawal yet"
    if state.is_open:
        return ""
    if state not in FINAL:
        return "The application is being worked on. Return it to its customer, or decline it, first"
    return f"Records of it must be kept until {kept_until(application)}"


def kept_until(application: Application) -> str:
    """The day on which a closed application is erased, in words."""
    days = settings.RETENTION_DECLINED_DAYS
    if application.status is State.INCORPORATED:
        days = settings.RETENTION_INCORPORATED_DAYS
    closed = application.changes.filter(moved_to=application.state).order_by("-pk").values_list("at", flat=True).first()
    if not days:
        return "the operator ends that"
    day = timezone.localdate((closed or application.updated_at) + timedelta(days=days))
    return f"{day.day} {day:%B %Y}"


def erase_person(application: Application, token: str, *, by: User | None) -> None:
    """Erase a party with all that tells of it. Raises NotErased."""
    if why := why_party_stays(application):
        raise NotErased(f"{why}.")
    try:
        erase_party(application, token, by=by)
    except Gone as gone:
        raise NotErased("There is no such person or company in it any more.") from gone
    overwrite_deleted()
