"""What the workbench's form posts: the schema, and an application that stands in the post alone.

The application is made of unsaved models under tokens of the page's own, so that every rule and payload is computed by
the same code as a customer's, and no row is written.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import (
    Application,
    Document,
    Holding,
    Party,
    SectionAnswers,
    ShareClass,
)
from formation_portal.applications.services.shares import MAX_NUMBER_LENGTH, parse_shares
from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec, quote_key
from formation_portal.contract.schema import FormSchema, Section
from formation_portal.ui.forms.controls import control_id, slot_key

# People, companies and foundations, and classes of shares, that fit on the page.
MAX_PARTIES_SHOWN = 12
MAX_CLASSES = 6
# The controls: who there is, a new one, one less, files that are taken for uploaded.
PARTY, SHARE_CLASS, ADD, REMOVE, UPLOADED = "party", "class", "add", "remove", "document"
# Ends the control with the roles whose questions a page shows of a party.
DRAWN = ":drawn"
# What is made of a file that is taken for uploaded; the portal itself sends what the customer has chosen.
_FILE_NAME, _FILE_TYPE = "example.pdf", "application/pdf"

Control = Callable[[FieldSpec], str]


def section_control(place: int) -> Control:
    """Names the controls of the entity section that stands at that place: two sections may share a key."""
    return lambda spec: f"s{place}:q:{quote_key(spec.key)}"


def holder_control(token: str) -> Control:
    """Names the controls of a party or class, by the answer: two roles share it."""
    return lambda spec: f"{token}:q:{quote_key(spec.name)}"


def shares_control(party: str, share_class: str) -> str:
    """Names the control with the number of shares of a class that a party holds."""
    return f"shares:{party}:{share_class}"


def posted_draft(item: CatalogItem, post: QueryDict) -> Draft:
    """The application that the post describes, with nothing saved. Without a post it is empty."""
    application = Application(
        reference="FP-0000-0000-0000",
        product_id=item.jurisdiction_product_id,
        product=item.model_dump(mode="json", exclude={"form", "document"}),
    )
    draft = Draft(application, schema=item.form, today=timezone.localdate())
    draft.party_models = list(_parties(item, post))
    draft.share_class_models = [
        ShareClass(
            application=application,
            token=token,
            raw=_posted(item.form.share_class_fields, post, holder_control(token)),
        )
        for token in _tokens(post, SHARE_CLASS, "class", most=MAX_CLASSES)
    ]
    if sections := item.form.entity_sections:
        raw = _entity_answers(item, post)
        draft.sections[sections[0].key] = SectionAnswers(application=application, section_key=sections[0].key, raw=raw)
    for party in draft.party_models:
        for share_class in draft.share_class_models:
            typed = post.get(shares_control(party.token, share_class.token), "").strip()[:MAX_NUMBER_LENGTH]
            if typed:
                held = Holding(application=application, typed=typed, shares=parse_shares(typed))
                draft.holdings[party.token, share_class.token] = held
    draft.documents = list(_documents(draft, frozenset(post.getlist(UPLOADED))))
    draft.invalidate()
    return draft


def asked_once(form: FormSchema) -> Iterator[tuple[int, Section, tuple[FieldSpec, ...]]]:
    """Each section about the entity, with its place and its questions; one that is always asked further up is left out.

    Customers find the same answer on both pages; on one page it would stand twice.
    """
    always: set[str] = set()
    for place, section in enumerate(form.entity_sections):
        specs = tuple(spec for spec in section.fields if spec.name not in always)
        yield place, section, specs
        always |= {spec.name for spec in specs if section.depends_on is None and spec.depends_on is None}


def _entity_answers(item: CatalogItem, post: QueryDict) -> dict[str, Any]:
    """The answers about the entity. Of two questions that share one, the question that the page shows is read last."""
    shown = frozenset(post.getlist("shown"))
    hidden, seen = dict[str, Any](), dict[str, Any]()
    for place, section, specs in asked_once(item.form):
        control = section_control(place)
        # Runs of questions under one rule are a region of the page, which is named by its first.
        for rule, run in groupby(specs, key=lambda spec: spec.depends_on):
            asked = tuple(run)
            is_shown = (rule or section.depends_on) is None or f"region-{control_id(control(asked[0]))}" in shown
            (seen if is_shown else hidden).update(_posted(asked, post, control))
    return hidden | seen


def _parties(item: CatalogItem, post: QueryDict) -> Iterable[Party]:
    for token in _tokens(post, PARTY, *canonical.PARTY_KINDS, most=MAX_PARTIES_SHOWN):
        kind = token.rpartition("-")[0]
        new = post.get(ADD, "").partition(":")[2] if token not in post.getlist(PARTY) else ""
        wanted = {new, *post.getlist(f"{token}:roles")}
        roles = [section.role for section in item.form.role_sections if section.role in wanted]
        roles = list(dict.fromkeys(role for role in roles if role))
        fields = item.form.fields_of(kind, roles)
        yield Party(token=token, kind=kind, roles=roles, raw=_posted(fields, post, holder_control(token)))


def _tokens(post: QueryDict, control: str, *kinds: str, most: int) -> list[str]:
    """Who is on the page, less the one that was removed, and the one that is added: tokens like `person-2`."""
    listed = [token for token in dict.fromkeys(post.getlist(control)) if _is_token(token, kinds)][:most]
    kind = post.get(ADD, "").partition(":")[0]
    if kind in kinds and len(listed) < most:
        taken = {int(token.rpartition("-")[2]) for token in listed}
        listed.append(f"{kind}-{max(taken, default=0) + 1}")
    return [token for token in listed if token != post.get(REMOVE)]


def _is_token(token: str, kinds: Iterable[str]) -> bool:
    kind, _, number = token.rpartition("-")
    return kind in kinds and len(number) < 4 and number.isascii() and number.isdecimal()


def _posted(specs: Iterable[FieldSpec], post: QueryDict, control: Control) -> dict[str, Any]:
    """Answers as typed, by name."""
    raw: dict[str, Any] = {}
    for spec in specs:
        answer = None if spec.provided_by_agent else spec.from_post(post, control(spec))
        answer = spec.resolve_exclusive(answer, None)
        if answer is not None and not raw.get(spec.name):
            raw[spec.name] = answer
    return raw


def _documents(draft: Draft, uploaded: frozenset[str]) -> Iterable[Document]:
    rows = {row.token: row for row in draft.parties}
    for party in (None, *draft.party_models):
        row = rows[party.token] if party else None
        for slot in draft.form_state.slots(row.record if row else None):
            if slot_key(party.token if party else None, slot.name) in uploaded:
                yield Document(
                    application=draft.application,
                    party=party,
                    slot=slot.name,
                    name=_FILE_NAME,
                    mime_type=_FILE_TYPE,
                )
