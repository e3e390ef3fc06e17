"""Which cases agents open: by their rights to all or to their own, and by the setting where they have none."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import Right
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from tests.markup import Markup
from tests.words_shown import words_in

from .decision_setup import path, sound
from .factories import page, references, searched
from .undecided_deliveries import put

pytestmark = pytest.mark.django_db(databases=["default", "service"])

OWN = [right for right in Right.values if right != Right.ALL_CASES]
NAMES = ("Larkfield", "Ingrid", "Solheim", "Ada", "Lovelace", "ada@example.com")


def names_in(text: str) -> list[str]:
    return words_in(text, NAMES)


def claim(draft: Draft, agent: Any) -> None:
    assert claims.claim([draft.application.pk], by=agent)[0]


# The queue without names.


def test_the_queue_names_nobody_by_default(submitted: Draft, agent: Any, as_agent: Client, owner: Any) -> None:
    assert names_in(as_agent.get("/desk/").content.decode()) != []
    agent.set_rights([])
    text = as_agent.get("/desk/?view=all").content.decode()
    assert names_in(text) == []
    row = Markup(text).one("tbody").text
    for words in (submitted.application.reference, "Example company", "British Virgin Islands", "Unassigned", "Due"):
        assert words in row
    for offer in ("/desk/deliveries/", "/desk/next-case/", 'name="case"'):
        assert offer not in text
    colleague = type(agent).objects.create_user("dev@example.com", first_name="Dev", is_agent=True)
    claim(submitted, colleague)
    assert "Dev" in Markup(as_agent.get("/desk/?view=all").content.decode()).one("tbody").text


@pytest.mark.parametrize("typed", ["Larkfield", "Solheim", "Lovelace", "owner@example.com", "FP"])
def test_without_names_cases_are_found_by_reference_alone(
    submitted: Draft, agent: Any, as_agent: Client, typed: str
) -> None:
    reference = submitted.application.reference
    assert references(as_agent, f"?q={typed}") == [reference]
    agent.set_rights(OWN)
    assert references(as_agent, f"?q={typed}") == []
    assert references(as_agent, f"?q={reference.lower()}") == [reference]
    # Neither by the question whether something has come, nor by taking the next case that fits.
    search = searched(as_agent, f"?q={typed}")
    news = as_agent.get(f"/desk/news/{search}&token=1.0.0", headers={"HX-Request": "true"})
    assert news.status_code == 204
    as_agent.post("/desk/next-case/", {"shown": search})
    assert Case.objects.get().claimed_by is None
    as_agent.post("/desk/next-case/", {"shown": searched(as_agent, f"?q={reference}")})
    assert Case.objects.get().claimed_by == agent


def test_what_is_said_of_cases_without_names_names_their_references(
    submitted: Draft, agent: Any, as_agent: Client, colleague: Any
) -> None:
    agent.set_rights(OWN)
    ticked = {"case": [submitted.application.pk]}
    asked = as_agent.post("/desk/assignments/", ticked)
    assert asked.status_code == 422
    claim(submitted, colleague)
    for text in (
        asked.content.decode(),
        as_agent.post("/desk/claims/", ticked, follow=True).content.decode(),
        as_agent.post("/desk/assignments/", ticked | {"agent": colleague.pk}, follow=True).content.decode(),
    ):
        assert names_in(text) == []
        assert submitted.application.reference in Markup(text).one("body").text


# One's own cases, and all.


def test_who_opens_their_own_claims_them_first(submitted: Draft, agent: Any, as_agent: Client, colleague: Any) -> None:
    agent.set_rights(OWN)
    shut = as_agent.get(path(submitted))
    assert shut.status_code == 403
    assert names_in(shut.content.decode()) == []
    button = Markup(shut.content.decode()).one("form", action=path(submitted, "claim/"))
    assert "Claim and open" in button.text
    assert as_agent.post(path(submitted, "claim/"))["Location"] == path(submitted)
    assert names_in(sound(as_agent.get(path(submitted))).one("main").text) != []
    row = page(as_agent).one("tbody").text
    assert "Larkfield Holdings" in row
    claims.take_over(Case.objects.get(), by=colleague, reason="Mine")
    shut_again = as_agent.get(path(submitted))
    assert shut_again.status_code == 403
    assert "Ask Dev Ramanathan to assign it to you." in " ".join(
        Markup(shut_again.content.decode()).one("main").text.split()
    )
    claims.assign({submitted.application.pk: ""}, to=agent, by=colleague)
    assert as_agent.get(path(submitted)).status_code == 200


def test_a_claim_that_has_ended_opens_nothing(submitted: Draft, agent: Any, as_agent: Client, settings: Any) -> None:
    agent.set_rights(OWN)
    claim(submitted, agent)
    hours = timezone.timedelta(hours=settings.CLAIM_HOURS)
    Case.objects.update(claimed_at=timezone.now() - hours)
    assert as_agent.get(path(submitted)).status_code == 403


def test_a_case_that_is_not_there_is_not_found(agent: Any, as_agent: Client, draft: Draft) -> None:
    agent.set_rights(OWN)
    # As absent as a draft, which nobody has submitted.
    for reference in ("FP-0000-0000-0000", draft.application.reference):
        assert as_agent.get(f"/desk/{reference}/").status_code == 404


def test_whoever_can_open_no_case_takes_none(
    submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client
) -> None:
    agent.set_rights([Right.REVIEW])
    for address in ("/desk/next-case/", path(submitted, "claim/"), "/desk/claims/"):
        assert as_agent.post(address, {"case": submitted.application.pk}).status_code == 403
    refused = as_colleague.post(path(submitted, "assignment/"), {"agent": agent.pk})
    assert refused.status_code == 422
    assert Case.objects.get().claimed_by is None
    agent.set_rights([Right.REVIEW, Right.OWN_CASES])
    assert as_colleague.post(path(submitted, "assignment/"), {"agent": agent.pk}).status_code == 302
    assert Case.objects.get().claimed_by == agent


def test_deliveries_are_open_as_their_cases_are(submitted: Draft, agent: Any, as_agent: Client) -> None:
    agent.set_rights(OWN)
    row = put("entity", "held", "unclear")
    assert as_agent.get("/desk/deliveries/").status_code == 403
    assert as_agent.get(f"/desk/deliveries/{row.pk}/").status_code == 403
    assert as_agent.get("/desk/deliveries/0/").status_code == 404
    claim(submitted, agent)
    assert as_agent.get(f"/desk/deliveries/{row.pk}/").status_code == 200
    assert as_agent.get("/desk/deliveries/").status_code == 403


@pytest.mark.parametrize(
    ("method", "address", "without", "named"),
    [
        ("get", "/desk/deliveries/", {Right.ALL_CASES}, "all_cases"),
        ("post", "{case}claim/", {Right.ALL_CASES, Right.OWN_CASES}, "own_cases"),
        ("post", "/desk/next-case/", {Right.ALL_CASES, Right.OWN_CASES}, "own_cases"),
        ("post", "{case}claim/", {Right.REVIEW}, "review"),
        ("post", "{case}ruling/", {Right.DECIDE}, "decide"),
        ("get", "{case}record.json", {Right.EXPORT}, "export"),
        ("get", "{case}parties/ada/erasure/", {Right.ERASE}, "erase"),
        ("get", "/desk/audit/", {Right.AUDIT}, "audit"),
        ("get", "/desk/api-keys/", {Right.KEYS}, "keys"),
    ],
)
def test_the_right_that_is_missing_is_named(
    submitted: Draft, agent: Any, as_agent: Client, method: str, address: str, without: set[str], named: str
) -> None:
    agent.set_rights(set(Right.values) - without)
    answer = getattr(as_agent, method)(address.format(case=path(submitted)))
    assert answer.status_code == 403
    assert f"You need the right “{named}” (" in sound(answer).one("main").text


# AGENTS_WITHOUT_RIGHTS=cases: answers, and neither documents nor numbers.


def test_with_the_setting_they_read_cases_without_documents_and_numbers(
    submitted: Draft, agent: Any, as_agent: Client, settings: Any
) -> None:
    settings.AGENTS_WITHOUT_RIGHTS = "cases"
    agent.set_rights([Right.REVIEW, Right.EXPORT])
    document = submitted.application.documents.latest("pk").pk
    handing_out = (f"documents/{document}/", f"documents/{document}/pages/1/", "record.json", "record.pdf")
    handing_out += (f"documents/{document}/pages/1/picture/", "parties/ada/screening/1/file/")
    for more in ("", "parties/ada/"):
        text = as_agent.get(path(submitted, more)).content.decode()
        assert "Lovelace" in text
        assert [one for one in handing_out if path(submitted, one) in text] == []
        assert "Show numbers" not in text
    entries = Entry.objects.filter(action__in=(AuditAction.LOOK, AuditAction.REVEAL, AuditAction.RECORD))
    for more in handing_out:
        assert as_agent.get(path(submitted, more)).status_code == 403, more
    assert as_agent.post(path(submitted, "parties/ada/numbers/")).status_code == 403
    assert not entries.exists()
    assert names_in(as_agent.get("/desk/").content.decode()) != []
    assert references(as_agent, "?q=Lovelace") == [submitted.application.reference]
    agent.set_rights([Right.REVIEW, Right.EXPORT, Right.OWN_CASES])
    assert as_agent.get(path(submitted, f"documents/{document}/")).status_code == 403
    claim(submitted, agent)
    answer = as_agent.get(path(submitted, f"documents/{document}/"))
    answer.close()
    assert answer.status_code == 200
