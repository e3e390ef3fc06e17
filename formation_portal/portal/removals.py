"""Removing a party, a share class, a holding or a document: one page that asks, and says what refers to it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Document
from formation_portal.applications.ownership_stakes import companies_owned_by, typed_stakes
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import number_of_shares
from formation_portal.contract import canonical
from formation_portal.contract.localisation import join_list, ngettext
from formation_portal.contract.needs import Need, needs, needs_of_entity, needs_of_party
from formation_portal.contract.rules import evaluate
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import ResourceKind, shareholding_subject
from formation_portal.ui.documents import documents_url
from formation_portal.ui.roles import role_words

from .lookups import get_document_or_404, get_draft_or_404, get_party_or_404, get_share_class_or_404
from .pages import ConfirmPage

_STAYS = gettext_noop(
    "The formation service may already have this and can’t delete it automatically. Our team "
    "will ask for it to be removed."
)


@dataclass(frozen=True, kw_only=True)
class RemovalPage(ConfirmPage):
    """The question whether to remove something.

    `consequences` says what refers to it and what goes with it; `count` is of how many things the name tells; `lacking`
    finds what is needed then and isn't now.
    """

    name: str
    facts: str = ""
    consequences: Sequence[str]
    lacking: Callable[[], list[str]]
    count: int = 1

    @property
    def is_open(self) -> bool:
        return self.draft.application.can_be_changed

    @cached_property
    def needed(self) -> list[str]:
        """What is needed then and isn't now."""
        return self.lacking()

    @property
    def done(self) -> str:
        """That it is removed."""
        return ngettext("{name} was removed.", "{name} were removed.", self.count, name=self.name)


def _stays(draft: Draft, kind: ResourceKind, token: str) -> list[str]:
    """That the service keeps the thing until somebody asks for its removal, where that is so."""
    return [gettext(_STAYS)] if deliveries_of(draft.application).cannot_be_removed(kind, token) else []


def _new(then: Iterable[Need], now: Iterable[Need]) -> list[str]:
    """What is needed then and isn't now, in words."""
    known = {need.text for need in now}
    return [need.text for need in then if need.text not in known]


def _lacking_without_party(draft: Draft, party: PartyRow) -> list[str]:
    """Return the needs that arise once the party is removed, such as roles that then have too few."""
    return _new(needs(draft.schema, draft.record_without(party.token)), draft.needs)


def _lacking_without_shares(draft: Draft, holder: PartyRow, *, had_some: bool, has_others: bool) -> list[str]:
    """What the holder of some shares needs without them; nobody else needs any more."""
    then = needs_of_party(draft.form_state, holder.record, has_shares=has_others)
    return _new(then, needs_of_party(draft.form_state, holder.record, has_shares=had_some))


