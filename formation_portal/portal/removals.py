"""Removing a party, a share class, a holding or a document: one page that asks, and says what refers to it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Document, Holding
from formation_portal.applications.ownership_stakes import companies_owned_by, typed_stakes
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import number_of_shares
from formation_portal.contract import canonical
from formation_portal.contract.localisation import gettext, gettext_noop, join_list, ngettext
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.resources import ResourceKind, shareholding_subject
from formation_portal.ui.roles import role_words

from .lookups import get_document_or_404, get_draft_or_404, get_party_or_404, get_share_class_or_404
from .pages import ConfirmPage

_HELD_BY_NO_ONE = gettext_noop("Holds {number} “{name}” shares. They will be unallocated.")
_CAN_RESTORE = gettext_noop(
    "You can restore it all under “People and companies” until you submit. After that it is permanently deleted."
)
_STAYS = gettext_noop(
    "The formation service may already have this and can’t delete it automatically. Our team "
    "will ask for it to be removed."
)


@dataclass(frozen=True, slots=True)
class RemovalPage(ConfirmPage):
    """The question whether to remove something.

    `consequences` says what refers to it and what goes with it, `needed` what is then needed before submitting, `done`
    that it is removed.
    """

    name: str
    facts: str
    consequences: tuple[str, ...]
    needed: tuple[str, ...]
    done: str

    @property
    def is_open(self) -> bool:
        return self.draft.application.can_be_changed


def party_removal_page(draft: Draft, party: PartyRow) -> RemovalPage:
    """The party's roles, holdings and documents, and the roles that then have too few."""
    gone = draft.references_to_party(party.token)
    classes = {row.model.pk: row.label for row in draft.share_classes}
    held = [
        gettext(_HELD_BY_NO_ONE, number=number_of_shares(one), name=classes[one.share_class_id])
        for one in gone.holdings
    ]
    documents = [gettext("“{file}” ({slot})", file=one.name, slot=one.slot) for one in gone.documents]
    owned = [
        gettext("Owns part of {name}. That part will have no known owner.", name=company.label)
        for company in companies_owned_by(draft, party, typed_stakes(draft))
    ]
    count = len(locks_of(draft).answers_of(party.token))
    accepted = [
        ngettext(
            "Our reviewer has accepted {count} answer here. If you add a replacement, we will check it again.",
            "Our reviewer has accepted {count} answers here. If you add a replacement, we will check it again.",
            count,
        )
    ][: bool(count)]
    back = gettext(_CAN_RESTORE)
    after = replace(
        draft.record,
        parties=tuple(one for one in draft.record.parties if one.id != party.token),
        holdings=tuple(one for one in draft.record.holdings if one.party_id != party.token),
        documents=frozenset(one for one in draft.record.documents if one[0] != party.token),
    )
    return _page(
        draft,
        party.label,
        facts=role_words(party.roles),
        consequences=(*accepted, *held, *owned, *documents, back),
        after=after,
        thing=(ResourceKind.PARTY, party.token),
        back=(_url(draft, "people"), gettext("People")),
    )


def share_class_removal_page(draft: Draft, share_class: ShareClassRow) -> RemovalPage:
    """Who holds shares of the class, and which answers name it."""
    gone = draft.references_to_share_class(share_class.token)
    parties = {row.model.pk: row.label for row in draft.parties}
    held = [
        gettext("{name} holds {number} of its shares.", name=parties[one.party_id], number=number_of_shares(one))
        for one in gone.holdings
    ]
    answers = [
        gettext("{who}: you will need to answer “{label}” again.", who=label or draft.title, label=spec.label)
        for label, spec in gone.answers
    ]
    after = replace(
        draft.record,
        share_classes=tuple(one for one in draft.record.share_classes if one.id != share_class.token),
        holdings=tuple(one for one in draft.record.holdings if one.share_class_id != share_class.token),
    )
    return _page(
        draft,
        share_class.label,
        consequences=(*held, *answers),
        after=after,
        thing=(ResourceKind.SHARE_CLASS, share_class.token),
        back=(_url(draft, "shares"), gettext("Shares")),
    )


def holding_removal_page(draft: Draft, party: PartyRow, share_class: ShareClassRow, holding: Holding) -> RemovalPage:
    """How many shares they are, and whether their holder then has none."""
    pair = (party.token, share_class.token)
    others = [one for one in draft.record.holdings if (one.party_id, one.share_class_id) != pair]
    has_others = any(one.party_id == party.token and one.shares for one in others)
    said = {"number": number_of_shares(holding), "name": share_class.label, "who": party.label}
    shares = ngettext(
        "{number} “{name}” share of {who}", "{number} “{name}” shares of {who}", holding.shares or 2, **said
    )
    return _page(
        draft,
        shares,
        count=holding.shares or 2,
        consequences=() if has_others else (gettext("{who} will hold no shares.", who=party.label),),
        after=replace(draft.record, holdings=tuple(others)),
        thing=(ResourceKind.SHAREHOLDING, shareholding_subject(*pair)),
        back=(_url(draft, "shares"), gettext("Shares")),
    )


