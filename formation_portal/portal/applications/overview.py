"""The overview of an application: its tasks, who is waited for, its price, and what came back.

Each section is a task, with its state in words and what it still needs. A section is complete only when its documents
are, and a role only when its people are. Documents are one task of their own, too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.gateway.catalog import cached_catalog
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage
from formation_portal.privacy.announcements import deleted_on
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage
from formation_portal.ui import roles
from formation_portal.ui.formats import entity_word, time_or_day

from ..feedback import DeliverySummary, task_deliveries
from ..parties.guest_parts import GuestPart, guest_part
from ..parties.progress import NO_REFUSALS, NeedCounts, needs_words, role_progress
from ..submission.corrections import Returned, returned
from ..submission.status import Progress

_DOCUMENTS = "task-documents"
_ABOUT = {"company": gettext_noop("The company"), "foundation": gettext_noop("The foundation")}


@dataclass(frozen=True, slots=True)
class Task:
    """One row. `state` is its mark; without an address it opens later, and the note says when."""

    id: str
    title: str
    url: str
    state: str
    status: str
    note: str
    # Why it is asked and, of a role, why it needs as many as it does, where rules decide.
    why: str = ""
    # Whether the title is the name of a person or company.
    is_name: bool = False
    # The reference of an application whose record can be kept from the row.
    copies: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether the title is the portal's own: no section of the schema is named documents."""
        return self.id == _DOCUMENTS


@dataclass(frozen=True, slots=True)
class TaskList:
    """All tasks in groups, each with its id and heading; and how far one has come."""

    groups: tuple[tuple[str, str, tuple[Task, ...]], ...]

    @property
    def _counted(self) -> list[Task]:
        return [task for _, _, tasks in self.groups for task in tasks if task.state != "later"]

    @property
    def progress(self) -> str:
        """How far one has come: 3 of 7 sections complete."""
        done = sum(task.state == "met" for task in self._counted)
        return gettext("{done} of {count} sections complete").format(done=done, count=len(self._counted))

    @property
    def following(self) -> Task | None:
        """The first task that isn't complete."""
        return next((task for task in self._counted if task.state != "met"), None)


def task_list(
    draft: Draft,
    *,
    refused: Sequence[Need] = (),
    deliveries: Mapping[str, str] | None = None,
) -> TaskList:
    """The tasks of a draft, in the order of its schema; where the service refused something, that comes first.

    `deliveries` says how far what is not settled there has come, by the section's key or "documents".
    """
    stopped = {f"task-{need.section}" if need.slot is None else _DOCUMENTS for need in refused}

    def with_delivery(task: Task) -> Task:
        if task.id in stopped:
            task = replace(task, state="stop", status=gettext("Changes needed"))
        if said := (deliveries or {}).get(task.id.removeprefix("task-")):
            task = replace(task, note=". ".join(filter(None, (task.note.removesuffix("."), said))))
        return task

    counts = NeedCounts(draft)
    refused_parties = {need.party_id for need in refused if need.party_id}
    about = [_section_task(counts, section) for section in draft.schema.entity_sections]
    people = [_section_task(counts, section, refused_parties) for section in draft.schema.role_sections]
    shares = [_section_task(counts, section) for section in (draft.schema.share_section,) if section]
    product_type = str(draft.application.product.get("product", {}).get("type", ""))
    about_title = gettext(_ABOUT.get(entity_word(product_type), gettext_noop("What is formed")))
    people_title = gettext("People and shares") if shares else gettext("People")
    groups = (
        ("about", about_title, about),
        ("people", people_title, [*people, *shares, *_document_tasks(draft)]),
    )
    return TaskList(tuple((id_, title, tuple(map(with_delivery, tasks))) for id_, title, tasks in groups if tasks))


