"""What was accepted stays as it is while its customer mends the rest, whichever way somebody tries."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.access import Guest
from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from tests import factories
from tests.encrypted_rows import update_each
from tests.reviews.deciding import ask, check, decide, now

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
CAPITAL = Target.of_field("funds", "xy.capital")
ADA = Target(TargetKind.PARTY, "ada")


def returned(draft: Draft, agent: Any, *asked: Target) -> Draft:
    """Everything accepted, then asked about these places, and returned."""
    check(draft, *(fact.target for fact in load_checklist(draft) if fact.target not in asked), by=agent)
    for target in asked:
        ask(draft, target, "Look at it again", by=agent)
    decide(draft, RETURN, text="Nearly there", by=agent, version=now(draft))
    return factories.again(draft)


def give(draft: Draft, owner: Any, **answers: Any) -> services.SaveResult:
    """Post Ada's page with other answers."""
    ada = draft.party("ada")
    assert ada is not None
    raw = dict(ada.raw) | {f"person.{name}": value for name, value in answers.items()}
    return services.save_party(draft, ada, raw, version=ada.version, by=owner)


def raw(draft: Draft, name: str) -> Any:
    ada = factories.again(draft).party("ada")
    assert ada is not None
    return ada.raw.get(name)


def test_accepted_answers_are_not_written_over_and_the_rest_is(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    other = {"day": "11", "month": "12", "year": "1985"}
    give(draft, Guest(), first_name="Augusta")
    result = give(draft, owner, first_name="Augusta", date_of_birth=other)
    assert raw(draft, "person.first_name") == "Ada"
    assert raw(draft, "person.date_of_birth") == other
    assert result.locked == ("First name",)
    # A section is locked whole, with its blank answers.
    posted = factories.COMPANY | {"entity.name": "Larkspur", "charter.purpose": "Anything"}
    assert factories.save_section(draft, "the-company", posted, by=owner).locked == ("Name", "Purpose")
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"
    assert "charter.purpose" not in factories.again(draft).entity_raw


def test_an_accepted_document_and_choice_stay_whoever_writes_over_them(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    change = next(one for one in submitted.application.changes.all() if "Is pep" in one.labels)
    draft = returned(submitted, agent, BIRTH)

    def write_over() -> None:
        with application_transaction(draft, by=owner) as journal:
            row = draft.sections["the-company"]
            row.raw = row.raw | {"entity.name": "Larkspur"}
            row.save()
            journal.note("Changed something")

    with pytest.raises(services.UploadRefused, match="accepted"):
        services.add_document(draft, draft.party("ada"), "Passport", factories.upload(factories.PDF + b"2"), by=owner)
    for action in (
        lambda: services.remove_document(draft, draft.documents[0], by=owner),
        lambda: services.restore_choices(draft, change, by=owner),
        write_over,
    ):
        with pytest.raises(services.LockedByReview):
            action()
    assert raw(draft, "xy.person.is_pep") == "false"
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"
    assert services.add_document(factories.again(draft), draft.party("ada"), "Letter", factories.upload(), by=owner)


def test_what_is_needed_by_now_can_be_answered_and_what_is_answered_stays(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    draft = returned(submitted, agent, Target.of_field("funds", "xy.activity"))
    factories.save_section(draft, "funds", {"xy.activity": "Trading"}, by=owner)
    assert [need.field for need in draft.needs] == ["xy.goods"]
    factories.save_section(draft, "the-company", {"entity.name": "Larkspur", "xy.goods": "Wool"}, by=owner)
    assert draft.needs == ()
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"


def test_accepted_shares_are_locked_until_one_of_their_holders_is_removed(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    draft = returned(submitted, agent, BIRTH)
    pair = ("ada", "ordinary")
    for action in (
        lambda: services.save_holdings(draft, {pair: "9"}, by=owner),
        lambda: services.add_share_class(draft, factories.ORDINARY, by=owner),
        lambda: services.save_share_class(draft, draft.share_classes[0], {}, version=0, by=owner),
        lambda: services.remove_share_class(draft, draft.share_classes[0], by=owner),
    ):
        with pytest.raises(services.LockedByReview):
            action()
    services.save_holdings(draft, {pair: "10,000"}, by=owner)
    services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner, token="eve")
    services.save_holdings(draft, {("eve", "ordinary"): "5"}, by=owner)


def test_accepted_roles_can_be_added_to_and_the_party_removed(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    ada = draft.party("ada")
    assert ada is not None
    services.set_roles(draft, ada, ["manager"], by=owner)
    assert factories.again(draft).parties[0].roles == ("director", "shareholder", "manager")
    ada = factories.again(draft).parties[0]
    result = services.save_party(draft, ada, {}, roles=["manager"], version=ada.version, by=owner)
    assert factories.again(draft).parties[0].roles == ("director", "shareholder", "manager")
    assert result.locked == ("Roles",)
    services.remove_party(draft, ada, by=owner)
    services.restore_party(draft, "ada", by=owner)
    give(draft, owner, first_name="Augusta")
    assert raw(draft, "person.first_name") == "Ada"


@pytest.mark.parametrize(
    ("asked", "open_places"),
    [
        ((CAPITAL,), {"capital"}),
        ((Target.of_field("ordinary", "share_class.name"), ADA), {"shares", "roles", "first name"}),
        ((ADA,), {"roles", "first name"}),
        ((WHOLE_APPLICATION,), {"capital", "name", "shares", "roles", "first name"}),
    ],
)
def test_a_query_opens_what_it_is_about_and_no_more(
    asked: tuple[Target, ...], open_places: set[str], submitted: Draft, agent: Any, owner: Any
) -> None:
    draft = returned(submitted, agent, *asked)
    locks = locks_of(draft)
    locked = {
        "capital": ("", "xy.capital") in locks.answers,
        "name": ("", "entity.name") in locks.answers,
        "first name": ("ada", "person.first_name") in locks.answers,
        "shares": locks.has_shares(draft),
        "roles": "ada" in locks.roles,
    }
    assert {place for place, is_locked in locked.items() if not is_locked} == open_places
    assert bool(locks) is (asked != (WHOLE_APPLICATION,))
    give(draft, owner, first_name="Augusta")
    assert raw(draft, "person.first_name") == ("Augusta" if "first name" in open_places else "Ada")


def test_what_the_service_sent_back_is_open(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    assert locks_of(draft)
    services.submit(draft, by=owner)
    assert not locks_of(draft)
    services.reopen(draft, reason="The service asks for a change")
    assert draft.application.status is State.RETURNED_FOR_CHANGES
    assert not locks_of(draft)


def test_an_accepted_answer_that_turns_out_impossible_is_unlocked(submitted: Draft, agent: Any) -> None:
    draft = returned(submitted, agent, CAPITAL)
    place = ("ada", "person.date_of_birth")
    assert place in locks_of(draft).answers
    impossible = factories.ADA | {"person.date_of_birth": {"day": "1", "month": "1", "year": "2999"}}
    update_each(draft.application.parties.filter(token="ada"), raw=impossible)
    locks = locks_of(factories.again(draft))
    assert place not in locks.answers
    assert ("ada", "person.last_name") in locks.answers
