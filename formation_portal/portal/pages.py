"""Build common parts of an application's pages: their order, links to needs, links back, reasons to be read-only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import ClassVar
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.advice import Advice
from formation_portal.contract.catalog import Price
from formation_portal.contract.fields.base import FieldSpec, control_name
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import colon
from formation_portal.contract.needs import Need, Remark
from formation_portal.ui import formats
from formation_portal.ui.documents import documents_url
from formation_portal.ui.forms.controls import Problem, control_id, party_control, slot_id, slot_key, slot_name
from formation_portal.ui.forms.form import QuestionForm

PEOPLE = "people"
SHARES = "shares"
DOCUMENTS = "documents"
CHECK = "check"

PEOPLE_TITLE = gettext_noop("People and companies")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page, or to a place on a page. `query`, in another page's URL, names the page to return to."""

    text: str
    url: str
    query: str = ""
    # The id of the line in a list of needs, and whether an answer has to be corrected rather than added.
    id: str = ""
    is_correction: bool = False
    is_advice: bool = False


def next_step(draft: Draft, view: str, key: str = "") -> Link:
    """Return the link to the next page, in the order of the schema. Missing documents and the check come last.

    Before there is a share class, the form to add it takes the place of the page of shares.
    """
    titles: dict[tuple[str, str], str] = {}
    for section in draft.schema.sections:
        if not section.is_drawn or not draft.form_state.section_activation(section).active:
            continue
        if section.is_entity:
            titles["section", section.key] = section.title
        elif section.is_share_structure:
            titles.setdefault((SHARES, ""), section.title or gettext("Shares"))
        else:
            titles[PEOPLE, ""] = gettext(PEOPLE_TITLE)
    if view == DOCUMENTS or any(draft.missing_documents(party) for party in (None, *draft.parties)):
        titles[DOCUMENTS, ""] = gettext("Documents")
    titles[CHECK, ""] = gettext("Check your answers")
    next_view, next_key = dict(pairwise(titles)).get((view, key), (CHECK, ""))
    reference = draft.application.reference
    if next_view == SHARES and not draft.share_classes and not read_only_reason(draft.application):
        return Link(titles[SHARES, ""], application_url(reference, "share_class_new"))
    return Link(titles[next_view, next_key], application_url(reference, next_view, next_key))


def application_url(reference: str, view: str, key: str = "", **query: str) -> str:
    """Return the URL of a view of an application; `key` names the record that the view shows, if any."""
    return reverse(f"portal:{view}", args=list(filter(None, (reference, key))), query=query)


# Pages with links to questions; after saving, the reader returns to them.
_TITLES: dict[str, Promise] = {
    "check": gettext_lazy("Check your answers"),
    "overview": gettext_lazy("Overview"),
    "status": gettext_lazy("Status"),
}
_MAX_ROW_LENGTH = 400


def return_url(request: HttpRequest, reference: str) -> Link | None:
    place = request.GET.get("next", "")
    if place not in _TITLES:
        return None
    # Quoted, since the row becomes part of a URL.
    row = quote(request.GET.get("row", "")[:_MAX_ROW_LENGTH], safe="")
    url = application_url(reference, place)
    if not row:
        return Link(str(_TITLES[place]), url, f"next={place}")
    # The row is also in the URL's query: not every browser opens a folded part around the target.
    return Link(str(_TITLES[place]), f"{url}?row={row}#{row}", f"next={place}&row={row}")


def need_link(draft: Draft, need: Need, *, back_to: str = "") -> Link:
    """Return the link to where a need can be met; `back_to` names the page to return to after saving."""
    return Link(need.text, need_url(draft, need, back_to=back_to), is_correction=need.is_correction)


def advice_link(draft: Draft, advice: Advice, *, back_to: str = "") -> Link:
    """Return the link to where advice can be followed, likewise."""
    return Link(advice.text, need_url(draft, advice, back_to=back_to), is_advice=True)


def need_url(draft: Draft, need: Remark, *, back_to: str = "") -> str:
    """Return the URL of the control for a need, or of the page where the need can be met."""
    query = {"next": back_to} if back_to else {}
    if need.slot is not None:
        url = documents_url(draft, need.party_id or "", urlencode(query))
        return f"{url}#{slot_id(slot_key(need.party_id, need.slot))}"
    view, key, specs = _page_of_need(draft, need)
    url = application_url(draft.application.reference, view, key, **query)
    for spec in specs:
        if spec.name == need.field:
            name = party_control(spec) if view == "party" else control_name(spec)
            return f"{url}#{control_id(name)}"
    return url


