"""An application as a list of tasks: each section with its state in words, and what it still needs.

Documents are one task of their own; what they need is counted there and nowhere else.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.localisation import gettext, gettext_noop, ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.ui import roles
from formation_portal.ui.formats import entity_word

_DOCUMENTS = "task-documents"
_NONE: Mapping[str, str] = {}


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

    @property
    def is_later(self) -> bool:
        """Not asked as things stand."""
        return self.state == "later"

    @property
    def is_complete(self) -> bool:
        """Nothing is needed there."""
        return self.state == "met"


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Tasks under one heading in the margin."""

    id: str
    title: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class TaskList:
    """All tasks, and how far one has come."""

    groups: tuple[TaskGroup, ...]

    @property
    def _counted(self) -> list[Task]:
        return [task for group in self.groups for task in group.tasks if not task.is_later]

    @property
    def progress(self) -> str:
        """How far one has come: 3 of 7 sections complete."""
        done = sum(task.is_complete for task in self._counted)
        return gettext("{done} of {count} sections complete", done=done, count=len(self._counted))

    @property
    def following(self) -> Task | None:
        """The first task that isn't complete."""
        return next((task for task in self._counted if not task.is_complete), None)


def task_list(draft: Draft, *, refused: Sequence[Need] = (), deliveries: Mapping[str, str] = _NONE) -> TaskList:
    """The tasks of a draft, in the order of its schema; where the service refused something, that comes first.

    `deliveries` says how far what is not settled there has come, by the section's key or "documents".
    """
    product_type = str(draft.application.product.get("product", {}).get("type", ""))
    about = [_entity_task(draft, section) for section in draft.schema.entity_sections]
    people = [_role_task(draft, section) for section in draft.schema.role_sections]
    shares = [_share_task(draft, section) for section in (draft.schema.share_section,) if section]
    groups = (
        TaskGroup(
            "about", gettext(_ABOUT.get(entity_word(product_type), gettext_noop("What is formed"))), tuple(about)
        ),
        TaskGroup(
            "people",
            gettext("People and shares") if shares else gettext("People"),
            (*people, *shares, *_document_tasks(draft)),
        ),
    )
    keys = {f"task-{need.section}" if need.slot is None else _DOCUMENTS for need in refused}
    words = {f"task-{key}": said for key, said in deliveries.items()}
    return TaskList(tuple(_marked(group, keys, words) for group in groups if group.tasks))


def _marked(group: TaskGroup, refused: Container[str], deliveries: Mapping[str, str]) -> TaskGroup:
    tasks = (
        replace(one, state="stop", status=gettext("Changes needed")) if one.id in refused else one
        for one in group.tasks
    )
    noted = (
        replace(one, note=". ".join(filter(None, (one.note.removesuffix("."), more))))
        if (more := deliveries.get(one.id))
        else one
        for one in tasks
    )
    return replace(group, tasks=tuple(noted))


def _entity_task(draft: Draft, section: Section) -> Task:
    is_begun = any(not is_blank(value) for value in draft.raw(section).values())
    needs = _without_documents(draft.needs_of_section(section.key))
    return _task(draft, section, "section", section.key, needs=needs, note=_answers(needs), is_begun=is_begun)


def _role_task(draft: Draft, section: Section) -> Task:
    tally = len(draft.form_state.parties_in(section))
    needs = _without_documents(draft.needs_of_section(section.key))
    short = max(0, draft.form_state.minimum_of(section).count - tally)
    parts = [ngettext("{count} more to add", "{count} more to add", short)] if short else []
    rest = tuple(need for need in needs if need.code != "minimum")
    parts += [_answers(rest)] if rest else []
    note = ", ".join(parts) or (ngettext("{count} added", "{count} added", tally) if tally else "")
    return _task(draft, section, "people", needs=needs, note=note, is_begun=tally > 0)


def _share_task(draft: Draft, section: Section) -> Task:
    needs = draft.needs_of_section(section.key)
    note = ngettext("{count} item to complete", "{count} items to complete", len(needs)) if needs else ""
    if len(needs) == 1:
        note = needs[0].text
    return _task(draft, section, "shares", needs=needs, note=note, is_begun=bool(draft.share_classes))


def _document_tasks(draft: Draft) -> Iterable[Task]:
    holders = (None, *(row.record for row in draft.parties))
    slots = sum(len(draft.form_state.slots(holder)) for holder in holders)
    if not slots:
        return
    needs = tuple(need for need in draft.needs if need.code == "document")
    if needs:
        note = ngettext("{count} to upload", "{count} to upload", len(needs))
    else:
        note = gettext("{done} of {count} uploaded", done=len(draft.documents), count=slots)
    state, status = _standing(needs, is_begun=bool(draft.documents))
    url = reverse("portal:documents", args=[draft.application.reference])
    yield Task(_DOCUMENTS, gettext("Documents"), url, state, status, note)


def _task(
    draft: Draft, section: Section, view: str, *keys: str, needs: tuple[Need, ...], note: str, is_begun: bool
) -> Task:
    verdict = draft.form_state.section_activation(section)
    title = section.title or section.key
    if not verdict.active:
        return Task(
            f"task-{section.key}",
            title,
            "",
            "later",
            gettext("Not available yet"),
            f"{verdict.reason}." if verdict.reason else "",
        )
    state, status = _standing(needs, is_begun=is_begun)
    url = reverse(f"portal:{view}", args=[draft.application.reference, *keys])
    return Task(f"task-{section.key}", title, url, state, status, note, roles.role_reason(draft, section))


def _standing(needs: tuple[Need, ...], *, is_begun: bool) -> tuple[str, str]:
    if not needs:
        return "met", gettext("Complete") if is_begun else gettext("Nothing required")
    return ("half", gettext("In progress")) if is_begun else ("open", gettext("Not started"))


def _without_documents(needs: tuple[Need, ...]) -> tuple[Need, ...]:
    return tuple(need for need in needs if need.code != "document")


def _answers(needs: tuple[Need, ...]) -> str:
    unreadable = sum(need.code == "unreadable" for need in needs)
    missing = len(needs) - unreadable
    parts = [ngettext("{count} answer to complete", "{count} answers to complete", missing)] if missing else []
    if unreadable and missing:
        parts.append(ngettext("{count} we can’t read", "{count} we can’t read", unreadable))
    elif unreadable:
        parts.append(ngettext("We can’t read {count} answer", "We can’t read {count} answers", unreadable))
    return ", ".join(parts)
