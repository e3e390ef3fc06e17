"""Make an application from a post of the workbench: unsaved models, which the customers' code can evaluate."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Document, Holding, Party, SectionAnswers, ShareClass
from formation_portal.applications.services.shares import MAX_NUMBER_LENGTH, parse_shares
from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec, quote_key
from formation_portal.contract.schema import FormSchema, Section
from formation_portal.ui.forms.controls import control_id, slot_key

# The most parties and share classes that fit on the page.
MAX_PARTIES_SHOWN = 12
MAX_CLASSES = 6
# The names of controls. UPLOADED lists the documents to count as uploaded.
PARTY = "party"
SHARE_CLASS = "class"
ADD = "add"
REMOVE = "remove"
UPLOADED = "document"
# Suffix of the control that lists the roles drawn for a party.
DRAWN = ":drawn"


def control_name(part: int | str, spec: FieldSpec) -> str:
    """Return the name of a question's control. `part` is the position of a section about the entity, since two
    sections may share a key, or the token of a party or share class; a party's roles share controls of one name."""
    if isinstance(part, int):
        return f"s{part}:q:{quote_key(spec.key)}"
    return f"{part}:q:{quote_key(spec.name)}"


def shares_control(party: str, share_class: str) -> str:
    return f"shares:{party}:{share_class}"


def posted_draft(item: CatalogItem, post: QueryDict) -> Draft:
    """Make the application that a post describes; an empty application for an empty post."""
    application = Application(
        reference="FP-0000-0000-0000",
        product_id=item.jurisdiction_product_id,
        product=item.model_dump(mode="json", exclude={"form", "document"}),
    )
    draft = Draft(application, schema=item.form, today=timezone.localdate())
    draft.party_models = list(_parties(item.form, post))
    share_classes = []
    for token in _tokens(post, SHARE_CLASS, "class", most=MAX_CLASSES):
        raw = _posted(item.form.share_class_fields, post, token)
        share_classes.append(ShareClass(application=application, token=token, raw=raw))
    draft.share_class_models = share_classes
    if sections := item.form.entity_sections:
        raw = _entity_answers(item.form, post)
        draft.sections[sections[0].key] = SectionAnswers(application=application, section_key=sections[0].key, raw=raw)
    for party in draft.party_models:
        for share_class in draft.share_class_models:
            typed = post.get(shares_control(party.token, share_class.token), "").strip()[:MAX_NUMBER_LENGTH]
            if typed:
                holding = Holding(application=application, typed=typed, shares=parse_shares(typed))
                draft.holdings[party.token, share_class.token] = holding
    draft.documents = list(_documents(draft, frozenset(post.getlist(UPLOADED))))
    draft.invalidate()
    return draft


def asked_once(form: FormSchema) -> Iterator[tuple[int, Section, tuple[FieldSpec, ...]]]:
    """Yield each section about the entity with its position and its questions, except the questions that an earlier
    section always asks."""
    always: set[str] = set()
    for place, section in enumerate(form.entity_sections):
        specs = tuple(spec for spec in section.fields if spec.name not in always)
        yield place, section, specs
        if section.depends_on is None:
            always |= {spec.name for spec in specs if spec.depends_on is None}


def _entity_answers(form: FormSchema, post: QueryDict) -> dict[str, Any]:
    """Read the answers about the entity. If two questions share an answer, the visible question counts."""
    visible_regions = frozenset(post.getlist("shown"))
    hidden: dict[str, Any] = {}
    visible: dict[str, Any] = {}
    for place, section, specs in asked_once(form):
        # Adjacent questions with one rule form a region of the page, named by the first of them.
        for rule, run in groupby(specs, key=lambda spec: spec.depends_on):
            region = tuple(run)
            region_id = f"region-{control_id(control_name(place, region[0]))}"
            answers = _posted(region, post, place)
            if (rule or section.depends_on) is None or region_id in visible_regions:
                visible |= answers
            else:
                hidden |= answers
    return hidden | visible


def _parties(form: FormSchema, post: QueryDict) -> Iterator[Party]:
    for token in _tokens(post, PARTY, *canonical.PARTY_KINDS, most=MAX_PARTIES_SHOWN):
        kind = token.rpartition("-")[0]
        chosen = set(post.getlist(f"{token}:roles"))
        if token not in post.getlist(PARTY):
            chosen.add(post.get(ADD, "").partition(":")[2])
        roles = [section.role for section in form.role_sections if section.role and section.role in chosen]
        roles = list(dict.fromkeys(roles))
        yield Party(token=token, kind=kind, roles=roles, raw=_posted(form.fields_of(kind, roles), post, token))


def _tokens(post: QueryDict, control: str, *kinds: str, most: int) -> list[str]:
    """Return the tokens, like `person-2`, that the page shows after any addition and removal that the post asks for."""
    pattern = re.compile(rf"(?:{'|'.join(kinds)})-[0-9]{{1,3}}")
    tokens = [token for token in dict.fromkeys(post.getlist(control)) if pattern.fullmatch(token)][:most]
    kind = post.get(ADD, "").partition(":")[0]
    if kind in kinds and len(tokens) < most:
        highest = max((int(token.rpartition("-")[2]) for token in tokens), default=0)
        tokens.append(f"{kind}-{highest + 1}")
    return [token for token in tokens if token != post.get(REMOVE)]


def _posted(specs: Iterable[FieldSpec], post: QueryDict, part: int | str) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    for spec in specs:
        if spec.provided_by_agent or raw.get(spec.name):
            continue
        answer = spec.resolve_exclusive(spec.from_post(post, control_name(part, spec)), None)
        if answer is not None:
            raw[spec.name] = answer
    return raw


def _documents(draft: Draft, uploaded: frozenset[str]) -> Iterator[Document]:
    example: dict[str, Any] = {"application": draft.application, "name": "example.pdf", "mime_type": "application/pdf"}
    for slot in draft.form_state.slots():
        if slot_key(None, slot.name) in uploaded:
            yield Document(slot=slot.name, **example)
    for party in draft.parties:
        for slot in draft.form_state.slots(party.record):
            if slot_key(party.token, slot.name) in uploaded:
                yield Document(party=party.model, slot=slot.name, **example)