def _lacking_without_document(draft: Draft, party: PartyRow | None, slot: str) -> list[str]:
    """What the party, or the entity, needs without its file in a slot; nobody else needs any more."""
    token, state = party.token if party else None, draft.form_state
    record = replace(draft.record, documents=draft.record.documents - {(token, slot)})
    without = evaluate(draft.schema, record)
    if party is None:
        return _new(needs_of_entity(without), needs_of_entity(state))
    return _new(
        needs_of_party(without, party.record, has_shares=True), needs_of_party(state, party.record, has_shares=True)
    )


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A party: its roles, holdings and documents, and the roles that then have too few."""
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    gone = draft.references_to_party(token)
    classes = {row.model.pk: row.label for row in draft.share_classes}
    consequences: list[str] = []
    if accepted := len(locks_of(draft).answers_of(token)):
        consequences.append(
            ngettext(
                "Our reviewer has accepted {count} answer here. If you add a replacement, we will check it again.",
                "Our reviewer has accepted {count} answers here. If you add a replacement, we will check it again.",
                accepted,
            )
        )
    for one in gone.holdings:
        number, name = number_of_shares(one), classes[one.share_class_id]
        consequences.append(
            gettext("Holds {number} “{name}” shares. They will be unallocated.").format(number=number, name=name)
        )
    for company in companies_owned_by(draft, party, typed_stakes(draft)):
        consequences.append(
            gettext("Owns part of {name}. That part will have no known owner.").format(name=company.label)
        )
    consequences += [
        gettext("“{file}” ({slot})").format(file=one.name, slot=draft.slot_words(one.slot)) for one in gone.documents
    ]
    consequences.append(
        gettext(
            "You can restore it all under “People and companies” until you submit. After that it is permanently "
            "deleted."
        )
    )
    page = RemovalPage(
        draft=draft,
        back_url=reverse("portal:people", args=[reference]),
        back_label=gettext("People"),
        name=party.label,
        facts=role_words(party.roles),
        consequences=consequences + _stays(draft, ResourceKind.PARTY, token),
        lacking=lambda: _lacking_without_party(draft, party),
    )
    return ask_or_remove(request, page, lambda: services.remove_party(draft, party, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A class of shares: who holds some of it, and which answers name it."""
    draft = get_draft_or_404(request, reference)
    share_class = get_share_class_or_404(draft, token)
    gone = draft.references_to_share_class(token)
    names = {row.model.pk: row.label for row in draft.parties}
    held = [
        gettext("{name} holds {number} of its shares.").format(name=names[one.party_id], number=number_of_shares(one))
        for one in gone.holdings
    ]
    answers = [
        gettext("{who}: you will need to answer “{label}” again.").format(who=label or draft.title, label=spec.label)
        for label, spec in gone.answers
    ]
    without = replace(
        draft.record,
        share_classes=tuple(one for one in draft.record.share_classes if one.id != token),
        holdings=tuple(one for one in draft.record.holdings if one.share_class_id != token),
    )
    page = RemovalPage(
        draft=draft,
        back_url=reverse("portal:shares", args=[reference]),
        back_label=gettext("Shares"),
        name=share_class.label,
        consequences=[*held, *answers, *_stays(draft, ResourceKind.SHARE_CLASS, token)],
        lacking=lambda: _new(needs(draft.schema, without), draft.needs),
    )
    return ask_or_remove(request, page, lambda: services.remove_share_class(draft, share_class, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def holding_removal(request: UserRequest, reference: str, party: str, share_class: str) -> HttpResponse:
    """The shares of one class that a party holds: how many they are, and whether their holder then has none."""
    draft = get_draft_or_404(request, reference)
    holder, held = get_party_or_404(draft, party), get_share_class_or_404(draft, share_class)
    pair, own = (holder.token, held.token), draft.holdings_of(holder.token)
    if pair not in own:
        raise Http404
    holding = own[pair]
    count = holding.shares or 2
    has_others = any(one.shares for other, one in own.items() if other != pair)
    consequences = [] if has_others else [gettext("{who} will hold no shares.").format(who=holder.label)]
    page = RemovalPage(
        draft=draft,
        back_url=reverse("portal:shares", args=[reference]),
        back_label=gettext("Shares"),
        name=ngettext(
            "{number} “{name}” share of {who}",
            "{number} “{name}” shares of {who}",
            count,
            number=number_of_shares(holding),
            name=held.label,
            who=holder.label,
        ),
        count=count,
        consequences=consequences + _stays(draft, ResourceKind.SHAREHOLDING, shareholding_subject(*pair)),
        lacking=lambda: _lacking_without_shares(
            draft, holder, had_some=has_others or bool(holding.shares), has_others=has_others
        ),
    )
    return ask_or_remove(request, page, lambda: services.save_holdings(draft, {pair: ""}, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def document_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """A file in its slot; `?next=page` leads back to the page that asks for it, else to the list of documents."""
    draft = get_draft_or_404(request, reference)
    found = get_document_or_404(draft, number)
    party = draft.party(found.party.token) if found.party else None
    back = documents_url(draft, party.token if party else ""), gettext("Documents")
    if request.GET.get("next") == "page":
        if party:
            back = reverse("portal:party", args=[reference, party.token]), party.label
        elif slot := next((one for one in draft.form_state.slots() if one.name == found.slot), None):
            back = reverse("portal:section", args=[reference, slot.section.key]), slot.section.title
    page = document_removal_page(draft, found, back=back)
    return ask_or_remove(request, page, lambda: services.remove_document(draft, found, by=request.user))


def document_removal_page(draft: Draft, document: Document, *, back: tuple[str, str]) -> RemovalPage:
    """Whose document it is, and for which roles it is asked."""
    party = draft.party(document.party.token) if document.party else None
    whose, consequences = party.label if party else draft.title, list[str]()
    if document.replaced_at:
        facts = gettext("An earlier file for “%(slot)s” of %(whom)s. The current file is kept.")
        facts %= {"slot": draft.slot_words(document.slot), "whom": whose}
    else:
        facts = gettext("“{slot}” of {who}").format(slot=draft.slot_words(document.slot), who=whose)
        asking = [
            canonical.role_word(section.role or "")
            for section in (draft.schema.sections_for(party.kind, party.roles) if party else ())
            if draft.form_state.section_activation(section).active
            and party
            and document.slot in {one.name for one in section.slots(party.kind)}
        ]
        if len(asking) > 1:
            consequences.append(
                gettext("This one document is used for all these roles: {roles}.").format(roles=join_list(asking))
            )
        consequences += _stays(draft, ResourceKind.DOCUMENT, document.subject)
    return RemovalPage(
        draft=draft,
        back_url=back[0],
        back_label=back[1],
        name=document.name,
        facts=facts,
        consequences=consequences,
        # One that was replaced counts nowhere any more.
        lacking=lambda: [] if document.replaced_at else _lacking_without_document(draft, party, document.slot),
    )


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
