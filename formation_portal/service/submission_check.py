"""Check an entity's record by the contract, for unmet needs and for values outside bounds (INTERFACE.md, "Bounds")."""

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
from formation_portal.service.entity_forms import parsed_form, record_path
from formation_portal.service.parsing import ParsedAnswers, named_by_member
from formation_portal.service.problems import ErrorDetail, pointer, raise_if_any


def missing_for_submission(entity: models.Entity) -> list[ErrorDetail]:
    form = parsed_form(entity.form)
    return [_error_detail(form, need) for need in needs(form, record_of(entity, form))]


def refuse_impossible_values(
    entity: models.Entity, holder: models.Party | models.ShareClass | None, answers: ParsedAnswers
) -> None:
    """Raise 422 for each new answer outside the bounds of an active section that asks for it.

    `holder` (None for the entity) already contains the new answers, and need not be saved yet.
    """
    if not answers.bounded:
        return
    form = parsed_form(entity.form)
    record = record_of(entity, form)
    contract_holder: Party | ShareClass | None = None
    if isinstance(holder, models.Party):
        class_ids = frozenset(share_class.id for share_class in record.share_classes)
        contract_holder = _party(holder, form, class_ids)
    elif holder is not None:
        contract_holder = _share_class(holder, form)
    problems = evaluate(form, record).impossible_answers(contract_holder)
    errors = []
    for name, problem in problems.items():
        answer = answers.bounded.get(name)
        if answer is not None:
            detail = named_by_member(problem.message, label=answer.label, member=answer.member)
            errors.append(ErrorDetail(answer.pointer, problem.code, detail, name))
    raise_if_any(errors)


def record_of(entity: models.Entity, form: FormSchema) -> Record:
    """Read the entity's whole record, in a fixed number of SQL queries."""
    share_classes = tuple(entity.share_classes.order_by("created_at", "id"))
    class_ids = frozenset(row.id for row in share_classes)
    parties = entity.parties.order_by("created_at", "id")
    holdings = models.Shareholding.objects.filter(party__entity=entity)
    raw = canonical.raw_answers(form.entity_fields, entity.properties, entity.csp_data, of_entity=True)
    return Record(
        answers=validate(form.entity_fields, _without_removed_classes(form.entity_fields, raw, class_ids)),
        parties=tuple(_party(row, form, class_ids) for row in parties),
        share_classes=tuple(_share_class(row, form) for row in share_classes),
        holdings=tuple(Holding(row.party_id, row.share_class_id, row.shares_held) for row in holdings),
        documents=frozenset(entity.documents.values_list("party_id", "document_key")),
        days=Days.at(entity.first_submitted_at or timezone.now()),
    )


def _party(row: models.Party, form: FormSchema, class_ids: frozenset[str]) -> Party:
    fields = form.fields_of(row.party_type, row.roles)
    raw = canonical.raw_answers(fields, row.properties, row.csp_data)
    return Party(
        id=row.id,
        kind=row.party_type,
        roles=tuple(row.roles),
        answers=validate(fields, _without_removed_classes(fields, raw, class_ids)),
        label=canonical.label_of(row.properties),
    )


def _share_class(row: models.ShareClass, form: FormSchema) -> ShareClass:
    raw = canonical.raw_answers(form.share_class_fields, row.properties, row.csp_data)
    return ShareClass(id=row.id, answers=validate(form.share_class_fields, raw), label=row.name)


def _without_removed_classes(
    fields: Iterable[FieldSpec], raw: Mapping[str, Any], class_ids: frozenset[str]
) -> dict[str, Any]:
    answers = dict(raw)
    for spec in fields:
        if spec.refers_to_share_class and raw.get(spec.name) not in class_ids:
            answers.pop(spec.name, None)
    return answers


def _error_detail(form: FormSchema, need: Need) -> ErrorDetail:
    ids = {}
    for name in ("section", "party_id", "share_class_id", "slot"):
        if (value := getattr(need, name)) is not None:
            ids[name] = value
    return ErrorDetail(_pointer(form, need), need.code, need.text, need.field, ids)


def _pointer(form: FormSchema, need: Need) -> str:
    if need.party_id:
        fields: list[FieldSpec] = []
        for role_section in form.role_sections:
            for group in role_section.groups.values():
                fields += group
        return pointer("parties", need.party_id, *_steps(fields, need))
    if need.share_class_id:
        return pointer("share_classes", need.share_class_id, *_steps(form.share_class_fields, need))
    is_contradiction = need.code == "contradictory" and need.field is None
    if need.code in ("minimum", "too_many_parties", "total_short", "total_exceeded"):
        return pointer("parties")
    if need.code == "share_class":
        return pointer("share_classes")
    if is_contradiction:
        place = form.section(need.section)
        if place is None or place.is_entity:
            return pointer()
        return pointer("parties" if place.role else "share_classes")
    return pointer(*_steps(form.entity_fields, need, of_entity=True))


def _steps(fields: Iterable[FieldSpec], need: Need, *, of_entity: bool = False) -> tuple[str, ...]:
    if need.slot:
        return ("documents", need.slot)
    if need.code == "holding":
        return ("shareholdings",)
    if need.field is None:
        return ("roles",)
    spec = next((spec for spec in fields if spec.name == need.field), None)
    if spec is None or not spec.canonical_field:
        return ("csp_data", need.field)
    return record_path(spec.canonical_field, of_entity=of_entity)