def document_removal_page(draft: Draft, document: Document, *, back: tuple[str, str]) -> RemovalPage:
    """Whose document it is, and for which roles it is asked."""
    party = draft.party(document.party.token) if document.party else None
    if document.replaced_at:
        return _earlier_file_page(draft, document, party, back)
    key = (party.token if party else None, document.slot)
    return _page(
        draft,
        document.name,
        facts=gettext("“{slot}” of {who}", slot=document.slot, who=party.label if party else draft.title),
        consequences=tuple(_asked_for(draft, party, document.slot)),
        after=replace(draft.record, documents=draft.record.documents - {key}),
        thing=(ResourceKind.DOCUMENT, document.subject),
        back=back,
    )


def _earlier_file_page(draft: Draft, document: Document, party: PartyRow | None, back: tuple[str, str]) -> RemovalPage:
    """A file that counts nowhere any more: nothing is needed without it."""
    facts = gettext("An earlier file for “%(slot)s” of %(whom)s. The current file is kept.")
    return _page(
        draft,
        document.name,
        facts=facts % {"slot": document.slot, "whom": party.label if party else draft.title},
        consequences=(),
        after=draft.record,
        thing=None,
        back=back,
    )


def _asked_for(draft: Draft, party: PartyRow | None, slot: str) -> Iterable[str]:
    """Said only where one document serves several roles."""
    sections = draft.schema.sections_for(party.kind, party.roles) if party else ()
    asking = [
        canonical.role_word(section.role or "")
        for section in sections
        if draft.form_state.section_activation(section).active
        and party
        and slot in {one.name for one in section.slots(party.kind)}
    ]
    if len(asking) > 1:
        yield gettext("This one document is used for all these roles: {roles}.", roles=join_list(asking))


def _page(
    draft: Draft,
    name: str,
    *,
    facts: str = "",
    count: int = 1,
    consequences: Iterable[str],
    after: Record,
    thing: tuple[ResourceKind, str] | None,
    back: tuple[str, str],
) -> RemovalPage:
    stays = (_STAYS,) if thing and deliveries_of(draft.application).cannot_be_removed(*thing) else ()
    # What is needed then and isn't now: the same list as everywhere, for the application without the thing.
    now = {need.text for need in draft.needs}
    return RemovalPage(
        draft,
        *back,
        name=name,
        facts=facts,
        consequences=(*consequences, *stays),
        needed=tuple(need.text for need in needs(draft.schema, after) if need.text not in now),
        done=ngettext("{name} was removed.", "{name} were removed.", count, name=name),
    )


def _url(draft: Draft, view: str) -> str:
    return reverse(f"portal:{view}", args=[draft.application.reference])


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A party, with its holdings and documents."""
    draft = get_draft_or_404(request, reference)
    found = get_party_or_404(draft, token)
    page = party_removal_page(draft, found)
    return ask_or_remove(request, page, lambda: services.remove_party(draft, found, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A class of shares, with its holdings."""
    draft = get_draft_or_404(request, reference)
    found = get_share_class_or_404(draft, token)
    page = share_class_removal_page(draft, found)
    return ask_or_remove(request, page, lambda: services.remove_share_class(draft, found, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def holding_removal(request: UserRequest, reference: str, party: str, share_class: str) -> HttpResponse:
    """The shares of one class that a party holds."""
    draft = get_draft_or_404(request, reference)
    holder, held = get_party_or_404(draft, party), get_share_class_or_404(draft, share_class)
    pair = (holder.token, held.token)
    if pair not in draft.holdings:
        raise Http404
    page = holding_removal_page(draft, holder, held, draft.holdings[pair])
    return ask_or_remove(request, page, lambda: services.save_holdings(draft, {pair: ""}, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def document_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """A file in its slot; `?next=page` leads back to the page that asks for it, else to the list of documents."""
    draft = get_draft_or_404(request, reference)
    found = get_document_or_404(draft, number)
    page = document_removal_page(draft, found, back=_back(request, draft, found))
    return ask_or_remove(request, page, lambda: services.remove_document(draft, found, by=request.user))


def ask_or_remove(request: HttpRequest, page: RemovalPage, remove: Callable[[], object]) -> HttpResponse:
    """Ask; a post removes it, says so and goes back."""
    if request.method != "POST":
        return render(request, "portal/removal.html", {"page": page})
    try:
        remove()
    except (services.Closed, services.Gone) as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, page.done)
    return redirect(page.back_url)


def _back(request: UserRequest, draft: Draft, document: Document) -> tuple[str, str]:
    """Where the question came from: address and name."""
    reference = draft.application.reference
    party = draft.party(document.party.token) if document.party else None
    if request.GET.get("next") != "page":
        return reverse("portal:documents", args=[reference]), gettext("Documents")
    if party is not None:
        return reverse("portal:party", args=[reference, party.token]), party.label
    asking = (slot.section for slot in draft.form_state.slots() if slot.name == document.slot)
    section = next(asking, None)
    if section is None:
        return reverse("portal:documents", args=[reference]), gettext("Documents")
    return reverse("portal:section", args=[reference, section.key]), section.title
