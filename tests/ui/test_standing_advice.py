"""Who reaches the place's threshold is asked about, and who is named as an owner but owns nothing."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.contract.advice import Advice
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.standing_advice import standing_advice
from tests import factories
from tests.portal.share_limits import hold, limited

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PERCENT = factories.field(
    "percent", "number", canonical_field="party.ownership_percentage", required=False, maximum=100
)
CONTROL = factories.field("control", "multi_select", canonical_field="party.nature_of_control", required=False)
CONTROL |= {"options": ["Votes", "Trust"]}
OWNERS = {
    "scope": f"role:{canonical.BENEFICIAL_OWNER}",
    "title": "Beneficial owners",
    "person_fields": [PERCENT, CONTROL],
}
BEN = {"person.first_name": "Ben", "person.last_name": "Okri", "person.email": "ben@example.com"}
NETHERLANDS = {"id": "j", "name": "Netherlands", "slug": "nl", "iso_code": "NL", "region": "Europe"}
NOT_NAMED = "has {} of the company, but is not named as a beneficial owner"
OWNS_NOTHING = "is named as a beneficial owner, but has no shares, votes or control"


def with_owners() -> dict[str, Any]:
    return factories.SCHEMA | {"sections": [*factories.SCHEMA["sections"], OWNERS]}


def advice_left(draft: Draft) -> tuple[Advice, ...]:
    current = factories.again(draft)
    return standing_advice(current, Allocation(current))


def advice_on(draft: Draft, code: str) -> list[tuple[str, str, str | None]]:
    advice = advice_left(draft)
    return [(remark.text, remark.section, remark.party_id) for remark in advice if remark.code == code]


@pytest.mark.parametrize(
    ("jurisdiction", "shares", "percent"),
    [
        # 10% or more in the British Virgin Islands, more than 25% in the Netherlands.
        (factories.ITEM["jurisdiction"], "999", ""),
        (factories.ITEM["jurisdiction"], "1,000", "10%"),
        (NETHERLANDS, "2,500", ""),
        (NETHERLANDS, "2,501", "25.01%"),
    ],
)
def test_a_person_who_reaches_the_threshold_without_being_named_is_doubtful(
    owner: Any, jurisdiction: dict[str, str], shares: str, percent: str
) -> None:
    draft = limited(owner, schema=with_owners(), jurisdiction=jurisdiction)
    ada, _ = draft.parties
    hold(draft, owner, (shares,), (f"{10_000 - int(shares.replace(',', ''))}",))

    expected = [(f"Ada Lovelace {NOT_NAMED.format(percent)}", "beneficial-owners", ada.token)] if percent else []
    assert advice_on(draft, "not_an_owner") == expected
    services.set_roles(draft, ada.model, ["shareholder", canonical.BENEFICIAL_OWNER], by=owner)
    assert advice_on(draft, "not_an_owner") == []


def test_votes_count_as_shares_do(owner: Any) -> None:
    draft = limited(owner, schema=with_owners())
    plain = draft.share_classes[1]
    services.save_share_class(draft, plain, {"share_class.voting_rights": "false"}, version=plain.version, by=owner)
    hold(draft, owner, ("50", "9"), ("50", "9,891"))
    assert [text for text, _, _ in advice_on(draft, "not_an_owner")] == [f"Ada Lovelace {NOT_NAMED.format('50%')}"]


def test_a_percentage_that_is_answered_counts_too(owner: Any) -> None:
    sections = [*factories.SCHEMA["sections"], OWNERS]
    sections[3] = sections[3] | {"person_fields": [PERCENT]}
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": sections})
    for token, percent in (("ben", "10"), ("ida", "9.99")):
        services.add_party(
            draft, "person", ["shareholder"], BEN | {"party.ownership_percentage": percent}, by=owner, token=token
        )
    assert [token for _, _, token in advice_on(draft, "not_an_owner")] == ["ben"]


def test_a_company_that_reaches_the_threshold_is_no_beneficial_owner(owner: Any) -> None:
    draft = limited(owner, schema=with_owners())
    hold(draft, owner, ("1",), ("9,999",))
    assert advice_on(draft, "not_an_owner") == []


@pytest.mark.parametrize(
    ("answers", "is_doubtful"),
    [
        ({}, True),
        ({"party.ownership_percentage": "0"}, True),
        ({"party.ownership_percentage": "3"}, False),
        ({"party.nature_of_control": ["Trust"]}, False),
        # More is missing.
        ({"person.last_name": ""}, False),
    ],
)
def test_a_named_owner_of_nothing_is_doubtful(owner: Any, answers: dict[str, Any], is_doubtful: bool) -> None:
    draft = limited(owner, schema=with_owners())
    services.add_party(draft, "person", [canonical.BENEFICIAL_OWNER], BEN | answers, by=owner, token="ben")

    expected = [(f"Ben Okri {OWNS_NOTHING}", "beneficial-owners", "ben")] if is_doubtful else []
    assert advice_on(draft, "owner_of_nothing") == expected


def test_where_no_beneficial_owners_are_asked_for_nobody_is_doubtful(owner: Any) -> None:
    draft = limited(owner)
    hold(draft, owner, ("10,000",))
    assert advice_left(draft) == ()
