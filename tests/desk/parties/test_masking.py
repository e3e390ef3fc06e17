"""The numbers that people are known by stand masked on the desk until an agent asks to see them, which is kept."""

import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.accounts.models import Right
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.desk.masking import TextMasking, mask_of
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.reviews.checks import accept
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.identity_numbers import (
    LONG,
    NUMBERS,
    PASSPORT_NUMBER,
    PUBLIC,
    SHORT,
    TAX_NUMBER,
    number,
    propose,
    submitted_with_numbers,
)
from tests.desk.review_rounds import again, ask_at, return_it
from tests.documents import sample_files
from tests.encrypted_rows import update_each
from tests.markup import Element, Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PROPOSED = "ZZ 0000 4455"
NAME = Target.of_field("ada", "person.first_name")
SECRETS = (LONG, SHORT, PROPOSED)


@pytest.fixture
def numbered(owner: Any) -> Draft:
    return submitted_with_numbers(owner)


def path(draft: Draft, rest: str = "parties/ada/") -> str:
    return f"/desk/{draft.application.reference}/{rest}"


def page(client: Client, draft: Draft) -> Markup:
    answer = client.get(path(draft))
    assert not [one for one in SECRETS if one in answer.content.decode()]
    return valid(answer)


def show(client: Client, draft: Draft, **headers: str) -> Any:
    """The control, pressed."""
    return client.post(path(draft, "parties/ada/numbers/"), {"back": path(draft)}, headers=headers)


def valid(answer: Any) -> Markup:
    assert answer.status_code == 200
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert markup.unlabelled() == []
    return markup


def fact(markup: Markup, label: str) -> str:
    [found] = [one for one in markup.all("li") if _is_fact(one) and label in one.text]
    return " ".join(found.text.split())


def _is_fact(element: Element) -> bool:
    return element.attributes.get("class", "").startswith("fact")


def reveal_entries() -> list[Entry]:
    return list(Entry.objects.filter(action=AuditAction.REVEAL))


@given(
    hidden=st.text("0123456789ABC -/", min_size=3),
    more=st.text("0123456789ABC"),
    end=st.text("789XYZ", min_size=3, max_size=3),
)
def test_a_mask_is_the_end_of_a_number_and_tells_nothing_of_the_rest(hidden: str, more: str, end: str) -> None:
    assert mask_of("ABC" + hidden + end).ending == end
    assert mask_of("ABC" + hidden + end) == mask_of("ABC" + hidden + more + end)


@given(st.text("0123456789ABC", max_size=5), st.text(" -/.", max_size=9))
def test_of_a_short_number_nothing_is_seen(short: str, between: str) -> None:
    assert mask_of(between.join(short)).ending == ""


def test_they_stand_masked_and_a_screen_reader_hears_how_they_end(numbered: Draft, as_agent: Client) -> None:
    markup = page(as_agent, numbered)
    assert "•••••821Hidden, ends in 821" in fact(markup, "Passport number")
    assert "•••••Hidden" in fact(markup, "Tax number")
    assert "ends in" not in fact(markup, "Tax number")
    assert "Ada" in fact(markup, "First name")
    assert PUBLIC in as_agent.get(path(numbered, "parties/kestrel/")).content.decode()


def test_what_a_document_says_of_one_is_masked_like_it(numbered: Draft, as_agent: Client, agent: Any) -> None:
    passport = numbered.documents_of(numbered.party("ada"))["Passport"]
    for target in (PASSPORT_NUMBER, NAME):
        text, version = f"No. {LONG}", current_version(numbered.application)
        prove(factories.again(numbered), target, passport, 1, text=text, by=agent, version=version)
    markup = page(as_agent, numbered)
    assert "Passport, page 1: •••••821" in fact(markup, "Passport number")
    assert "Passport, page 1: No. •••••821" in fact(markup, "First name")
    assert f"Passport, page 1: No. {LONG}" in fact(valid(show(as_agent, numbered)), "Passport number")


def test_one_press_shows_them_and_the_next_page_hides_them_again(numbered: Draft, as_agent: Client) -> None:
    [button] = page(as_agent, numbered).all("button", data_key="v")
    [form] = [one for one in button.ancestors if one.tag == "form"]
    posted = as_agent.post(form.attributes["action"], {"back": path(numbered)})
    markup = valid(posted)
    assert LONG in fact(markup, "Passport number")
    assert SHORT in fact(markup, "Tax number")
    assert "Recorded in the audit log" in markup.one("div", id="numbers").text
    assert "no-store" in posted["Cache-Control"]
    assert [one for one in markup.all("a") if "/numbers/" in one.attributes.get("href", "")] == []
    page(as_agent, numbered)