def _section_task(counts: NeedCounts, section: Section, refused_parties: Set[str] = NO_REFUSALS) -> Task:
    draft = counts.draft
    activation = draft.form_state.section_activation(section)
    id_, title = f"task-{section.key}", section.title or section.key
    if not activation.active:
        note = f"{activation.reason}." if activation.reason else ""
        return Task(id_, title, "", "later", gettext("Not available yet"), note)
    keys = [draft.application.reference]
    if section.is_share_structure:
        view, needs = "shares", draft.needs_of_section(section.key)
        state, status = _state(len(needs), is_begun=bool(draft.share_classes))
        note = needs[0].text if len(needs) == 1 else _to_complete(len(needs)) if needs else ""
    elif section.is_entity:
        codes = Counter(need.code for need in draft.needs_of_section(section.key))
        view, note = "section", needs_words(codes)
        keys.append(section.key)
        is_begun = any(not is_blank(value) for value in draft.raw(section).values())
        state, status = _state(codes.total(), is_begun=is_begun)
    else:
        view, note = "people", _people_note(counts, section)
        state, status = role_progress(counts, section, refused=refused_parties)
    url = reverse(f"portal:{view}", args=keys)
    return Task(id_, title, url, state, status, note, roles.role_reason(draft, section))


def _people_note(counts: NeedCounts, section: Section) -> str:
    """Describe what a role and its people need, or how many have been added."""
    state = counts.draft.form_state
    tally = len(state.parties_in(section))
    short = state.minimum_of(section).count - tally
    bounds = Counter(need.code for need in counts.needs_of_role(section) if need.code != "minimum")
    notes = [ngettext("{count} more to add", "{count} more to add", short)] if short > 0 else []
    if words := needs_words(counts.codes_in(section) + bounds):
        notes.append(words)
    if not notes and tally:
        notes.append(ngettext("{count} added", "{count} added", tally))
    return ", ".join(notes)


def _document_tasks(draft: Draft) -> Iterable[Task]:
    holders = (None, *draft.parties)
    slots = [slot for party in holders for slot in draft.form_state.slots(party.record if party else None)]
    if not slots:
        return
    missing = sum(len(draft.missing_documents(party)) for party in holders)
    required, uploaded = sum(slot.required for slot in slots), len(draft.documents)
    state, status = _state(missing, is_begun=bool(uploaded))
    if missing:
        note = ngettext("{count} to upload", "{count} to upload", missing)
        status = gettext("{done} of {count} uploaded").format(done=required - missing, count=required)
    else:
        note = ngettext("{count} uploaded", "{count} uploaded", uploaded) if uploaded else ""
    url = reverse("portal:documents", args=[draft.application.reference])
    yield Task(_DOCUMENTS, gettext("Documents"), url, state, status, note)


def _state(needed: int, *, is_begun: bool) -> tuple[str, str]:
    if not needed:
        return "met", gettext("Complete") if is_begun else gettext("Nothing required")
    return ("half", gettext("In progress")) if is_begun else ("open", gettext("Not started"))


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
    draft: Draft,
    deliveries: ApplicationDeliveries,
    invitations: Mapping[str, Invitation],
) -> list[PendingAction]:
    """Everybody who is waited for, the reader first, and whoever is done, last; nothing where there is nobody else."""
    refused = DeliverySummary(draft, deliveries).refused
    guests = [guest_part(draft, row, invitations[row.token], refused=refused) for row in draft.parties_of(invitations)]
    waiting = [guest for guest in guests if guest.stage.waits]
    others = [_guests_action(draft, guest) for guest in waiting]
    ours = deliveries.overall
    if ours.state is DeliveryStage.OURS:
        what = gettext("Something we need to fix")
        others.append(PendingAction("turn-team", gettext("Our team"), False, what, _since(ours.at), "later"))
    others += [_guests_action(draft, guest) for guest in guests if guest.stage is InvitationStage.DONE]
    theirs = sum(len(parts.needs_of_guest(draft, guest.party)) for guest in waiting)
    if others and (mine := len(draft.needs) - theirs):
        what, at = _to_complete(mine), draft.application.updated_at
        others.insert(0, PendingAction("turn-you", gettext("You"), False, what, _since(at), "open"))
    return others


