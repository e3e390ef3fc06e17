"""Rules across answers by chance, for any schema: as a provider could state them of its own questions."""

import random
from collections.abc import Mapping
from typing import Any

from formation_portal.contract.catalog import parse_catalog
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.validations import word_of

_COUNT = 8
_LEVELS = ("error", "advice")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def with_random_rules(item: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a catalog item that states a few more rules, of both levels and at any place."""
    [parsed] = parse_catalog([item])
    form: FormSchema = parsed.form  # type: ignore[union-attr]
    rules = [_rule(form, chance, number) for number in range(_COUNT)]
    schema = item["schema"]
    return {**item, "schema": {**schema, "validations": [*schema["validations"], *rules]}}


def _rule(form: FormSchema, chance: random.Random, number: int) -> dict[str, Any]:
    expression = _atom(form, chance)
    for _ in range(chance.randrange(3)):
        other = _atom(form, chance)
        joined = chance.choice(("({} || {})", "({} && {})", "({} ? {} : true)", "({1} || !({0}))"))
        expression = joined.format(expression, other)
    level = _LEVELS[number % 2]
    place = {"section": chance.choice(form.sections).scope}
    if chance.random() < 0.5:
        place = {"field": chance.choice(form.entity_fields).name}
    return {"rule": expression, "message": f"Rule {number} of level {level}", "level": level, **place}


def _atom(form: FormSchema, chance: random.Random) -> str:
    """Return an expression that is true, false or not judged, and has at most one macro."""
    makers = [_about_entity, _about_entity, _about_parties, _about_parties]
    if form.share_section:
        makers.append(_about_shares)
    return chance.choice(makers)(form, chance)


def _about_entity(form: FormSchema, chance: random.Random) -> str:
    spec = chance.choice([spec for spec in form.entity_fields if not spec.provided_by_agent])
    return _about_answer(spec, "entity", chance)


def _about_parties(form: FormSchema, chance: random.Random) -> str:
    section = chance.choice(form.role_sections)
    specs = [spec for group in section.groups.values() for spec in group if not spec.refers_to_share_class]
    in_role = f'"{section.role}" in p.roles'
    about = chance.choice((f'p.kind == "{chance.choice(("person", "corporate"))}"', "p.age > 30", in_role))
    if specs and chance.random() < 0.6:
        about = _about_answer(chance.choice(specs), "p.answers", chance)
    word = chance.choice([f'["{word_of(spec)}"]' for spec in specs] or [".email"])
    return chance.choice(
        (
            f"parties.{chance.choice(('all', 'exists', 'exists_one'))}(p, !({in_role}) || {about})",
            f"parties.exists(p, {in_role} && {about})",
            f"size(parties.filter(p, {in_role})) {chance.choice(_COMPARISONS)} {chance.randrange(4)}",
            f"size(distinct(parties.map(p, p.answers{word}))) == size(parties)",
            f"size(parties.map(p, p.kind)) > {chance.randrange(5)}",
        )
    )


def _about_shares(form: FormSchema, chance: random.Random) -> str:
    return chance.choice(
        (
            f"sum(holdings.map(h, h.shares)) > {chance.choice((99.9, 199.9, 3000.0))}",
            "holdings.all(h, h.shares >= 200)",
            "size(share_classes) == 1",
            'share_classes.all(c, c.currency == "USD" && c.par_value < 2.0)',
            "share_classes.exists(c, c.voting_rights)",
            "size(distinct(holdings.map(h, h.party))) == size(holdings)",
        )
    )


def _about_answer(spec: FieldSpec, answers: str, chance: random.Random) -> str:
    """Return an expression about the answer to a question among the answers of the entity or of a party."""
    word = word_of(spec)
    value = f'{answers}["{word}"]'
    comparison = chance.choice(_COMPARISONS)
    expressions = [f'"{word}" in {answers}', f'!("{word}" in {answers})', f"{value} != 0"]
    if spec.options:
        option = _text(chance.choice(spec.options))
        expressions = [f"{option} in {value}" if spec.many else f"{value} {chance.choice(('==', '!='))} {option}"]
    elif spec.field_type == "boolean":
        expressions = [value, f"!{value}"]
    elif spec.field_type == "number":
        expressions = [f"{value} {comparison} {chance.choice((3.0, 24.0, 50.0))}"]
    elif spec.field_type == "currency_amount":
        expressions = [f"{value}.amount {comparison} 50000.0", f'{value}.currency == "USD"']
    elif spec.field_type == "date":
        expressions = [f"{value} {comparison} {chance.choice(('today', _text('2000-01-01')))}"]
    elif spec.field_type == "address":
        expressions = [f'{value}.country == "CH"', f'"region" in {value}']
    elif spec.field_type in ("text", "textarea"):
        expressions.append(f"size({value}) {comparison} 9")
        expressions.append(f'{value}.matches("[0-9]$")')
    return chance.choice(expressions)


def _text(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