def test_each_time_is_one_entry_with_the_names_of_the_fields_and_no_number(
    numbered: Draft, as_agent: Client, agent: Any
) -> None:
    page(as_agent, numbered)
    assert reveal_entries() == []
    show(as_agent, numbered)
    [entry] = reveal_entries()
    assert (entry.account, entry.reference, entry.subject) == (agent.pk, numbered.application.reference, "ada")
    assert json.loads(entry.detail) == {"fields": list(NUMBERS)}
    show(as_agent, numbered)
    assert len(reveal_entries()) == 2
    csv = b"".join(as_agent.get("/desk/audit/entries.csv?kind=reveal").streaming_content).decode()  # type: ignore[attr-defined]
    html = as_agent.get("/desk/audit/?kind=reveal").content.decode()
    alone = as_agent.get(f"/desk/audit/{entry.number}/").content.decode()
    assert "Viewed numbers of ada: passport number, tax number" in html
    assert "Viewed numbers of ada: passport number, tax number" in alone
    assert csv.count("person.passport_number") == 2
    assert not [one for one in SECRETS if one in csv + html + alone]


def test_where_script_runs_only_the_numbers_are_drawn_anew(numbered: Draft, as_agent: Client) -> None:
    asked = {"HX-Request": "true", "HX-Target": "numbers"}
    for answer, sees in (
        (show(as_agent, numbered, **asked), True),
        (as_agent.get(path(numbered), headers=asked), False),
    ):
        markup = valid(answer)
        assert [one.attributes.get("id") for one in markup.elements if not one.ancestors] == [
            "numbers",
            f"number:{PASSPORT_NUMBER}",
            f"number:{TAX_NUMBER}",
            "announcer",
        ]
        assert (LONG in answer.content.decode()) is sees
        assert markup.one("a" if sees else "button", id="numbers-turn").attributes["data-key"] == "v"
    assert len(reveal_entries()) == 1


def test_the_viewer_stays_where_it_was(numbered: Draft, as_agent: Client, agent: Any, owner: Any) -> None:
    letter = factories.upload(sample_files.jpeg(640, 480), "letter.jpg")
    again(
        numbered,
        agent,
        owner,
        lambda draft: services.add_document(draft, draft.party("ada"), "Letter", letter, by=owner),
    )
    look = {"document": str(numbered.application.documents.latest("pk").pk), "zoom": "200", "turn": "90"}
    looked = f"{path(numbered)}?{urlencode(look | {'from': '?view=mine'})}"
    markup = valid(as_agent.post(path(numbered, "parties/ada/numbers/"), {"back": looked}))
    assert markup.one("section", id="viewer").attributes["data-here"] == looked
    assert markup.one("a", id="numbers-turn").attributes["href"] == looked
    links = [one.attributes["href"] for one in markup.all("a") if one.text in ("Refresh", "Hide numbers")]
    assert links == [looked, looked]


def test_without_the_right_they_stay_masked_and_nothing_is_kept(
    numbered: Draft, as_agent: Client, agent: Any, settings: Any
) -> None:
    settings.AGENTS_WITHOUT_RIGHTS = "cases"
    agent.set_rights([one for one in Right.values if one not in (Right.OWN_CASES, Right.ALL_CASES)])
    markup = page(as_agent, numbered)
    assert markup.all("button", data_key="v") == []
    assert "You need the right “own_cases” and to claim this case to see these numbers." in markup.one("main").text
    answer = show(as_agent, numbered)
    assert answer.status_code == 403
    assert not [one for one in SECRETS if one in answer.content.decode()]
    assert reveal_entries() == []


def test_nobody_else_and_no_address_shows_them(
    numbered: Draft, as_agent: Client, as_owner: Client, as_nobody: Client
) -> None:
    assert show(as_owner, numbered).status_code == 403
    assert show(as_nobody, numbered).status_code == 302
    assert as_agent.get(path(numbered, "parties/ada/numbers/")).status_code == 405
    assert as_agent.post(path(numbered, "parties/nobody/numbers/")).status_code == 404
    assert reveal_entries() == []


