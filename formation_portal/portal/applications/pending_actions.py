"""Whose turn it is: what waits for whom, since when. A list on the overview, and one line in the list."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from formation_portal.applications.contacts import answers_by_property
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need
from formation_portal.invitations import parts
from formation_portal.invitations.models import CurrentStage, Invitation, InvitationStage, current_stage
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage
from formation_portal.ui.formats import time_or_day

# What nobody can give for somebody else's part: shares are given by whoever forms the company.
_NOT_THEIRS = ("holding",)


@dataclass(frozen=True, slots=True)
class PendingAction:
    """Somebody who is waited for. `remind_url` is where a reminder can be sent, `url` where it can be read up."""

    id: str
    who: str
    is_name: bool
    what: str
    since: str
    state: str
    url: str = ""
    remind_url: str = ""


def pending_actions(
    draft: Draft, board: ApplicationDeliveries, *, invitations: Mapping[str, Invitation]
) -> tuple[PendingAction, ...]:
    """Everybody who is waited for, the reader first, and whoever is done, last; nothing where there is nobody else."""
    now = timezone.now()
    stands = {token: current_stage(one, now=now) for token, one in invitations.items()}
    invited = [row for row in draft.parties if row.token in stands and stands[row.token].stage.waits]
    others = [_theirs(draft, row, invitations[row.token], stands[row.token], now=now) for row in invited]
    ours = board.overall
    if ours.state is DeliveryStage.OURS:
        since = gettext("since %(time)s") % {"time": time_or_day(ours.at)} if ours.at else ""
        others.append(
            PendingAction("turn-team", gettext("Our team"), False, gettext("Something we need to fix"), since, "later")
        )
    others += [
        _done(draft, row, stands[row.token])
        for row in draft.parties
        if row.token in stands and stands[row.token].stage is InvitationStage.DONE
    ]
    waiting = {row.token for row in invited}
    mine = [need for need in draft.needs if need.party_id not in waiting or need.code in _NOT_THEIRS]
    if others and mine:
        since = gettext("since %(time)s") % {"time": time_or_day(draft.application.updated_at)}
        others.insert(0, PendingAction("turn-you", gettext("You"), False, _things(len(mine)), since, "open"))
    return tuple(others)


def _theirs(
    draft: Draft, row: PartyRow, invitation: Invitation, stands: CurrentStage, *, now: datetime
) -> PendingAction:
    needs = open_needs_of_guest(draft, row)
    what = _things(len(needs)) if needs else gettext("Everything is filled in, but they have not marked it as done")
    since = gettext("%(stage)s, %(time)s") % {"stage": stands.stage.words, "time": time_or_day(stands.since)}
    address = [draft.application.reference, row.token]
    is_own, may_remind = draft.application.is_own, now >= parts.next_reminder_from(invitation)
    return PendingAction(
        id=f"turn-{row.token}",
        who=row.label,
        is_name=True,
        what=what,
        since=since,
        state="half",
        url=reverse("portal:invitation", args=address) if is_own else "",
        remind_url=reverse("portal:invitation_reminder", args=address) if is_own and may_remind else "",
    )


def _done(draft: Draft, row: PartyRow, stands: CurrentStage) -> PendingAction:
    needs = open_needs_of_guest(draft, row)
    is_own = draft.application.is_own
    return PendingAction(
        id=f"turn-{row.token}",
        who=row.label,
        is_name=True,
        what=gettext("Finished their part") if not needs else _things(len(needs)),
        since=gettext("%(stage)s, %(time)s") % {"stage": stands.stage.words, "time": time_or_day(stands.since)},
        state="half" if needs else "met",
        url=reverse("portal:party", args=[draft.application.reference, row.token]) if is_own else "",
    )


def open_needs_of_guest(draft: Draft, row: PartyRow) -> list[Need]:
    """What the party still needs that whoever was invited can give."""
    return [need for need in draft.needs_of_party(row.token) if need.code not in _NOT_THEIRS]


def _things(number: int) -> str:
    return ngettext("%(n)d item to complete", "%(n)d items to complete", number) % {"n": number}


def pending_summary(application: Application, invitations: Iterable[Invitation]) -> str:
    """Who is waited for, in one sentence for a list; empty where nobody is. The parties come with the invitations."""
    if application.is_open:
        now = timezone.now()
        there = (one for one in invitations if one.party.removed_at is None)
        names: list[str] = []
        for one in there:
            if current_stage(one, now=now).stage.waits:
                # As the party is called, told without its form, and since when.
                name = canonical.label_of(answers_by_property(one.party.kind, one.party.raw))
                said = {"name": name or gettext("someone you invited"), "time": time_or_day(one.sent_at)}
                names.append(gettext("%(name)s, since %(time)s") % said)
        return (
            gettext("Waiting for you and %(names)s") % {"names": ", ".join(names)}
            if names
            else gettext("Waiting for you")
        )
    at = application.submitted_at
    if application.status in (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW) and at:
        return gettext("Waiting for our reviewer since %(time)s") % {"time": time_or_day(at)}
    return gettext("Waiting for the registry") if application.status is State.SUBMITTED_TO_CSP else ""
