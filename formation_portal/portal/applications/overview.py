"""Build the overview of an application: its tasks, price and returned items, and the people it waits for."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import MappingProxyType

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.applications.draft import Draft
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.gateway.catalog import cached_catalog
from formation_portal.invitations import parts
from formation_portal.invitations.models import InvitationStage
from formation_portal.privacy.announcements import deleted_on
from formation_portal.relay.delivery_status import DeliveryStage
from formation_portal.ui import roles
from formation_portal.ui.formats import application_price, counted, day_and_time, entity_word
from formation_portal.ui.ownership import join_sentences

from ..feedback import DeliverySummary, task_deliveries
from ..pages import application_url, fees_of, need_link
from ..parties.progress import NO_REFUSALS, GuestPart, NeedCounts, Progress, guest_part, needs_words, role_progress
from ..submission.status import Progress as SubmissionProgress
from ..submission.status import current_return

_DOCUMENTS = "task-documents"
_ABOUT = {
    "company": gettext_noop("The company"),
    "foundation": gettext_noop("The foundation"),
    "entity": gettext_noop("What is formed"),
}


@dataclass(slots=True)
class Task:
    """A row of a list of tasks, applications or e-mails. `state` names its mark; without a URL it can't be opened."""

    id: str
    title: str
    url: str
    state: str
    status: str
    note: str
    # Why rules make the task necessary, or give a role its minimum.
    why: str = ""
    # The title is the name of a person or company.
    is_name: bool = False
    # The title is the portal's own text, not the schema's.
    is_ours: bool = False
    # The reference of an application whose record can be downloaded from the row.
    copies: str = ""


class TaskList:
    """The tasks of an application, in groups with an id and a heading."""

    def __init__(self, groups: Sequence[tuple[str, str, Sequence[Task]]]) -> None:
        self.groups = groups
        counted_tasks = [task for _, _, tasks in groups for task in tasks if task.state != "later"]
        open_tasks = [task for task in counted_tasks if task.state != "met"]
        count = len(counted_tasks)
        # Like "3 of 7 sections complete".
        self.progress = gettext("{done} of {count} sections complete").format(done=count - len(open_tasks), count=count)
        # The first task that is not complete.
        self.following = next(iter(open_tasks), None)


def task_list(
    draft: Draft,
    *,
    refused: Sequence[Need] = (),
    deliveries: Mapping[str, str] = MappingProxyType({}),
) -> TaskList:
    """Build a draft's task list. `refused` is what the service has refused, `deliveries` is from `task_deliveries`."""
    counts = NeedCounts(draft)
    refused_parties = {need.party_id for need in refused if need.party_id}
    about = [_section_task(counts, section) for section in draft.schema.entity_sections]
    people = [_section_task(counts, section, refused_parties) for section in draft.schema.role_sections]
    people_title = gettext("People")
    if draft.schema.share_section:
        people.append(_section_task(counts, draft.schema.share_section))
        people_title = gettext("People and shares")
    people += _document_tasks(draft)
    product_type = str(draft.application.product.get("product", {}).get("type", ""))
    about_title = gettext(_ABOUT[entity_word(product_type)])
    refused_tasks = {f"task-{need.section}" if need.slot is None else _DOCUMENTS for need in refused}
    for task in (*about, *people):
        if task.id in refused_tasks:
            task.state = "error"
            task.status = gettext("Changes needed")
        if delivery := deliveries.get(task.id.removeprefix("task-")):
            task.note = join_sentences(task.note, delivery)
    groups = (("about", about_title, about), ("people", people_title, people))
    return TaskList([group for group in groups if group[2]])


def _section_task(counts: NeedCounts, section: Section, refused_parties: Set[str] = NO_REFUSALS) -> Task:
    draft = counts.draft
    activation = draft.form_state.section_activation(section)
    id_ = f"task-{section.key}"
    title = section.title or section.key
    if not activation.active:
        note = activation.reason and f"{activation.reason}."
        return Task(id_, title, "", "later", gettext("Not available yet"), note)
    reference = draft.application.reference
    if section.is_share_structure:
        url = application_url(reference, "shares")
        needs = draft.needs_of_section(section.key)
        note = needs[0].text if len(needs) == 1 else _to_complete(len(needs))
        progress = _task_progress(len(needs), is_begun=bool(draft.share_classes))
    elif section.is_entity:
        url = application_url(reference, "section", section.key)
        codes = Counter(need.code for need in draft.needs_of_section(section.key))
        note = needs_words(codes)
        is_begun = any(not is_blank(value) for value in draft.raw(section).values())
        progress = _task_progress(codes.total(), is_begun=is_begun)
    else:
        url = application_url(reference, "people")
        note = _people_note(counts, section)
        progress = role_progress(counts, section, refused=refused_parties)
    return Task(id_, title, url, progress.mark, progress.text, note, roles.role_reason(draft, section))


def _people_note(counts: NeedCounts, section: Section) -> str:
    state = counts.draft.form_state
    tally = len(state.parties_in(section))
    short = state.minimum_of(section).count - tally
    bounds = Counter(need.code for need in counts.needs_of_role(section) if need.code != "minimum")
    missing = counted(max(0, short), "{count} more to add", "{count} more to add")
    notes = filter(None, (missing, needs_words(counts.codes_in(section) + bounds)))
    return ", ".join(notes) or counted(tally, "{count} added", "{count} added")