def _page_of_need(draft: Draft, need: Remark) -> tuple[str, str, Sequence[FieldSpec]]:
    """Return the view where a need can be met, the key in its URL, and its questions."""
    section = draft.schema.section(need.section)
    if need.code in ("holding", "over_issued") or (need.party_id and need.share_class_id):
        return SHARES, "", ()
    if need.code == "owners_exceeded":
        return "owners", need.party_id or "", ()
    if need.party_id is not None:
        party = draft.party(need.party_id)
        return "party", need.party_id, draft.schema.fields_of(party.kind, party.roles) if party else ()
    if need.share_class_id is not None and need.field:
        return "share_class", need.share_class_id, draft.schema.share_class_fields
    if section is None:
        return "overview", "", ()
    if section.is_entity:
        return "section", section.key, section.fields
    return SHARES if section.is_share_structure else PEOPLE, "", ()


def need_rows(needs: Iterable[Need], form: QuestionForm | None = None, *, about: str = "") -> tuple[Link, ...]:
    """Return a link for each need, to its control on this page. Texts lose the holder's name (`about`) at the start."""
    links: list[Link] = []
    prefix = f"{about}{colon()}"
    for need in needs:
        text = need.text.removeprefix(prefix)
        if text != need.text:
            text = text[:1].upper() + text[1:]
        place = ""
        if need.slot:
            place = slot_id(slot_key(need.party_id, need.slot))
        elif form and need.field:
            place = form.control_id_of(need.field)
        link = Link(text, "", is_correction=need.is_correction)
        if place:
            link = Link(text, f"#{place}", id=f"need-{place}", is_correction=need.is_correction)
        links.append(link)
    return tuple(links)


def file_problems(refused: Mapping[str, str]) -> tuple[Problem, ...]:
    """Return the errors of refused files (by slot key) for the error summary."""
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
    """Say why nothing can be changed, or "". `is_accepted`: our reviewer has accepted the whole page."""
    if application.can_be_changed and is_accepted:
        return gettext("Our reviewer has accepted this. You can’t change it while you correct the rest.")
    if application.can_be_changed:
        return ""
    if application.is_open:
        return gettext("You can only read this application. Ask its owner if you need to edit it.")
    sentences: list[str] = []
    if application.submitted_at:
        day = formats.day(application.submitted_at)
        sentences.append(gettext("You submitted this application on {day}.").format(day=day))
    if application.status in _REASONS:
        sentences.append(gettext(_REASONS[application.status]))
    sentences.append(gettext("These are the current answers."))
    return " ".join(sentences)


@dataclass(frozen=True)
class ApplicationPage:
    draft: Draft

    # Complete questions are folded, and their answers shown as text.
    folds: ClassVar[bool] = False

    @property
    def reference(self) -> str:
        return self.draft.application.reference

    @property
    def read_only_reason(self) -> str:
        return read_only_reason(self.draft.application)

    @cached_property
    def party_limit(self) -> str:
        """Say that no more parties can be added; "" below the limit."""
        room = services.party_room(self.draft)
        return "" if room > 0 else f"{services.TooManyParties(room)}."

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def shares_url(self) -> str:
        return self._url("shares")

    def _url(self, view: str, key: str = "") -> str:
        return application_url(self.reference, view, key)


class FormPage(ApplicationPage):
    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def version(self) -> int:
        """Return the version of the answers, which rises with every save. A post names its page's version."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConfirmPage(ApplicationPage):
    """The question whether to remove, delete, withdraw or copy something (templates/portal/confirmation.html)."""

    back_url: str
    back_label: str


def customer_name(who: User | None) -> str:
    """Return a customer's name; "" if there is none, for None and for agents."""
    return "" if who is None or who.is_agent else who.get_full_name()


def incorporated_words(product_type: str) -> str:
    """Name the last step of a formation."""
    if formats.entity_word(product_type) == "foundation":
        return gettext("The foundation is incorporated")
    return gettext("The company is incorporated")


def day_words(at: datetime | None) -> str:
    return formats.day(at) if at else ""


def time_words(at: datetime | None) -> str:
    return formats.day_and_time(at) if at else ""


def fees_of(price: Price) -> tuple[str, str]:
    """Return the set-up fee and the annual fee; both "" if the catalog has no price."""
    if not price.is_given:
        return "", ""
    return format_money(price.one_off, price.currency), format_money(price.annual, price.currency)