def test_a_party_without_such_numbers_has_no_control_and_leaves_no_entry(numbered: Draft, as_agent: Client) -> None:
    address = path(numbered, "parties/kestrel/")
    assert valid(as_agent.get(address)).all("button", data_key="v") == []
    valid(as_agent.post(f"{address}numbers/"))
    assert reveal_entries() == []


def test_they_can_be_seen_for_as_long_as_the_page_can_be_read(numbered: Draft, as_agent: Client, owner: Any) -> None:
    services.withdraw(numbered, by=owner)
    assert LONG in show(as_agent, factories.again(numbered)).content.decode()
    assert len(reveal_entries()) == 1


def test_they_are_accepted_without_being_shown(numbered: Draft, as_agent: Client, agent: Any) -> None:
    accept(numbered, [PASSPORT_NUMBER], by=agent, version=current_version(numbered.application))
    assert "Accepted" in fact(page(as_agent, numbered), "Passport number")
    assert reveal_entries() == []


@pytest.mark.parametrize(
    ("new", "seen"),
    [
        ("QX 7394 1999", "Was •••••821Hidden, ends in 821 Now •••••999Hidden, ends in 999"),
        ("QX 0000 1821", "The number has changed, but its visible part has not."),
        ("", None),
    ],
    ids=["another end", "the same end", "taken away"],
)
def test_a_changed_one_is_masked_before_and_now(
    numbered: Draft, as_agent: Client, agent: Any, owner: Any, new: str, seen: str | None
) -> None:
    ask_at(numbered, PASSPORT_NUMBER, agent)
    again(numbered, agent, owner, lambda draft: number(draft, {"person.passport_number": new}, owner))
    text = page(as_agent, numbered).one("main").text
    shown = show(as_agent, numbered).content.decode()
    if seen is None:
        assert "Passport number" not in text
        assert LONG not in shown
    else:
        assert seen in fact(page(as_agent, numbered), "Passport number")
        assert [one for one in (LONG, new) if one not in shown] == []
        assert "It has changed, though" not in shown


