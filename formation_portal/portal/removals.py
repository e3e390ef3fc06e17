"""Remove a party, share class, holding or document, after a page that says what goes with it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

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
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.applications.readback import number_of_shares
from formation_portal.applications.stored_rows import token_of
from formation_portal.contract import canonical
from formation_portal.contract.localisation import join_list, ngettext
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import ResourceKind, shareholding_subject
from formation_portal.ui.documents import documents_url
from formation_portal.ui.roles import role_words

from .lookups import get_document_or_404, get_draft_or_404, get_party_or_404, get_share_class_or_404
from .pages import ConfirmPage
from .refusals import refusals_as_messages

_STAYS = gettext_noop(
    "The formation service may already have this and can’t delete it automatically. Our team "
    "will ask for it to be removed."
)


@dataclass(frozen=True, kw_only=True)
class RemovalPage(ConfirmPage):
    """The question whether to remove a record, with the consequences and the needs that would arise."""

    name: str
    facts: str = ""
    consequences: Sequence[str]
    needed: Sequence[str]


def _new_needs(draft: Draft, record: Record) -> list[str]:
    """Return the texts of the needs that a removal would add; `record` is the application's record after it."""
    texts = {need.text for need in draft.needs}
    return [need.text for need in needs(draft.schema, record) if need.text not in texts]


def _delivered_words(draft: Draft, kind: ResourceKind, token: str) -> list[str]:
    """Return the sentence that the service may keep its copy until our team asks for the removal, if so."""
    return [gettext(_STAYS)] if deliveries_of(draft.application).cannot_be_removed(kind, token) else []


@contextmanager
def removal_as_message(request: HttpRequest, name: str, count: int = 1) -> Iterator[None]:
    """Add a message that the record was removed, or why not."""
    with refusals_as_messages(request):
        yield
        messages.success(request, ngettext("{name} was removed.", "{name} were removed.", count, name=name))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    if request.method == "POST":
        with removal_as_message(request, party.label):
            services.remove_party(draft, party, by=request.user)
        return redirect("portal:people", reference=reference)
    page = RemovalPage(
        draft,
        back_url=reverse("portal:people", args=[reference]),
        back_label=gettext("People"),
        name=party.label,
        facts=role_words(party.roles),
        consequences=_party_consequences(draft, party),
        needed=_new_needs(draft, draft.record_without(token)),
    )
    return render(request, "portal/removal.html", {"page": page})


