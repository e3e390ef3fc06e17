"""A role that a party's kind can't have asks nothing of it, counts nowhere and sends nothing (interface, "Errors")."""

from formation_portal.contract.inactive_answers import all_inactive
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Answers, Party, Record
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from tests import payloads
from tests.contract.builders import entity, form, question, role

CHARTER = {"foundation": [{"name": "Charter", "required": True}]}


def asking(name: str, *keys: str, **more: object) -> dict[str, object]:
    """A role that asks foundations something, whether or not it takes them."""
    return role(name, foundation_fields=[question(key, "boolean", required=True) for key in keys], **more)


def foundation(*roles: str, **answers: bool) -> Party:
    """One with answers that somebody gave before its kind was not taken any more."""
    given = {f"xx.{key}": value for key, value in answers.items()}
    return Party("kite", "foundation", roles, Answers(given), "Kite Foundation")


def codes(schema: FormSchema, *parties: Party) -> list[str]:
    return [need.code for need in needs(schema, Record(parties=parties))]


def test_only_giving_the_role_up_is_asked_of_it_which_it_does_not_fill() -> None:
    schema = form(asking("director", "regulated", documents=CHARTER, minimum=1))
    assert codes(schema, foundation("director")) == ["minimum", "party_type_not_allowed"]


def test_its_answers_there_decide_nothing() -> None:
    licence = question("licence", required=True, depends_on={"field": "regulated", "value": True})
    closed = form(asking("director", "regulated"), entity(licence))
    assert codes(closed, foundation("director", regulated=True)) == ["party_type_not_allowed"]
    taken = form(asking("director", "regulated", allows_foundation=True), entity(licence))
    assert codes(taken, foundation("director", regulated=True)) == ["required"]


def test_it_sends_the_answers_and_documents_of_its_other_roles_alone() -> None:
    schema = form(
        asking("director", "regulated", documents=CHARTER),
        asking("member", "listed", allows_foundation=True),
    )
    party = foundation("director", "member", regulated=True, listed=True)
    form_state = evaluate(schema, Record(parties=(party,)))
    assert form_state.active_roles(party) == ("member",)
    assert payloads.csp_data(form_state, party) == {"xx.listed": True}
    assert form_state.slots(party) == ()
    assert [one.spec.key for one in form_state.party_questions(party)] == ["listed"]


def test_a_closed_section_still_keeps_it_inactive() -> None:
    shut = {"depends_on": {"field": "board", "value": "Yes"}}
    schema = form(entity(question("board", "select", options=["Yes"])), asking("director", **shut))
    party = foundation("director")
    inactive = all_inactive(evaluate(schema, Record(parties=(party,))))
    assert inactive.sections == {"directors"}
    assert inactive.parties == {"kite"}
