"""The numbers that people are known by stand masked on the desk until an agent asks to see them, which is kept."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.desk.masking import TextMasking, mask_of
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import path as case_path
from tests.desk.decision_setup import sound
from tests.desk.identity_numbers import (
    LONG,
    NUMBERS,
    PASSPORT_NUMBER,
    PUBLIC,
    SHORT,
    number,
    propose,
    submitted_with_numbers,
)
from tests.desk.parties.test_pages import fact as fact_row
from tests.desk.parties.test_pages import words
from tests.desk.review_rounds import again, ask_at
from tests.encrypted_rows import update_each
from tests.markup import Markup

PROPOSED = "ZZ 0000 4455"
NAME = Target.of_field("ada", "person.first_name")
SECRETS = (LONG, SHORT, PROPOSED)


@pytest.fixture
def numbered(owner: Any) -> Draft:
    return submitted_with_numbers(owner)


def path(draft: Draft, rest: str = "parties/ada/") -> str:
    return case_path(draft, rest)


def page(client: Client, draft: Draft) -> Markup:
    answer = client.get(path(draft))
    assert not [one for one in SECRETS if one in answer.content.decode()]
    return sound(answer)


def fact(markup: Markup, label: str) -> str:
    return words(fact_row(markup, label))


def show(client: Client, draft: Draft, **headers: str) -> Any:
    return client.post(path(draft, "parties/ada/numbers/"), {"back": path(draft)}, headers=headers)


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


def test_numbers_stand_masked_with_their_end_whoever_says_them(numbered: Draft, as_agent: Client) -> None:
    markup = page(as_agent, numbered)
    assert "•••••821Hidden, ends in 821" in fact(markup, "Passport number")
    assert "•••••Hidden" in fact(markup, "Tax number")
    assert "ends in" not in fact(markup, "Tax number")
    assert "Ada" in fact(markup, "First name")
    company = sound(as_agent.get(path(numbered, "parties/kestrel/")))
    assert PUBLIC in company.one("main").text
    assert company.all("button", data_key="v") == []
    sound(as_agent.post(path(numbered, "parties/kestrel/numbers/")))
    assert reveal_entries() == [], "nothing is hidden there"
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


def test_what_a_document_says_of_one_is_masked_like_it(numbered: Draft, as_agent: Client, agent: Any) -> None:
    passport = numbered.documents_of(numbered.party("ada"))["Passport"]
    for target in (PASSPORT_NUMBER, NAME):
        text, version = f"No. {LONG}", current_version(numbered.application)
        prove(factories.again(numbered), target, passport, 1, text=text, by=agent, version=version)
    markup = page(as_agent, numbered)
    assert "Passport, page 1: •••••821" in fact(markup, "Passport number")
    assert "Passport, page 1: No. •••••821" in fact(markup, "First name")
    assert f"Passport, page 1: No. {LONG}" in fact(sound(show(as_agent, numbered)), "Passport number")


def test_one_press_shows_them_once_and_is_in_the_audit_log(numbered: Draft, as_agent: Client, agent: Any) -> None:
    [button] = page(as_agent, numbered).all("button", data_key="v")
    [form] = [one for one in button.ancestors if one.tag == "form"]
    posted = as_agent.post(form.attributes["action"], {"back": path(numbered)})
    markup = sound(posted)
    assert LONG in fact(markup, "Passport number")
    assert SHORT in fact(markup, "Tax number")
    assert "Recorded in the audit log" in markup.one("div", id="numbers").text
    assert "no-store" in posted["Cache-Control"]
    assert [one for one in markup.all("a") if "/numbers/" in one.attributes.get("href", "")] == []
    page(as_agent, numbered)
    # Each time is one entry with the names of the fields, and no number.
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


@pytest.mark.parametrize(
    ("new", "seen"),
    [
        ("QX 7394 1999", "Was •••••821Hidden, ends in 821 Now •••••999Hidden, ends in 999"),
        ("QX 0000 1821", "The number has changed, but its visible part has not."),
        ("", ""),
    ],
    ids=["another end", "the same end", "taken away"],
)
def test_changes_are_masked(numbered: Draft, as_agent: Client, agent: Any, owner: Any, new: str, seen: str) -> None:
    ask_at(numbered, PASSPORT_NUMBER, agent)
    again(numbered, agent, owner, lambda draft: number(draft, {"person.passport_number": new}, owner))
    markup = page(as_agent, numbered)
    shown = show(as_agent, numbered).content.decode()
    if seen:
        assert seen in fact(markup, "Passport number")
        assert [value for value in (LONG, new) if value not in shown] == []
    else:
        assert "Passport number" not in markup.one("main").text
        assert LONG not in shown
        ask_at(numbered, PASSPORT_NUMBER, agent)
        again(numbered, agent, owner, lambda draft: number(draft, {"person.passport_number": LONG}, owner))
        assert "Was Not answered Now •••••821" in fact(page(as_agent, numbered), "Passport number")


def test_a_proposed_one_is_masked_also_in_its_form(numbered: Draft, as_agent: Client, agent: Any) -> None:
    propose(numbered, PROPOSED, agent)
    assert "Proposed answer: •••••455Hidden, ends in 455" in fact(page(as_agent, numbered), "Passport number")
    shown = sound(show(as_agent, numbered, **{"HX-Request": "true", "HX-Target": "numbers"}))
    assert PROPOSED in shown.one("p", id=f"proposal-{Query.objects.get().pk}").text
    form = as_agent.get(path(numbered, "remarks/"), {"place": str(PASSPORT_NUMBER)})
    assert not [one for one in SECRETS if one in form.content.decode()]
    assert "•••••455" in sound(form).one("main").text
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
    propose(numbered, PROPOSED, agent)
    posted["sight"] = str(current_version(numbered.application))
    refused = as_agent.post(path(numbered, "remarks/"), posted | {"keeps": "1", "note": "x" * 2001})
    assert refused.status_code == 422
    assert not [secret for secret in SECRETS if secret in refused.content.decode()]
    assert Markup(refused.content.decode()).one("input", name="keeps").attributes["value"] == "1"


def test_no_other_page_has_one(numbered: Draft, as_agent: Client, as_colleague: Client, agent: Any, owner: Any) -> None:
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
