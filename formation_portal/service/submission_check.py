"""Read an entity's record by the contract: its needs before it can be submitted (supplement, "Entities"), and its
values outside bounds (supplement, "Bounds").

The portal judges by the same contract, so that the two cannot differ.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import Days
from formation_portal.contract.needs import Need, needs
from formation_portal.contract.record import Holding, Party, Record, ShareClass, validate
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.service import models
from formation_portal.service.entity_forms import parsed_form, property_path
from formation_portal.service.parsing import ParsedAnswers
from formation_portal.service.problems import ErrorDetail, pointer, raise_if_any


def missing_for_submission(entity: models.Entity) -> list[ErrorDetail]:
    """One error for each thing that is still needed; with none, the entity can be submitted."""
    form = parsed_form(entity.form)
    record = record_of(entity, form)
    return [_error_detail(form, need) for need in needs(form, record)]


def refuse_impossible_values(
    entity: models.Entity, holder: models.Party | models.ShareClass | None, answers: ParsedAnswers
) -> None:
    """Raise 422 for each new answer outside the bounds of an active section that asks for it.

    `holder`, or the entity for None, has the new answers already and need not be saved.
    """
    if not answers.bounded:
        return
    form = parsed_form(entity.form)
    record = record_of(entity, form)
    classes = frozenset(row.id for row in record.share_classes)
    contract_holder: Party | ShareClass | None = None
    if isinstance(holder, models.Party):
        contract_holder = _party(holder, form, classes)
    elif holder is not None:
        contract_holder = _share_class(holder, form)
    problems = evaluate(form, record).impossible_answers(contract_holder)
    raise_if_any(
        ErrorDetail(answers.bounded[name], problem.code, problem.message, name)
        for name, problem in problems.items()
        if name in answers.bounded
    )


def record_of(entity: models.Entity, form: FormSchema) -> Record:
    """All that the entity says, in a fixed number of queries."""
    classes = tuple(entity.share_classes.order_by("created_at", "id"))
    parties = tuple(entity.parties.order_by("created_at", "id"))
    holdings = models.Shareholding.objects.filter(party__entity=entity)
    known = frozenset(row.id for row in classes)
    raw = canonical.raw_answers(form.entity_fields, entity.properties, entity.csp_data, of_entity=True)
    return Record(
        answers=validate(form.entity_fields, _without_removed_classes(form.entity_fields, raw, known)),
        parties=tuple(_party(row, form, known) for row in parties),
        share_classes=tuple(_share_class(row, form) for row in classes),
        holdings=tuple(Holding(row.party_id, row.share_class_id, row.shares_held) for row in holdings),
        documents=frozenset(entity.documents.values_list("party_id", "document_key")),
        days=Days.at(entity.first_submitted_at or timezone.now()),
    )


def _party(row: models.Party, form: FormSchema, classes: frozenset[str]) -> Party:
    fields = form.fields_of(row.party_type, row.roles)
    raw = _without_removed_classes(fields, canonical.raw_answers(fields, row.properties, row.csp_data), classes)
    return Party(
        id=row.id,
        kind=row.party_type,
        roles=tuple(row.roles),
        answers=validate(fields, raw),
        label=canonical.label_of(row.properties),
    )


def _share_class(row: models.ShareClass, form: FormSchema) -> ShareClass:
    raw = canonical.raw_answers(form.share_class_fields, row.properties, row.csp_data)
    return ShareClass(id=row.id, answers=validate(form.share_class_fields, raw), label=row.name)


def _without_removed_classes(
    fields: Iterable[FieldSpec], raw: Mapping[str, Any], classes: frozenset[str]
) -> dict[str, Any]:
    """The answers without references to share classes that have been removed since."""
    lost = {spec.name for spec in fields if spec.refers_to_share_class and raw.get(spec.name) not in classes}
    return {name: value for name, value in raw.items() if name not in lost}


def _error_detail(form: FormSchema, need: Need) -> ErrorDetail:
    named = {
        "section": need.section,
        "party_id": need.party_id,
        "share_class_id": need.share_class_id,
        "slot": need.slot,
    }
    return ErrorDetail(
        pointer=_pointer(form, need),
        field=need.field,
        code=need.code,
        detail=need.text,
        where={name: value for name, value in named.items() if value is not None},
    )


def _pointer(form: FormSchema, need: Need) -> str:
    if need.party_id:
        fields = [spec for section in form.role_sections for group in section.groups.values() for spec in group]
        return pointer("parties", need.party_id, *_steps(fields, need))
    if need.share_class_id:
        return pointer("share_classes", need.share_class_id, *_steps(form.share_class_fields, need))
    if need.code in ("minimum", "too_many_parties", "total_short", "total_exceeded"):
        return pointer("parties")
    if need.code == "share_class":
        return pointer("share_classes")
    return pointer(*_steps(form.entity_fields, need, path_of=canonical.path_of))


def _steps(fields: Iterable[FieldSpec], need: Need, *, path_of: Any = property_path) -> tuple[str, ...]:
    if need.slot:
        return ("documents", need.slot)
    if need.code == "holding":
        return ("shareholdings",)
    if need.field is None:
        return ("roles",)
    spec = next((spec for spec in fields if spec.name == need.field), None)
    if spec is None or not spec.canonical_field:
        return ("csp_data", need.field)
    steps: tuple[str, ...] = path_of(spec.canonical_field)
    return steps