def _document_tasks(draft: Draft) -> list[Task]:
    total = missing = required = 0
    for party in (None, *draft.parties):
        slots = draft.slots_of(party)
        total += len(slots)
        required += sum(slot.required for slot in slots)
        missing += len(draft.missing_documents(party))
    if not total:
        return []
    uploaded = len(draft.documents)
    mark, status = _task_progress(missing, is_begun=bool(uploaded))
    note = counted(uploaded, "{count} uploaded", "{count} uploaded")
    if missing:
        note = ngettext("{count} to upload", "{count} to upload", missing)
        status = gettext("{done} of {count} uploaded").format(done=required - missing, count=required)
    url = application_url(draft.application.reference, "documents")
    return [Task(_DOCUMENTS, gettext("Documents"), url, mark, status, note, is_ours=True)]


def _task_progress(needed: int, *, is_begun: bool) -> Progress:
    if needed and is_begun:
        return Progress("half", gettext("In progress"))
    if needed:
        return Progress("open", gettext("Not started"))
    return Progress("met", gettext("Complete") if is_begun else gettext("Nothing required"))


@dataclass(frozen=True, slots=True)
class PendingAction:
    """A person who still has to act, or a finished guest. `url` leads to the details, `remind_url` sends a reminder."""

    id: str
    who: str
    is_name: bool
    what: str
    since: str
    state: str
    url: str = ""
    remind_url: str = ""


def pending_actions(draft: Draft, delivery: DeliverySummary) -> list[PendingAction]:
    """List those who still have to act, then the finished guests; return [] if only the reader has to act."""
    invitations = parts.invitations_of(draft)
    rows = draft.parties_of(invitations)
    guests = [guest_part(draft, row, invitations[row.token], refused=delivery.refused) for row in rows]
    waiting = [guest for guest in guests if guest.stage.waits]
    actions = [_guest_action(draft, guest) for guest in waiting]
    overall = delivery.deliveries.overall
    if overall.state is DeliveryStage.OURS:
        what = gettext("Something we need to fix")
        actions.append(PendingAction("turn-team", gettext("Our team"), False, what, _since(overall.at), "later"))
    actions += [_guest_action(draft, guest) for guest in guests if guest.stage is InvitationStage.DONE]
    guest_needs = sum(len(parts.needs_of_guest(draft, guest.party)) for guest in waiting)
    if actions and len(draft.needs) > guest_needs:
        what = _to_complete(len(draft.needs) - guest_needs)
        since = _since(draft.application.updated_at)
        actions.insert(0, PendingAction("turn-you", gettext("You"), False, what, since, "open"))
    return actions


def _guest_action(draft: Draft, guest: GuestPart) -> PendingAction:
    party = guest.party
    is_done = guest.stage is InvitationStage.DONE
    what = gettext("Everything is filled in, but they have not marked it as done")
    if guest.needs:
        what = _to_complete(len(guest.needs))
    elif is_done:
        what = gettext("Finished their part")
    url = remind_url = ""
    if draft.application.is_own:
        url = application_url(draft.application.reference, "party" if is_done else "invitation", party.token)
        if not is_done and timezone.now() >= parts.next_reminder_from(guest.invitation):
            remind_url = application_url(draft.application.reference, "invitation_reminder", party.token)
    return PendingAction(
        id=f"turn-{party.token}",
        who=party.label,
        is_name=True,
        what=what,
        since=gettext("%(stage)s, %(time)s") % {"stage": guest.stage.label, "time": day_and_time(guest.since)},
        state="met" if is_done else "half",
        url=url,
        remind_url=remind_url,
    )


def _to_complete(count: int) -> str:
    return counted(count, "{count} item to complete", "{count} items to complete")


def _since(at: datetime | None) -> str:
    return gettext("since %(time)s") % {"time": day_and_time(at)} if at else ""


def newer_form(draft: Draft) -> CatalogItem | None:
    """Return the draft's product as in the cached catalog, if the form there is another version; else None."""
    catalog = cached_catalog()
    if catalog is None:
        return None
    for product in catalog.items:
        item = product.item
        if item and product.is_available and item.jurisdiction_product_id == draft.application.product_id:
            is_same = (item.form.id, item.form.version) == (draft.schema.id, draft.schema.version)
            return None if is_same else item
    return None


class OverviewPage:
    def __init__(self, draft: Draft, delivery: DeliverySummary) -> None:
        self.draft = draft
        self.delivery = delivery
        # The day when the unused draft is deleted, if its owner was warned.
        self.deleted_on = deleted_on(draft.application)
        self.has_new_form = newer_form(draft) is not None
        deliveries = task_deliveries(draft, delivery.deliveries)
        self.refused = [need_link(draft, need) for need in delivery.refused]
        self.tasks = task_list(draft, refused=delivery.refused, deliveries=deliveries)
        self.pending = pending_actions(draft, delivery)
        self.returned = current_return(delivery, SubmissionProgress(draft.application), back_to="overview")
        one_off, annual = fees_of(application_price(draft.application))
        self.prices = ((gettext("Set-up fee"), one_off), (gettext("Annual fee"), annual)) if one_off else ()

    @cached_property
    def submit(self) -> Task:
        title = gettext("Check your answers and submit")
        refused = len(self.delivery.refused)
        if self.returned:
            title = gettext("Check and send corrections")
            refused = self.returned.refused_count
        url = application_url(self.draft.application.reference, "check")
        count = len(self.draft.needs) + refused
        if not count:
            note = gettext("You have answered everything that is required.")
            return Task("task-check", title, url, "open", gettext("Ready"), note)
        note = ngettext(
            "{count} item to complete. You can check your answers at any time.",
            "{count} items to complete. You can check your answers at any time.",
            count,
        )
        return Task("task-check", title, url, "later", gettext("Not ready yet"), note)