def _guests_action(draft: Draft, guest: GuestPart) -> PendingAction:
    """Describe what a guest has to do, or that they have finished."""
    row, is_done, is_own = guest.party, guest.stage is InvitationStage.DONE, draft.application.is_own
    if guest.needs:
        what = _to_complete(len(guest.needs))
    elif is_done:
        what = gettext("Finished their part")
    else:
        what = gettext("Everything is filled in, but they have not marked it as done")
    address = [draft.application.reference, row.token]
    may_remind = is_own and not is_done and timezone.now() >= parts.next_reminder_from(guest.invitation)
    return PendingAction(
        id=f"turn-{row.token}",
        who=row.label,
        is_name=True,
        what=what,
        since=gettext("%(stage)s, %(time)s") % {"stage": guest.stage.words, "time": time_or_day(guest.since)},
        state="met" if is_done else "half",
        url=reverse("portal:party" if is_done else "portal:invitation", args=address) if is_own else "",
        remind_url=reverse("portal:invitation_reminder", args=address) if may_remind else "",
    )


def _to_complete(number: int) -> str:
    return ngettext("{count} item to complete", "{count} items to complete", number)


def _since(at: datetime | None) -> str:
    return gettext("since %(time)s") % {"time": time_or_day(at)} if at else ""


def newer_form(draft: Draft) -> CatalogItem | None:
    """The product with the form that the catalog has now, where it is another than the draft's. Makes no call."""
    offered = cached_catalog()
    mine = draft.application.product_id
    items = (one.item for one in offered.items if one.item and one.is_available) if offered else ()
    item = next((one for one in items if one.jurisdiction_product_id == mine), None)
    if item is None or (item.form.id, item.form.version) == (draft.schema.id, draft.schema.version):
        return None
    return item


@dataclass(frozen=True)
class OverviewPage:
    """The overview of a draft that can still be changed."""

    draft: Draft
    delivery: DeliverySummary

    @property
    def saved(self) -> str:
        return time_or_day(self.draft.application.updated_at)

    @property
    def deleted_on(self) -> datetime | None:
        """When it is deleted as unused, where that was announced."""
        return deleted_on(self.draft.application)

    @property
    def has_new_form(self) -> bool:
        return newer_form(self.draft) is not None

    @cached_property
    def tasks(self) -> TaskList:
        deliveries = task_deliveries(self.draft, self.delivery.deliveries)
        return task_list(self.draft, refused=self.delivery.refused, deliveries=deliveries)

    @cached_property
    def pending(self) -> list[PendingAction]:
        """Who is waited for: one query."""
        invitations = parts.invitations_of(self.draft)
        return pending_actions(self.draft, self.delivery.deliveries, invitations)

    @cached_property
    def returned(self) -> Returned | None:
        """What came back, where it was submitted and returned."""
        if self.draft.application.status is not State.RETURNED_FOR_CHANGES:
            return None
        return returned(self.delivery, Progress(self.draft.application).returned, back_to="overview")

    @cached_property
    def submit(self) -> Task:
        """The last task: checking and sending it."""
        is_returned = self.draft.application.status is State.RETURNED_FOR_CHANGES
        title = gettext("Check and send corrections") if is_returned else gettext("Check your answers and submit")
        refused = self.returned.stands_in_the_way if self.returned else len(self.delivery.refused)
        if count := len(self.draft.needs) + refused:
            state, status = "later", gettext("Not ready yet")
            note = ngettext(
                "{count} item to complete. You can check your answers at any time.",
                "{count} items to complete. You can check your answers at any time.",
                count,
            )
        else:
            state, status = "open", gettext("Ready")
            note = gettext("You have answered everything that is required.")
        url = reverse("portal:check", args=[self.draft.application.reference])
        return Task("task-check", title, url, state, status, note)

    @cached_property
    def prices(self) -> list[tuple[str, str]]:
        """What it costs: each fee that the catalog names, with its amount."""
        price = self.draft.application.product.get("price") or {}
        fees = ((gettext("Set-up fee"), price.get("one_off")), (gettext("Annual fee"), price.get("annual")))
        currency = str(price.get("currency") or "")
        return [(fee, format_money(Decimal(str(amount)), currency)) for fee, amount in fees if amount is not None]
