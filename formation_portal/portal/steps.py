"""The order in which an application's pages follow one another; "Save and continue" goes along it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.contract.language import noted, say
from formation_portal.contract.schema import Section

PEOPLE, SHARES, DOCUMENTS, CHECK = "people", "shares", "documents", "check"

PEOPLE_TITLE = noted("People and companies")


@dataclass(frozen=True, slots=True)
class Step:
    """One page of the form."""

    view: str
    key: str
    title: str
    url: str


def steps(draft: Draft) -> tuple[Step, ...]:
    """The pages that have something to ask now, in the order of the schema; documents and the check come last."""
    return tuple(dict.fromkeys(_steps(draft)))


def step_after(draft: Draft, view: str, key: str = "") -> Step:
    """Where one goes on to from a page; to the check where nothing follows or the page itself is not asked now."""
    found = steps(draft)
    place = next((place for place, step in enumerate(found) if (step.view, step.key) == (view, key)), len(found) - 2)
    return found[place + 1]


def url_after(draft: Draft, view: str, key: str = "") -> str:
    """The address of the page that follows."""
    return step_after(draft, view, key).url


def _steps(draft: Draft) -> Iterator[Step]:
    for section in draft.schema.sections:
        if section.is_drawn and draft.form_state.section(section).active:
            yield _step_of(draft, section)
    if _has_slots(draft):
        yield _step(draft, DOCUMENTS, title=say("Documents"))
    yield _step(draft, CHECK, title=say("Check your answers"))


def _step_of(draft: Draft, section: Section) -> Step:
    if section.is_entity:
        return _step(draft, "section", section.key, title=section.title)
    if section.is_share_structure:
        return _step(draft, SHARES, title=section.title or say("Shares"))
    return _step(draft, PEOPLE, title=say(PEOPLE_TITLE))


def _step(draft: Draft, view: str, key: str = "", *, title: str) -> Step:
    arguments = [draft.application.reference, *([key] if key else [])]
    return Step(view, key, title, reverse(f"portal:{view}", args=arguments))


def _has_slots(draft: Draft) -> bool:
    return bool(draft.form_state.slots()) or any(draft.form_state.slots(row.record) for row in draft.parties)
