"""The rules across answers that the catalog states, and those of its bounds that the facts know as rules.

Each case is an application that breaks one rule and is then repaired; nearly all else in it is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.gateway.catalog import catalog
from tests import factories
from tests.embedded_catalog import catalog_items
from tests.journeys.conftest import full_catalog
from tests.portal.pages import page_at, root
from tests.service.caller import Caller, problem

from .conftest import asked_in, name_of

__all__ = ["full_catalog"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

ADA = {"person.first_name": "Ada", "person.last_name": "Byron", "person.email": "ada@example.com"}
BO = {"person.first_name": "Bo", "person.last_name": "Ek", "person.email": "bo@example.com"}
KITE = {"corporate.name": "Kite Ltd"}
GULL = {"corporate.name": "Gull Ltd"}

# A kind, roles and answers.
Holder = tuple[str, list[str], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """An application that breaks a rule, and what repairs it: other answers, a party more or a party less.

    `place` is the address below the application where the message leads to. A rule without a pointer is advice.
    """

    product: str
    message: str
    place: str
    pointer: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict)
    parties: Mapping[str, Holder] = field(default_factory=dict)
    repaired: Mapping[str, Any] = field(default_factory=dict)
    added: Mapping[str, Holder] = field(default_factory=dict)
    removed: str = ""


CASES = [
    Case(
        product="bvi-limited-company",
        answers={"entity.business_activities": ["E-commerce", "Insurance"], "entity.regulated_activity": False},
        repaired={"entity.business_activities": ["E-commerce"]},
        message="Your activities almost always need a licence. If they need none here, explain why under “Describe the "
        "business”",
        place="sections/name-and-activities/#q:regulated_activity",
    ),
    Case(
        product="adgm-spv",
        parties={"kite": ("corporate", ["director"], KITE)},
        added={"ada": ("person", ["director"], ADA)},
        message="At least one director must be an individual",
        place="people/",
        pointer="/parties",
    ),
    Case(
        product="delaware-llc",
        answers={"us.llc_tax_classification": "Disregarded entity"},
        parties={"ada": ("person", ["member"], ADA), "bo": ("person", ["member"], BO)},
        removed="bo",
        message="A disregarded entity has exactly one member. Choose another classification, or remove the other "
        "members",
        place="sections/federal-tax/#q:llc_tax_classification",
        pointer="/csp_data/us.llc_tax_classification",
    ),
    Case(
        product="florida-llc",
        answers={"us.llc_tax_classification": "S corporation"},
        parties={"kite": ("corporate", ["member"], KITE)},
        repaired={"us.llc_tax_classification": "C corporation"},
        message="An S corporation cannot have a company or foundation as a member",
        place="sections/federal-tax/#q:llc_tax_classification",
        pointer="/csp_data/us.llc_tax_classification",
    ),
    Case(
        product="texas-llc",
        answers={"us.llc_tax_classification": "S corporation"},
        parties={
            "ada": ("person", ["member"], {**ADA, "us.us_person": True}),
            "bo": ("person", ["member"], {**BO, "us.us_person": False}),
        },
        removed="bo",
        message="Every member of an S corporation must be a US citizen or US resident",
        place="sections/federal-tax/#q:llc_tax_classification",
        pointer="/csp_data/us.llc_tax_classification",
    ),
    Case(
        product="delaware-c-corp",
        answers={"us.corp_tax_election": "S corporation"},
        parties={
            "ada": ("person", ["shareholder"], {**ADA, "us.us_person": True}),
            "kite": ("corporate", ["shareholder"], KITE),
        },
        removed="kite",
        message="An S corporation cannot have a company or foundation as a shareholder",
        place="sections/federal-tax/#q:corp_tax_election",
        pointer="/csp_data/us.corp_tax_election",
    ),
    Case(
        product="wyoming-c-corp",
        answers={"us.corp_tax_election": "S corporation"},
        parties={"bo": ("person", ["shareholder"], {**BO, "us.us_person": False})},
        repaired={"us.corp_tax_election": "C corporation"},
        message="Every shareholder of an S corporation must be a US citizen or US resident",
        place="sections/federal-tax/#q:corp_tax_election",
        pointer="/csp_data/us.corp_tax_election",
    ),
    Case(
        product="wyoming-c-corp",
        answers={"us.corp_tax_election": "S corporation", "wyoming.share_classes": "Several classes"},
        repaired={"wyoming.share_classes": "Common shares only"},
        message="An S corporation cannot have several classes, unless the shares differ only in voting rights",
        place="sections/capital-and-shares/#q:share_classes",
    ),
    Case(
        product="adgm-spv",
        answers={"adgm.nexus_basis": ["No link"]},
        repaired={"adgm.nexus_basis": ["Assets are there"]},
        message="A company with no link to the region is unlikely to be accepted. Contact us before you continue",
        place="sections/purpose-and-link-to-the-region/#q:nexus_basis",
    ),
    Case(
        product="ch-foundation",
        answers={"swiss.endowment": {"amount": 49999.99, "currency": "CHF"}},
        repaired={"swiss.endowment": {"amount": 50000, "currency": "CHF"}},
        message="The authority rarely accepts less than CHF 50,000",
        place="sections/endowment-and-governance/#q:endowment",
    ),
    Case(
        product="cyprus-ltd",
        answers={"cyprus.secretary_source": "The sole director"},
        parties={"ada": ("person", ["director", "shareholder"], ADA), "kite": ("corporate", ["shareholder"], KITE)},
        removed="kite",
        message="A sole director can be the secretary only if there is one shareholder",
        place="sections/secretary-tax-residence-and-vat/#q:secretary_source",
        pointer="/csp_data/cyprus.secretary_source",
    ),
    Case(
        product="hk-limited-company",
        answers={"hong_kong.group_has_listed_company": True},
        parties={"ada": ("person", ["director"], ADA), "kite": ("corporate", ["director"], KITE)},
        repaired={"hong_kong.group_has_listed_company": False},
        message="The group includes a listed company, so every director must be an individual",
        place="people/",
        pointer="/parties",
    ),
    Case(
        product="irish-limited",
        answers={"ireland.secretary_source": "One of the directors"},
        parties={"ada": ("person", ["director"], ADA)},
        added={"bo": ("person", ["director"], BO)},
        message="A director can be the secretary only if there are at least two directors",
        place="sections/director-residence-and-secretary/#q:secretary_source",
        pointer="/csp_data/ireland.secretary_source",
    ),
    Case(
        product="malta-ltd",
        answers={"malta.membership": "One", "malta.exempt_status": "Not exempt"},
        repaired={"malta.membership": "Two or more"},
        message="A company with one shareholder must be exempt",
        place="sections/shareholders-and-secretary/#q:exempt_status",
        pointer="/csp_data/malta.exempt_status",
    ),
    Case(
        product="malta-ltd",
        answers={"malta.exempt_status": "Exempt"},
        parties={"kite": ("corporate", ["director"], KITE)},
        removed="kite",
        message="An exempt company cannot have a company as a director",
        place="people/",
        pointer="/parties",
    ),
    Case(
        product="meydan-fz-commercial",
        answers={
            "meydan.visas": "Two",
            "meydan.visa_kind": ["Partner", "Employment"],
            "entity.initial_capital": {"amount": 49999.99, "currency": "AED"},
        },
        repaired={"entity.initial_capital": {"amount": 50000, "currency": "AED"}},
        message="A shareholder with an investor or partner visa needs a capital of at least AED 50,000",
        place="sections/capital-and-shares/#q:initial_capital",
        pointer="/initial_capital",
    ),
    Case(
        product="panama-corporation-sociedad-anonima",
        parties={
            "ada": ("person", ["director"], {**ADA, "person.passport_number": "P1"}),
            "bo": ("person", ["director"], {**BO, "person.passport_number": "P1"}),
        },
        removed="bo",
        message="The three directors must be different people. Two have the same passport number",
        place="people/",
        pointer="/parties",
    ),
    Case(
        product="panama-corporation-sociedad-anonima",
        parties={
            "kite": ("corporate", ["director"], {**KITE, "corporate.registration_number": "R1"}),
            "gull": ("corporate", ["director"], {**GULL, "corporate.registration_number": "R1"}),
        },
        removed="gull",
        message="The three directors must be different. Two companies have the same registration number",
        place="people/",
        pointer="/parties",
    ),
    Case(
        product="rak-icc-holding",
        answers={"entity.countries_of_operation": ["CH", "AE"]},
        repaired={"entity.countries_of_operation": ["CH"]},
        message="Trade inside the United Arab Emirates needs a licence of its own. Holding and property there do not",
        place="sections/name-and-activities/#q:countries_of_operation",
    ),
    Case(
        product="seychelles-ibc",
        answers={"seychelles.reserve_director": True},
        parties={"ada": ("person", ["director", "shareholder"], ADA), "bo": ("person", ["shareholder"], BO)},
        removed="bo",
        message="A reserve director is only possible if one individual is the sole shareholder and the sole director",
        place="sections/company-set-up/#q:reserve_director",
        pointer="/csp_data/seychelles.reserve_director",
    ),
    Case(
        product="spanish-sociedad-limitada-sl",
        answers={"entity.name_ending": "S.L.U."},
        parties={"ada": ("person", ["shareholder"], ADA), "kite": ("corporate", ["shareholder"], KITE)},
        repaired={"entity.name_ending": "S.L."},
        message="S.L.U. is only for a company with exactly one partner",
        place="sections/name-and-activities/#q:name_ending",
        pointer="/name_ending",
    ),
]

BOUNDS = [
    Case(
        product="gmbh-zug",
        answers={"entity.initial_capital": {"amount": 19999.99, "currency": "CHF"}},
        repaired={"entity.initial_capital": {"amount": 20000, "currency": "CHF"}},
        message="A GmbH needs a capital of at least CHF 20,000",
        place="sections/capital-signatory-and-audit/#q:initial_capital",
        pointer="/initial_capital",
    ),
    Case(
        product="panama-foundation",
        answers={"entity.initial_capital": {"amount": 9999.99, "currency": "PAB"}},
        repaired={"entity.initial_capital": {"amount": 10000, "currency": "PAB"}},
        message="The foundation needs at least USD 10,000 or PAB 10,000",
        place="sections/patrimony-and-activity/#q:initial_capital",
        pointer="/initial_capital",
    ),
    Case(
        product="meydan-fz-commercial",
        answers={"meydan.activity_groups": ["General trading", "E-commerce", "Education and training", "Other"]},
        repaired={"meydan.activity_groups": ["General trading", "E-commerce", "Other"]},
        message="A licence covers up to three activity groups",
        place="sections/licence/#q:activity_groups",
        pointer="/csp_data/meydan.activity_groups",
    ),
]


def by_message(case: Case) -> str:
    return case.message


@pytest.mark.parametrize("case", [case for case in CASES if case.pointer], ids=by_message)
def test_a_broken_rule_must_be_corrected_and_is_refused_on_submission(
    full_catalog: None, owner: Any, as_owner: Client, case: Case
) -> None:
    draft = broken_draft(case, owner)
    assert links(as_owner, draft, "corrections")[case.message] == case.place
    assert case.message not in links(as_owner, draft, "advice")
    repair_draft(draft, case, owner)
    assert case.message not in links(as_owner, draft, "corrections")

    service = Entity(case)
    assert (case.message, "contradictory", case.pointer) in service.refusals()
    service.repair()
    assert case.message not in [message for message, _, _ in service.refusals()]


@pytest.mark.parametrize("case", [case for case in CASES if not case.pointer], ids=by_message)
def test_advice_is_listed_and_blocks_nothing(full_catalog: None, owner: Any, as_owner: Client, case: Case) -> None:
    draft = broken_draft(case, owner)
    assert links(as_owner, draft, "advice")[case.message] == case.place
    assert case.message not in links(as_owner, draft, "corrections")
    assert case.message not in [message for message, _, _ in Entity(case).refusals()]
    repair_draft(draft, case, owner)
    assert case.message not in links(as_owner, draft, "advice")


@pytest.mark.parametrize("case", BOUNDS, ids=by_message)
def test_a_bound_must_be_kept_and_the_service_takes_nothing_outside(
    full_catalog: None, owner: Any, as_owner: Client, case: Case
) -> None:
    draft = broken_draft(case, owner)
    assert links(as_owner, draft, "corrections") == {case.message: case.place}
    repair_draft(draft, case, owner)
    assert links(as_owner, draft, "corrections") == {}

    service = Entity(case, answers={})
    [error] = problem(service.answer(case.answers), 422, "validation_failed")["errors"]
    assert (error["pointer"], error["detail"]) == (case.pointer, case.message)
    assert service.answer(case.repaired).status_code == 200


def test_every_rule_of_the_catalog_has_a_case() -> None:
    stated = [rule["message"] for item in catalog_items() for rule in item["schema"]["validations"]]
    assert sorted(set(stated)) == sorted(case.message for case in CASES)


def test_a_shared_rule_is_stated_wherever_its_question_is_asked() -> None:
    products: dict[str, set[str]] = {"llc": set(), "corporation": set(), "activities": set()}
    questions = {
        "us.llc_tax_classification": "llc",
        "us.corp_tax_election": "corporation",
        "entity.regulated_activity": "activities",
    }
    messages = {
        "llc": (
            "A disregarded entity has exactly one member. Choose another classification, or remove the other members",
            "An S corporation cannot have a company or foundation as a member",
            "Every member of an S corporation must be a US citizen or US resident",
        ),
        "corporation": (
            "An S corporation cannot have a company or foundation as a shareholder",
            "Every shareholder of an S corporation must be a US citizen or US resident",
        ),
        "activities": (CASES[0].message,),
    }
    for item in catalog_items():
        stated = {rule["message"] for rule in item["schema"]["validations"]}
        for asked in asked_in(item):
            if subject := questions.get(name_of(asked.field)):
                assert stated >= set(messages[subject]), item["product"]["slug"]
                products[subject].add(item["product"]["slug"])
    assert products["llc"] == {"delaware-llc", "florida-llc", "new-york-llc", "texas-llc", "wyoming-llc"}
    assert products["corporation"] == {"delaware-c-corp", "wyoming-c-corp"}
    assert len(products["activities"]) == 28


def broken_draft(case: Case, owner: Any) -> Draft:
    product = next(item for item in catalog().items if item.item and item.item.product.slug == case.product)
    assert product.item
    draft = open_draft(services.start(owner=owner, product=product.item))
    save(draft, case.answers, owner)
    for token, (kind, roles, answers) in case.parties.items():
        services.add_party(draft, kind, roles, as_posted(answers), by=owner, token=token)
    return draft


def repair_draft(draft: Draft, case: Case, owner: Any) -> None:
    save(draft, {**case.answers, **case.repaired}, owner)
    for token, (kind, roles, answers) in case.added.items():
        services.add_party(draft, kind, roles, as_posted(answers), by=owner, token=token)
    if case.removed:
        party = draft.party(case.removed)
        assert party
        services.remove_party(draft, party, by=owner)


def save(draft: Draft, answers: Mapping[str, Any], owner: Any) -> None:
    by_section: dict[str, dict[str, Any]] = {}
    for name, value in as_posted(answers).items():
        by_section.setdefault(draft.home_section(name), {})[name] = value
    for key, raw in by_section.items():
        factories.save_section(draft, key, raw, by=owner)


def as_posted(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers as a form posts them, in which yes, no and amounts are texts."""
    posted = {}
    for name, value in answers.items():
        posted[name] = value
        if isinstance(value, bool):
            posted[name] = str(value).lower()
        elif isinstance(value, dict):
            posted[name] = {**value, "amount": f"{value['amount']:,}"}
    return posted


