"""Whatever stands in a draft, what is needed of it is the same everywhere."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from formation_portal.contract.validations import Verdict
from formation_portal.gateway.catalog import catalog, forget
from formation_portal.service.catalog.loader import store_catalog
from tests.campaigns import drawn
from tests.campaigns.agreement.drafting import Drafter
from tests.campaigns.agreement.readings import ONLY_HERE, Reader
from tests.campaigns.agreement.rules import with_random_rules
from tests.embedded_catalog import catalog_items
from tests.journeys.conftest import full_catalog, new_user

__all__ = ["full_catalog"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# `make agreement` asks for a thousand, and for others.
DRAFTS = drawn.count(3)


@dataclass
class Tally:
    drafts: int = 0
    products: set[str] = field(default_factory=set)
    ready: int = 0
    only_here: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)
    # How often rules held, were broken by their level, or were not judged.
    rules: Counter[str] = field(default_factory=Counter)

    def figures(self) -> dict[str, int]:
        return {
            "drafts": self.drafts,
            "products": len(self.products),
            "ready": self.ready,
            "different": len(self.different),
            **{f"only_here_{code}": count for code, count in sorted(self.only_here.items())},
            **{f"rules_{outcome}": count for outcome, count in sorted(self.rules.items())},
        }


TALLY = Tally()


def test_what_is_needed_is_the_same_everywhere(
    full_catalog: None, db: None, client: Any, as_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of each template of each page the client would keep a copy of all that it was drawn from, and nobody asks for it.
    monkeypatch.setattr("django.test.client.store_rendered_templates", lambda *_, **__: None)
    chance, owner = random.Random(drawn.seed()), new_user()
    client.force_login(owner)
    store_catalog([with_random_rules(item, chance) for item in catalog_items()])
    forget()
    drafter = Drafter(chance, owner)
    products = [one.item for one in catalog().items if one.item is not None]
    assert len(products) == 32
    for number in range(DRAFTS):
        product = products[number % len(products)]
        draft = drafter.make(product)
        found = list(Reader(draft, customer=client, agent=as_agent).differences())
        TALLY.drafts += 1
        TALLY.products.add(product.jurisdiction_product_id)
        TALLY.ready += not draft.needs
        TALLY.only_here.update({need.code for need in draft.needs} & ONLY_HERE)
        TALLY.rules.update(map(outcome_of, draft.form_state.validations.verdicts()))
        TALLY.different += [f"draft {number}, {product.product.slug}: {one}" for one in found]
        # What was read is of no more use: kept, its open rows would be looked at again with every later draft.
        draft.application.delete()
    assert not TALLY.different, "\n".join(TALLY.different[:20])
    assert TALLY.ready < TALLY.drafts


def outcome_of(verdict: Verdict) -> str:
    if verdict.holds is None:
        return "left_out" if verdict.fault else "not_judged"
    return "held" if verdict.holds else f"broken_{verdict.validation.stated.level}"