def _party_consequences(draft: Draft, party: PartyRow) -> list[str]:
    sentences: list[str] = []
    if accepted := len(locks_of(draft).answers_of(party.token)):
        sentences.append(
            ngettext(
                "Our reviewer has accepted {count} answer here. If you add a replacement, we will check it again.",
                "Our reviewer has accepted {count} answers here. If you add a replacement, we will check it again.",
                accepted,
            )
        )
    labels = draft.labels
    for (_, class_token), holding in draft.holdings_of(party.token).items():
        values = {"number": number_of_shares(holding), "name": labels[class_token]}
        sentences.append(gettext("Holds {number} “{name}” shares. They will be unallocated.").format(**values))
    for company in companies_owned_by(draft, party, typed_stakes(draft)):
        sentence = gettext("Owns part of {name}. That part will have no known owner.")
        sentences.append(sentence.format(name=company.label))
    for document in draft.documents_of(party).values():
        values = {"file": document.name, "slot": draft.slot_words(document.slot)}
        sentences.append(gettext("“{file}” ({slot})").format(**values))
    sentences.append(
        gettext(
            "You can restore it all under “People and companies” until you submit. After that it is permanently "
            "deleted."
        )
    )
    return sentences + _delivered_words(draft, ResourceKind.PARTY, party.token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    share_class = get_share_class_or_404(draft, token)
    if request.method == "POST":
        with removal_as_message(request, share_class.label):
            services.remove_share_class(draft, share_class, by=request.user)
        return redirect("portal:shares", reference=reference)
    record = replace(
        draft.record,
        share_classes=tuple(row for row in draft.record.share_classes if row.id != token),
        holdings=tuple(holding for holding in draft.record.holdings if holding.share_class_id != token),
    )
    page = RemovalPage(
        draft,
        back_url=reverse("portal:shares", args=[reference]),
        back_label=gettext("Shares"),
        name=share_class.label,
        consequences=_share_class_consequences(draft, share_class),
        needed=_new_needs(draft, record),
    )
    return render(request, "portal/removal.html", {"page": page})


def _share_class_consequences(draft: Draft, share_class: ShareClassRow) -> list[str]:
    sentences: list[str] = []
    labels = draft.labels
    for (party_token, token), holding in draft.holdings.items():
        if token == share_class.token:
            values = {"name": labels[party_token], "number": number_of_shares(holding)}
            sentences.append(gettext("{name} holds {number} of its shares.").format(**values))
    for label, spec in draft.answers_naming(share_class):
        sentence = gettext("{who}: you will need to answer “{label}” again.")
        sentences.append(sentence.format(who=label or draft.title, label=spec.label))
    return sentences + _delivered_words(draft, ResourceKind.SHARE_CLASS, share_class.token)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def holding_removal(request: UserRequest, reference: str, party: str, share_class: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    holder = get_party_or_404(draft, party)
    row = get_share_class_or_404(draft, share_class)
    pair = (holder.token, row.token)
    holdings = draft.holdings_of(holder.token)
    if pair not in holdings:
        raise Http404
    count = holdings[pair].shares or 2
    name = ngettext(
        "{number} “{name}” share of {who}",
        "{number} “{name}” shares of {who}",
        count,
        number=number_of_shares(holdings[pair]),
        name=row.label,
        who=holder.label,
    )
    if request.method == "POST":
        with removal_as_message(request, name, count):
            services.save_holdings(draft, {pair: ""}, by=request.user)
        return redirect("portal:shares", reference=reference)
    consequences: list[str] = []
    if not any(holding.shares for other, holding in holdings.items() if other != pair):
        consequences.append(gettext("{who} will hold no shares.").format(who=holder.label))
    others = [other for other in draft.record.holdings if (other.party_id, other.share_class_id) != pair]
    page = RemovalPage(
        draft,
        back_url=reverse("portal:shares", args=[reference]),
        back_label=gettext("Shares"),
        name=name,
        consequences=consequences + _delivered_words(draft, ResourceKind.SHAREHOLDING, shareholding_subject(*pair)),
        needed=_new_needs(draft, replace(draft.record, holdings=tuple(others))),
    )
    return render(request, "portal/removal.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def document_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Remove a document, and return to the list of documents; with `?next=page`, to the page that asks for it."""
    draft = get_draft_or_404(request, reference)
    document = get_document_or_404(draft, number)
    token = token_of(document.party) or ""
    back_url = documents_url(draft, token)
    back_label = gettext("Documents")
    if request.GET.get("next") == "page":
        if party := draft.party(token):
            back_url = reverse("portal:party", args=[reference, token])
            back_label = party.label
        for slot in draft.form_state.slots():
            if slot.name == document.slot and not token:
                back_url = reverse("portal:section", args=[reference, slot.section.key])
                back_label = slot.section.title
    if request.method == "POST":
        with removal_as_message(request, document.name):
            services.remove_document(draft, document, by=request.user)
        return redirect(back_url)
    return ask_about_document(request, draft, document, back_url, back_label)


def ask_about_document(
    request: HttpRequest, draft: Draft, document: Document, back_url: str, back_label: str
) -> HttpResponse:
    token = token_of(document.party)
    party = draft.party(token or "")
    slot = draft.slot_words(document.slot)
    whom = party.label if party else draft.title
    consequences: list[str] = []
    needed: list[str] = []
    if document.replaced_at:
        facts = gettext("An earlier file for “%(slot)s” of %(whom)s. The current file is kept.")
        facts %= {"slot": slot, "whom": whom}
    else:
        facts = gettext("“{slot}” of {who}").format(slot=slot, who=whom)
        consequences = _document_consequences(draft, document, party)
        documents = draft.record.documents - {(token, document.slot)}
        needed = _new_needs(draft, replace(draft.record, documents=documents))
    page = RemovalPage(
        draft,
        back_url=back_url,
        back_label=back_label,
        name=document.name,
        facts=facts,
        consequences=consequences,
        needed=needed,
    )
    return render(request, "portal/removal.html", {"page": page})


def _document_consequences(draft: Draft, document: Document, party: PartyRow | None) -> list[str]:
    sentences: list[str] = []
    if party:
        roles: list[str] = []
        for section in draft.schema.sections_for(party.kind, party.roles):
            names = {slot.name for slot in section.slots(party.kind)}
            if document.slot in names and draft.form_state.section_activation(section).active:
                roles.append(canonical.role_word(section.role or ""))
        if len(roles) > 1:
            sentence = gettext("This one document is used for all these roles: {roles}.")
            sentences.append(sentence.format(roles=join_list(roles)))
    return sentences + _delivered_words(draft, ResourceKind.DOCUMENT, document.subject)
