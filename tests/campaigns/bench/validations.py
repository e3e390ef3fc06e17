"""What rules across answers cost: a hundred of them with as many parties as there can be, and twenty at a section."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.test import Client

from formation_portal.contract.catalog import CatalogItem
from tests.embedded_catalog import catalog_items

from . import Measure
from .meter import Call, Meter
from .parties import application_of, change
from .request_cost import SLUG

PARTIES, RULES = 200, 100
TYPICAL_PARTIES, TYPICAL_RULES = 5, 20
# Questions of the first section.
_PLACES = ("name", "name_ending", "business_description", "regulated_activity", "countries_of_operation")
# Half of them about answers of the entity, half about all parties or shares.
_RULES = (
    '!(entity.name_ending == "Limited" && entity.regulated_activity && entity.name.contains("bank {number}"))',
    'entity.business_activities.exists(activity, activity != "Insurance") || entity.name.endsWith("{number}")',
    'size(entity.business_description) > 3 && !("XX" in entity.countries_of_operation)',
    "!entity.bank_account_needed || size(entity.source_of_funds) > 0 || entity.pep_involved",
    'entity.name != "Larkfield {number}" || today > "2020-01-01"',
    'parties.exists(party, "director" in party.roles && party.kind == "person")',
    'size(parties.filter(party, "shareholder" in party.roles)) <= {number} + 200',
    "parties.all(party, !has(party.age) || party.age >= 18)",
    "sum(holdings.map(holding, holding.shares)) > {number}.0 - 100.0",
    'size(distinct(parties.map(party, party.id))) > 1 || parties.exists(party, party.kind == "corporate")',
)


def measures(client: Client, owner: Any, meter: Meter, *, share: int = 1) -> Iterator[Measure]:
    """Measure pages with many parties and rules, and a typical section; each against the same without rules."""
    parties = PARTIES // share
    for name, calls in _pairs(client, owner, parties, RULES).items():
        spent, ratio = meter.in_turns(*calls)
        yield f"validations_{RULES}_{name}_{parties}", spent, "ms"
        yield f"validations_{RULES}_{name}_{parties}_against_none", ratio, "x"
    for name, calls in _pairs(client, owner, TYPICAL_PARTIES, TYPICAL_RULES).items():
        if name.startswith("section"):
            spent, ratio = meter.in_turns(*calls)
            yield f"validations_{TYPICAL_RULES}_{name}", spent, "ms"
            yield f"validations_{TYPICAL_RULES}_{name}_against_none", ratio, "x"


def _pairs(client: Client, owner: Any, parties: int, rules: int) -> dict[str, tuple[Call, Call]]:
    """Return each page and a change, of an application with rules and of one without."""
    calls: dict[str, list[Call]] = {}
    for count in (rules, 0):
        draft = application_of(owner, parties=parties, product=company_with_rules(count))
        root = f"/applications/{draft.application.reference}/"
        section = f"{root}sections/{draft.schema.entity_sections[0].key}/"
        calls.setdefault("check", []).append(partial(client.get, f"{root}check/"))
        calls.setdefault("people", []).append(partial(client.get, f"{root}people/"))
        calls.setdefault("section", []).append(partial(client.get, section))
        calls.setdefault("section_change", []).append(change(client, section, "q:"))
    return {name: (with_rules, without) for name, (with_rules, without) in calls.items()}


def company_with_rules(count: int) -> CatalogItem:
    """Return the company of the other measures with so many rules, at the questions of its first section."""
    [document] = [item for item in catalog_items() if item["product"]["slug"] == SLUG]
    rules = []
    for number in range(count):
        rule = _RULES[number % len(_RULES)].replace("{number}", str(number))
        level = ("error", "advice")[number % 2]
        place = f"entity.{_PLACES[number % len(_PLACES)]}"
        rules.append({"rule": rule, "message": f"This is rule number {number}", "level": level, "field": place})
    schema = {**document["schema"], "id": f"rules-{count}", "validations": rules}
    return CatalogItem.model_validate({**document, "schema": schema})