def test_one_that_was_not_there_before_is_no_masked_nothing(
    numbered: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    number_of = "person.passport_number"
    return_it(numbered, agent)
    number(factories.again(numbered), {number_of: ""}, owner)
    services.submit(factories.again(numbered), by=owner)
    ask_at(numbered, PASSPORT_NUMBER, agent)
    again(numbered, agent, owner, lambda draft: number(draft, {number_of: LONG}, owner))
    assert "Was Not answered Now •••••821" in fact(page(as_agent, numbered), "Passport number")


def test_a_proposed_one_is_masked_until_it_is_shown(numbered: Draft, as_agent: Client, agent: Any) -> None:
    propose(numbered, PROPOSED, agent)
    assert "Proposed answer: •••••455Hidden, ends in 455" in fact(page(as_agent, numbered), "Passport number")
    answer = show(as_agent, numbered, **{"HX-Request": "true", "HX-Target": "numbers"})
    markup = valid(answer)
    assert PROPOSED in markup.one("p", id=f"proposal-{Query.objects.get().pk}").text


def test_the_form_keeps_a_proposed_one_without_holding_it(numbered: Draft, as_agent: Client, agent: Any) -> None:
    propose(numbered, PROPOSED, agent)
    form = as_agent.get(path(numbered, "remarks/"), {"place": str(PASSPORT_NUMBER)})
    assert not [one for one in SECRETS if one in form.content.decode()]
    assert "•••••455" in valid(form).one("main").text
    control = f"p:{PASSPORT_NUMBER}"
    posted = {
        "place": str(PASSPORT_NUMBER),
        "sight": str(current_version(numbered.application)),
        "reason": "other",
        control: "",
    }
    for more, proposal in (
        ({"text": "Look", "keeps": "1"}, PROPOSED),
        ({"text": "Look", "keeps": "1", control: "YY 1"}, "YY 1"),
        ({"text": "Look"}, None),
        ({"text": "Look", control: "YY 2"}, "YY 2"),
        ({"text": "Look", "keeps": "1", "no_proposal": "1"}, None),
    ):
        assert as_agent.post(path(numbered, "remarks/"), posted | more).status_code == 302
        assert Query.objects.get().proposal == proposal
        posted["sight"] = str(current_version(numbered.application))


def test_a_form_that_was_not_kept_still_holds_none(numbered: Draft, as_agent: Client, agent: Any) -> None:
    propose(numbered, PROPOSED, agent)
    posted = {
        "place": str(PASSPORT_NUMBER),
        "sight": str(current_version(numbered.application)),
        "keeps": "1",
        "text": "",
    }
    answer = as_agent.post(path(numbered, "remarks/"), posted | {"note": "x" * 2001})
    assert answer.status_code == 422
    assert not [one for one in SECRETS if one in answer.content.decode()]
    assert Markup(answer.content.decode()).one("input", name="keeps").attributes["value"] == "1"


def test_no_other_page_of_the_case_holds_one(
    numbered: Draft, as_agent: Client, as_colleague: Client, agent: Any, owner: Any
) -> None:
    factories.accept_everything(numbered, agent)
    propose(numbered, PROPOSED, agent)
    again(numbered, agent, owner, lambda draft: number(draft, {"person.passport_number": "NEW 5550 1234"}, owner))
    stale = {"place": str(PASSPORT_NUMBER), "sight": "1.0", "back": path(numbered)}
    answers = [
        *(as_agent.get(path(numbered, rest)) for rest in ("", "?changed=0", "ruling/", "parties/kestrel/")),
        as_agent.get(path(numbered, "remarks/"), {"place": str(PASSPORT_NUMBER)}),
        as_colleague.post(path(numbered, "acceptances/"), stale),
        as_colleague.post(path(numbered, "remarks/"), stale | {"text": "Look"}),
        as_agent.get("/desk/"),
        as_agent.get(f"/desk/audit/?reference={numbered.application.reference}"),
        as_agent.get(f"{path(numbered)}", headers={"HX-Request": "true", "HX-Target": "viewer"}),
    ]
    assert [one.status_code for one in answers] == [200, 200, 200, 200, 200, 409, 409, 200, 200, 200]
    leaks = [(one.request["PATH_INFO"], secret) for one in answers for secret in (*SECRETS, "NEW 5550 1234")
             if secret in one.content.decode()]  # fmt: skip
    assert leaks == []


@given(
    between=st.lists(st.sampled_from(["", " ", "-", " / "]), min_size=9, max_size=9),
    around=st.sampled_from(["No {}.", "“{}”", "{}", "{}?"]),
)
def test_masking_finds_a_number_however_it_is_grouped(between: list[str], around: str) -> None:
    digits = "QX73941821"
    typed = digits[0] + "".join(gap + digit for gap, digit in zip(between, digits[1:], strict=True))
    party = SimpleNamespace(kind="person", roles=(), raw={"person.id_number": LONG})
    spec = FieldSpec(key="id", canonical_field="person.id_number")
    draft: Any = SimpleNamespace(parties=[party], schema=SimpleNamespace(fields_of=lambda kind, roles: [spec]))
    assert TextMasking(draft).masked(around.format(typed)) == around.format("•••••821")
    assert TextMasking(draft).masked(around.format(f"1{typed}")) == around.format(f"1{typed}")


def test_what_the_service_quotes_is_masked(numbered: Draft, as_agent: Client) -> None:
    problem = {
        "field": "person.passport_number",
        "code": "wrong",
        "party": "ada",
        "message": f"“{LONG}” is no passport’s",
    }
    row = Delivery.objects.get(application=numbered.application, kind="party", subject="ada")
    update_each(Delivery.objects.filter(pk=row.pk), state=DeliveryState.REFUSED, problems=[problem])
    for address in (path(numbered, ""), path(numbered, "ruling/"), f"/desk/deliveries/{row.pk}/"):
        text = as_agent.get(address).content.decode()
        assert "“•••••821” is no passport’s" in text, address
        assert LONG not in text


def test_showing_them_costs_a_fixed_number_of_queries(
    numbered: Draft, as_agent: Client, agent: Any, owner: Any, django_assert_max_num_queries: Any
) -> None:
    show(as_agent, numbered)
    with django_assert_max_num_queries(22):
        show(as_agent, numbered)
    propose(numbered, PROPOSED, agent)
    return_it(numbered, agent)
    for count in range(8):
        raw = factories.ADA | NUMBERS
        services.add_party(factories.again(numbered), "person", ["director"], raw, by=owner, token=f"more{count}")
        services.add_document(
            factories.again(numbered),
            factories.again(numbered).party(f"more{count}"),
            "Passport",
            factories.upload(),
            by=owner,
        )
    services.submit(factories.again(numbered), by=owner)
    with django_assert_max_num_queries(24):
        show(as_agent, numbered)
