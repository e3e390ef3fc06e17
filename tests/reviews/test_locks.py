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
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.encrypted_rows import update_each
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
CAPITAL = Target.of_field("funds", "xy.capital")
COMPANY = Target(TargetKind.SECTION, "the-company")


def returned(draft: Draft, agent: Any, *asked: Target, but: tuple[Target, ...] = ()) -> Draft:
    """Everything accepted, then asked about these places, and returned."""
    targets = [fact.target for fact in load_checklist(draft) if fact.target not in (*asked, *but)]
    accept(draft, targets, by=agent, version=current_version(draft.application))
    for target in asked:
        draft_query(draft, target, text="Look at it again", by=agent, version=current_version(draft.application))
    decide(draft, RETURN, text="Nearly there", by=agent, version=current_version(draft.application))
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


def test_what_was_accepted_is_not_written_over_and_the_rest_is(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    other = {"day": "11", "month": "12", "year": "1985"}
    give(draft, Guest(), first_name="Augusta")
    result = give(draft, owner, first_name="Augusta", date_of_birth=other)
    assert raw(draft, "person.first_name") == "Ada"
    assert raw(draft, "person.date_of_birth") == other
    assert result.locked == ("First name",)


def test_an_accepted_section_is_locked_whole_with_its_blank_answers(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    section = draft.schema.section("the-company")
    assert section is not None
    posted = factories.COMPANY | {"entity.name": "Larkspur", "charter.purpose": "Anything"}
    result = services.save_section(draft, section, posted, version=draft.version(section.key), by=owner)
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"
    assert "charter.purpose" not in factories.again(draft).entity_raw
    assert result.locked == ("Name", "Purpose")


def test_what_is_needed_by_now_can_be_answered_and_what_is_answered_stays(
    submitted: Draft, agent: Any, owner: Any
) -> None:
    activity = Target.of_field("funds", "xy.activity")
    draft = returned(submitted, agent, activity)
    funds, company = draft.schema.section("funds"), draft.schema.section("the-company")
    assert funds is not None
    assert company is not None
    services.save_section(draft, funds, {"xy.activity": "Trading"}, version=draft.version("funds"), by=owner)
    assert [need.field for need in draft.needs] == ["xy.goods"]
    posted = {"entity.name": "Larkspur", "xy.goods": "Wool"}
    services.save_section(draft, company, posted, version=draft.version("the-company"), by=owner)
    assert draft.needs == ()
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"


def test_an_accepted_document_is_neither_replaced_nor_removed(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)
    with pytest.raises(services.UploadRefused, match="accepted"):
        services.add_document(draft, draft.party("ada"), "Passport", factories.upload(factories.PDF + b"2"), by=owner)
    with pytest.raises(services.LockedByReview):
        services.remove_document(draft, draft.documents[0], by=owner)
    assert services.add_document(draft, draft.party("ada"), "Letter", factories.upload(), by=owner)


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


def test_no_choice_is_taken_back_over_what_was_accepted(submitted: Draft, agent: Any, owner: Any) -> None:
    change = next(one for one in submitted.application.changes.all() if "Is pep" in one.labels)
    draft = returned(submitted, agent, BIRTH)
    with pytest.raises(services.LockedByReview):
        services.restore_choices(draft, change, by=owner)
    assert raw(draft, "xy.person.is_pep") == "false"


def test_whatever_writes_over_it_writes_nothing(submitted: Draft, agent: Any, owner: Any) -> None:
    draft = returned(submitted, agent, BIRTH)

    def write_over() -> None:
        with application_transaction(draft, by=owner) as journal:
            row = draft.sections["the-company"]
            row.raw = row.raw | {"entity.name": "Larkspur"}
            row.save()
            journal.note("Changed something")

    with pytest.raises(services.LockedByReview):
        write_over()
    assert factories.again(draft).entity_raw["entity.name"] == "Larkfield Holdings"


def test_a_question_opens_what_it_is_about_and_no_more(submitted: Draft, agent: Any) -> None:
    draft = returned(submitted, agent, CAPITAL)
    locks = locks_of(draft)
    assert ("", "xy.capital") not in locks.answers
    assert ("", "entity.name") in locks.answers
    assert set(locks.roles) == {"ada"}
    assert locks.has_shares(draft)


def test_a_question_about_a_share_class_opens_the_shares_and_one_about_a_party_its_roles(
    submitted: Draft, agent: Any
) -> None:
    party = Target(TargetKind.PARTY, "ada")
    draft = returned(submitted, agent, Target.of_field("ordinary", "share_class.name"), party)
    assert locks_of(draft)
    assert not locks_of(draft).has_shares(draft)
    assert not locks_of(draft).roles


@pytest.mark.parametrize("asked", [WHOLE_APPLICATION, Target(TargetKind.PARTY, "ada")])
def test_a_question_about_a_party_or_the_whole_is_about_everything_in_it(
    asked: Target, submitted: Draft, agent: Any, owner: Any
) -> None:
    draft = returned(submitted, agent, asked)
    give(draft, owner, first_name="Augusta")
    assert raw(draft, "person.first_name") == "Augusta"
    assert bool(locks_of(draft)) is (asked != WHOLE_APPLICATION)


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
    assert place in locks_of(factories.again(draft)).answers
    ada = draft.party("ada")
    assert ada is not None
    impossible = dict(ada.raw) | {"person.date_of_birth": {"day": "1", "month": "1", "year": "2999"}}
    update_each(draft.application.parties.filter(token="ada"), raw=impossible)
    locks = locks_of(factories.again(draft))
    assert place not in locks.answers
    assert ("ada", "person.last_name") in locks.answers