def links(client: Client, draft: Draft, heading: str) -> dict[str, str]:
    """Return the sentences under a heading of the check page, each with the address it leads to."""
    page = page_at(client, f"{root(draft)}check/")
    links = {}
    for link in page.all("a"):
        if any(parent.attributes.get("aria-labelledby") == heading for parent in link.ancestors):
            address = link.attributes["href"].removeprefix(root(draft))
            links[link.text] = address.replace("?next=check", "")
    return links


class Entity:
    """The application of a case at the service, by its API alone."""

    def __init__(self, case: Case, answers: Mapping[str, Any] | None = None) -> None:
        self._case = case
        self._caller = Caller.with_scopes(account="ours")
        [self._item] = [item for item in catalog_items() if item["product"]["slug"] == case.product]
        self._id = self._caller.entity(self._item["jurisdiction_product_id"])
        self._parties: dict[str, str] = {}
        assert self.answer(case.answers if answers is None else answers).status_code == 200
        for token, holder in case.parties.items():
            self._add(token, *holder)

    def repair(self) -> None:
        assert self.answer(self._case.repaired).status_code == 200
        for token, holder in self._case.added.items():
            self._add(token, *holder)
        if self._case.removed:
            removal = self._caller.delete(f"/entities/{self._id}/parties/{self._parties[self._case.removed]}")
            assert removal.status_code == 204

    def answer(self, answers: Mapping[str, Any]) -> Any:
        """Send the properties, then the csp-data; return the first response that is an error, or the last."""
        properties, csp_data = by_call(answers)
        response = self._caller.patch(f"/entities/{self._id}", properties)
        if response.status_code == 200 and csp_data:
            response = self._caller.post(f"/entities/{self._id}/csp-data", self._with_schema(csp_data))
        return response

    def refusals(self) -> list[tuple[str, str, str]]:
        """Submit, and return the message, code and pointer of each requirement that is not met."""
        response = self._caller.post(f"/entities/{self._id}/submit")
        errors = problem(response, 422, "requirements_not_met")["errors"]
        return [(error["detail"], error["code"], error["pointer"]) for error in errors]

    def _add(self, token: str, kind: str, roles: list[str], answers: Mapping[str, Any]) -> None:
        properties, csp_data = by_call(answers)
        body = {"party_type": kind, "roles": roles, **properties}
        response = self._caller.post(f"/entities/{self._id}/parties", body)
        assert response.status_code == 201, response.content
        self._parties[token] = response.json()["data"]["party_id"]
        if csp_data:
            body = {**self._with_schema(csp_data), "scope": "party", "party_id": self._parties[token]}
            assert self._caller.post(f"/entities/{self._id}/csp-data", body).status_code == 200

    def _with_schema(self, csp_data: Mapping[str, Any]) -> dict[str, Any]:
        return {"csp_form_schema_id": self._item["schema"]["id"], "csp_data": csp_data}


def by_call(answers: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the canonical answers by property, and the provider's by name."""
    properties = {}
    csp_data = {}
    for name, value in answers.items():
        prefix, _, key = name.partition(".")
        if prefix in ("entity", "person", "corporate"):
            properties[key] = value
        else:
            csp_data[name] = value
    return properties, csp_data
