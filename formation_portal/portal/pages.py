"""What pages of an application have in common: their order, ways back, where a need is met, why they are read-only."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar
from urllib.parse import quote

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import colon
from formation_portal.contract.needs import Need
from formation_portal.ui import formats
from formation_portal.ui.documents import documents_url
from formation_portal.ui.forms.controls import Problem, control_id, party_control, slot_id, slot_key, slot_name
from formation_portal.ui.forms.form import QuestionForm

PEOPLE, SHARES, DOCUMENTS, CHECK = "people", "shares", "documents", "check"

PEOPLE_TITLE = gettext_noop("People and companies")


@dataclass(frozen=True, slots=True)
class Link:
    """A page, or a place on one, by its words and its address.

    Of a page that one comes back to, `query` says in an address that one does; `id` is that of its line in a list.
    """

    text: str
    url: str
    query: str = ""
    id: str = ""
    # Of a line in a list of needs: something entered has to be corrected, rather than added.
    is_correction: bool = False


def next_step(draft: Draft, view: str, key: str = "") -> Link:
    """The page after a page, in the order of the schema; documents and the check come last.

    Pages that have nothing to ask now are left out, and so is the page of documents while none is missing; from a page
    that is left out, the check follows. While there is no share class, the form of the first one stands for the shares.
    """
    steps: dict[tuple[str, str], str] = {}
    for section in draft.schema.sections:
        if not section.is_drawn or not draft.form_state.section_activation(section).active:
            continue
        if section.is_entity:
            steps["section", section.key] = section.title
        elif section.is_share_structure:
            steps.setdefault((SHARES, ""), section.title or gettext("Shares"))
        else:
            steps[PEOPLE, ""] = gettext(PEOPLE_TITLE)
    if view == DOCUMENTS or any(draft.missing_documents(party) for party in (None, *draft.parties)):
        steps[DOCUMENTS, ""] = gettext("Documents")
    steps[CHECK, ""] = gettext("Check your answers")
    order = list(steps)
    following = order[order.index((view, key)) + 1 :] if (view, key) in steps else order[-1:]
    view, key = following[0]
    if view == SHARES and not draft.share_classes and not read_only_reason(draft.application):
        return Link(steps[view, key], reverse("portal:share_class_new", args=[draft.application.reference]))
    return Link(steps[view, key], reverse(f"portal:{view}", args=[draft.application.reference, *filter(None, [key])]))


# Pages that send somebody to a question, and take them back after saving.
_TITLES: dict[str, Promise] = {
    "check": gettext_lazy("Check your answers"),
    "overview": gettext_lazy("Overview"),
    "status": gettext_lazy("Status"),
}
_LONGEST_ROW = 400


def return_url(request: HttpRequest, reference: str) -> Link | None:
    """The page to go back to, as the address of the request asks; None where it asks for nothing that there is."""
    place = request.GET.get("next", "")
    if place not in _TITLES:
        return None
    # A part of the page's address, whatever it says.
    row = quote(request.GET.get("row", "")[:_LONGEST_ROW], safe="")
    url = reverse(f"portal:{place}", args=[reference])
    query = f"next={place}&row={row}" if row else f"next={place}"
    # Not every browser opens what is folded around a place: the page is told of it, too.
    return Link(str(_TITLES[place]), f"{url}?row={row}#{row}" if row else url, query)


def need_links(draft: Draft, needs: Iterable[Need], *, back_to: str = "") -> tuple[Link, ...]:
    """The needs with their addresses; `back_to` names the page to come back to after saving."""
    return tuple(
        Link(need.text, need_url(draft, need, back_to=back_to), is_correction=need.is_correction) for need in needs
    )


def need_url(draft: Draft, need: Need, *, back_to: str = "") -> str:
    """The address of the control that the need is about, or of the page where it is mended."""
    back = f"next={back_to}" if back_to else ""
    if need.slot is not None:
        return f"{documents_url(draft, need.party_id or '', back)}#{slot_id(slot_key(need.party_id, need.slot))}"
    section = draft.schema.section(need.section)
    key, place = "", ""
    asked: tuple[FieldSpec, ...] = ()
    control: Callable[[FieldSpec], str] = control_name
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        view = "shares"
    elif need.code == "owners_exceeded":
        view, key = "owners", need.party_id or ""
    elif need.party_id is not None:
        party = draft.party(need.party_id)
        view, key, control = "party", need.party_id, party_control
        asked = draft.schema.fields_of(party.kind, party.roles) if party else ()
    elif need.share_class_id is not None and need.field:
        view, key, asked = "share_class", need.share_class_id, draft.schema.share_class_fields
    elif section is None:
        view = "overview"
    elif section.is_entity:
        view, key, asked = "section", section.key, section.fields
    else:
        view = "shares" if section.is_share_structure else "people"
    if spec := next((one for one in asked if one.name == need.field), None):
        place = control_id(control(spec))
    url = reverse(f"portal:{view}", args=[draft.application.reference, *filter(None, [key])])
    return f"{url}{f'?{back}' if back else ''}{f'#{place}' if place else ''}"


def need_rows(needs: Iterable[Need], form: QuestionForm | None = None, *, about: str = "") -> tuple[Link, ...]:
    """What is needed of a page that asks the form's questions: each line leads to its control there.

    `about` is whom the page is about: their name need not begin each line.
    """
    links: list[Link] = []
    whose = f"{about}{colon()}"
    for need in needs:
        text = need.text.removeprefix(whose)
        if text != need.text:
            text = text[:1].upper() + text[1:]
        if need.slot:
            place = slot_id(slot_key(need.party_id, need.slot))
        else:
            place = form.control_id_of(need.field) if form and need.field else ""
        url, own_id = (f"#{place}", f"need-{place}") if place else ("", "")
        links.append(Link(text, url, id=own_id, is_correction=need.is_correction))
    return tuple(links)


def file_problems(refused: Mapping[str, str]) -> tuple[Problem, ...]:
    """The files that were not taken, by the key of their slot, each with the way to its slot."""
    return tuple(Problem(slot_id(key), f"{slot_name(key)}{colon()}{message}") for key, message in refused.items())


_REASONS = {
    State.SUBMITTED_FOR_REVIEW: gettext_noop(
        "It is waiting for review. If something needs to change, we will return it to you."
    ),
    State.IN_REVIEW: gettext_noop("It is being reviewed. If something needs to change, we will return it to you."),
    State.SUBMITTED_TO_CSP: gettext_noop("It has been approved and is with the registry."),
    State.INCORPORATED: gettext_noop("It has been incorporated."),
    State.REJECTED: gettext_noop("It was declined."),
    State.WITHDRAWN: gettext_noop("It was withdrawn."),
}


def read_only_reason(application: Application, *, is_accepted: bool = False) -> str:
    """One or two sentences on why nothing can be changed; empty while it can.

    `is_accepted` says that our reviewer has accepted all that the page asks.
    """
    if application.can_be_changed:
        words = gettext("Our reviewer has accepted this. You can’t change it while you correct the rest.")
        return words if is_accepted else ""
    if application.is_open:
        return gettext("You can only read this application. Ask its owner if you need to edit it.")
    submitted = application.submitted_at
    when = gettext("You submitted this application on {day}.").format(day=formats.day(submitted)) if submitted else ""
    reason = gettext(_REASONS[application.status]) if application.status in _REASONS else ""
    sentences = (when, reason, gettext("These are the current answers."))
    return " ".join(sentence for sentence in sentences if sentence)


@dataclass(frozen=True, slots=True)
class ApplicationPage:
    """What every page of an application has: what is formed, why it is read-only, and the way to its other pages."""

    draft: Draft

    # Whether questions are read back once they are complete.
    folds: ClassVar[bool] = False

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def reference(self) -> str:
        return self.draft.application.reference

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return read_only_reason(self.draft.application)

    @cached_property
    def party_limit(self) -> str:
        """Say that nobody can be added any more; "" while somebody can."""
        room = services.party_room(self.draft)
        return "" if room > 0 else f"{services.TooManyParties(self.draft.application.status, room=room)}."

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def shares_url(self) -> str:
        return self._url("shares")

    def _url(self, view: str, *more: object) -> str:
        """The address of a view of the application."""
        return reverse(f"portal:{view}", args=[self.reference, *more])


class FormPage(ApplicationPage):
    """A page of an application with a form."""

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def version(self) -> int:
        """The version of the answers, which rises with every save. A post names the version that it was made from."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ConfirmPage(ApplicationPage):
    """The question whether to remove, delete, withdraw or copy something; templates/portal/confirmation.html asks it.

    `back_url` is where it came from: who says no goes there.
    """

    back_url: str
    back_label: str

    @property
    def is_open(self) -> bool:
        """Whether it may be done at all; the view asks of what isn't a removal."""
        return True


def customer_name(who: User | None) -> str:
    """The name of a customer; empty for nobody, for one without a name, and for everybody at the desk."""
    return "" if who is None or who.is_agent else who.get_full_name()
