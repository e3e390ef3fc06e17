"""The order of an application's pages, the way back to the page that sent somebody, and the address of each need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.localisation import gettext, gettext_noop
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.ui.forms.controls import control_id, party_control, slot_id, slot_key

PEOPLE, SHARES, DOCUMENTS, CHECK = "people", "shares", "documents", "check"

PEOPLE_TITLE = gettext_noop("People and companies")


@dataclass(frozen=True, slots=True)
class FormStep:
    """One page of the form."""

    view: str
    key: str
    title: str
    url: str


def form_steps(draft: Draft) -> tuple[FormStep, ...]:
    """The pages that have something to ask now, in the order of the schema; documents and the check come last."""
    return tuple(dict.fromkeys(_steps(draft)))


def next_step(draft: Draft, view: str, key: str = "") -> FormStep:
    """Where one goes on to from a page; to the check where nothing follows or the page itself is not asked now."""
    found = form_steps(draft)
    place = next((place for place, step in enumerate(found) if (step.view, step.key) == (view, key)), len(found) - 2)
    return found[place + 1]


def next_url(draft: Draft, view: str, key: str = "") -> str:
    """The address of the page that follows."""
    return next_step(draft, view, key).url


def _steps(draft: Draft) -> Iterator[FormStep]:
    for section in draft.schema.sections:
        if not section.is_drawn or not draft.form_state.section_activation(section).active:
            continue
        if section.is_entity:
            yield _step(draft, "section", section.key, title=section.title)
        elif section.is_share_structure:
            yield _step(draft, SHARES, title=section.title or gettext("Shares"))
        else:
            yield _step(draft, PEOPLE, title=gettext(PEOPLE_TITLE))
    if draft.form_state.slots() or any(draft.form_state.slots(row.record) for row in draft.parties):
        yield _step(draft, DOCUMENTS, title=gettext("Documents"))
    yield _step(draft, CHECK, title=gettext("Check your answers"))


def _step(draft: Draft, view: str, key: str = "", *, title: str) -> FormStep:
    arguments = [draft.application.reference, *([key] if key else [])]
    return FormStep(view, key, title, reverse(f"portal:{view}", args=arguments))


# Pages that send somebody to a question, and take them back after saving.
_TITLES: dict[str, Promise] = {
    "check": gettext_lazy("Check your answers"),
    "overview": gettext_lazy("Overview"),
    "status": gettext_lazy("Status"),
}
_LONGEST_ROW = 400


@dataclass(frozen=True, slots=True)
class ReturnUrl:
    """Where to, what that page is called, and the query that says so, to be handed on while one stays."""

    url: str
    title: str
    query: str


def return_url(request: HttpRequest, reference: str) -> ReturnUrl | None:
    """As the address of the request asks for; None where it asks for nothing that there is."""
    place = request.GET.get("next", "")
    if place not in _TITLES:
        return None
    # A part of the page's address, whatever it says.
    row = quote(request.GET.get("row", "")[:_LONGEST_ROW], safe="")
    url = reverse(f"portal:{place}", args=[reference])
    query = f"next={place}&row={row}" if row else f"next={place}"
    return ReturnUrl(f"{url}#{row}" if row else url, str(_TITLES[place]), query)


@dataclass(frozen=True, slots=True)
class NeedLink:
    """One thing that is still needed, in words, with the way to it."""

    text: str
    url: str
    code: str = ""


def need_links(draft: Draft, needs: Sequence[Need], *, back_to: str = "") -> tuple[NeedLink, ...]:
    """The needs with their addresses; `back_to` names the page to come back to after saving."""
    return tuple(NeedLink(need.text, need_url(draft, need, back_to=back_to), need.code) for need in needs)


def need_url(draft: Draft, need: Need, *, back_to: str = "") -> str:
    """The address of the control that the need is about, or of the page where it is mended."""
    page, place = _page_and_anchor(draft, need)
    return f"{page}{f'?next={back_to}' if back_to else ''}{f'#{place}' if place else ''}"


def _page_and_anchor(draft: Draft, need: Need) -> tuple[str, str]:
    reference = draft.application.reference
    if need.slot is not None:
        return reverse("portal:documents", args=[reference]), slot_id(slot_key(need.party_id, need.slot))
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        return reverse("portal:shares", args=[reference]), ""
    if need.party_id is not None:
        party = draft.party(need.party_id)
        spec = _spec(draft.schema.fields_of(party.kind, party.roles), need.field) if party else None
        url = reverse("portal:party", args=[reference, need.party_id])
        return url, control_id(party_control(spec)) if spec else ""
    if need.share_class_id is not None and need.field:
        spec = _spec(draft.schema.share_class_fields, need.field)
        url = reverse("portal:share_class", args=[reference, need.share_class_id])
        return url, control_id(control_name(spec)) if spec else ""
    section = draft.schema.section(need.section)
    spec = _spec(section.fields, need.field) if section and section.is_entity else None
    return _section_url(reference, section), control_id(control_name(spec)) if spec else ""


def _section_url(reference: str, section: Section | None) -> str:
    if section is None:
        return reverse("portal:overview", args=[reference])
    if section.is_entity:
        return reverse("portal:section", args=[reference, section.key])
    return reverse("portal:shares" if section.is_share_structure else "portal:people", args=[reference])


def _spec(specs: tuple[FieldSpec, ...], name: str | None) -> FieldSpec | None:
    return next((spec for spec in specs if spec.name == name), None)
