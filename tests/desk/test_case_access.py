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
from tests import factories
from tests.markup import Markup
from tests.words_shown import words_in

from .decision_setup import path, sound
from .factories import page, references, searched

OWN = [right for right in Right.values if right != Right.ALL_CASES]
NAMES = ("Larkfield", "Ingrid", "Solheim", "Ada", "Lovelace", "ada@example.com")


def names_in(text: str) -> list[str]:
    return words_in(text, NAMES)


def claim(draft: Draft, agent: Any) -> None:
    assert claims.claim([draft.application.pk], by=agent)[0]


def test_the_queue_names_nobody_by_default(submitted: Draft, agent: Any, as_agent: Client) -> None:
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
def test_without_names_only_references_find_a_case(submitted: Draft, agent: Any, as_agent: Client, typed: str) -> None:
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


def test_without_names_references_are_said(submitted: Draft, agent: Any, as_agent: Client, colleague: Any) -> None:
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


def test_who_opens_their_own_claims_them_first_and_until_the_claim_has_ended(
    submitted: Draft, owner: Any, agent: Any, as_agent: Client, colleague: Any, settings: Any
) -> None:
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
    Case.objects.update(claimed_at=timezone.now() - timezone.timedelta(hours=settings.CLAIM_HOURS))
    assert as_agent.get(path(submitted)).status_code == 403
    # As absent as a draft, which nobody has submitted.
    for reference in ("FP-0000-0000-0000", factories.new_draft(owner).application.reference):
        assert as_agent.get(f"/desk/{reference}/").status_code == 404
        assert as_agent.post(f"/desk/{reference}/claim/").status_code == 404


def test_who_can_open_no_case_takes_none(submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client) -> None:
    agent.set_rights([Right.REVIEW])
    for address in ("/desk/next-case/", path(submitted, "claim/"), "/desk/claims/"):
        assert as_agent.post(address, {"case": submitted.application.pk}).status_code == 403
    refused = as_colleague.post(path(submitted, "assignment/"), {"agent": agent.pk})
    assert refused.status_code == 422
    assert Case.objects.get().claimed_by is None
    agent.set_rights([Right.REVIEW, Right.OWN_CASES])
    assert as_colleague.post(path(submitted, "assignment/"), {"agent": agent.pk}).status_code == 302
    assert Case.objects.get().claimed_by == agent


def test_the_setting_shows_answers_alone(submitted: Draft, agent: Any, as_agent: Client, settings: Any) -> None:
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


# Pages offer only what their reader may do, and who lacks a right reads who has it.


# By right: what a page has that offers it, and where.
OFFERS = [
    (Right.REVIEW, "", "Claim selected"),
    (Right.REVIEW, "", 'type="checkbox" name="case"'),
    (Right.REVIEW, "", 'href="/desk/texts/"'),
    (Right.AUDIT, "", 'href="/desk/audit/"'),
    (Right.WORKBENCH, "", 'href="/workbench/"'),
    (Right.REVIEW, "{}/", "/claim/"),
    (Right.REVIEW, "{}/", "/remarks/?"),
    (Right.REVIEW, "{}/", "/notes/"),
    (Right.REVIEW, "{}/parties/ada/", "/acceptances/"),
    (Right.DECIDE, "{}/", "/ruling/"),
    (Right.REVIEW, "{}/", "/desk/next-case/"),
    (Right.EXPORT, "{}/", "record.json"),
    (Right.AUDIT, "{}/", "/desk/audit/?reference="),
    (Right.EXPORT, "audit/", "entries.csv"),
    (Right.EXPORT, "figures/", "open.csv"),
]


def test_only_what_one_may_do_is_offered(submitted: Draft, agent: Any, as_agent: Client) -> None:
    pages = {path: f"/desk/{path.format(submitted.application.reference)}" for _, path, _ in OFFERS}
    everything = {path: as_agent.get(address).content.decode() for path, address in pages.items()}
    assert [offer for _, path, offer in OFFERS if offer not in everything[path]] == []
    for right in {right for right, _, _ in OFFERS}:
        agent.set_rights([one for one in Right.values if one != right])
        here = [(path, offer) for its, path, offer in OFFERS if its is right]
        shown = {path: as_agent.get(pages[path]).content.decode() for path, _ in here}
        assert [(path, offer) for path, offer in here if offer in shown[path]] == []


ALL_BUT = {right: [one for one in Right.values if one != right] for right in Right}
WITHOUT_CASES = [right for right in Right.values if right not in (Right.OWN_CASES, Right.ALL_CASES)]
# By method and address: the rights of an agent who is refused there, and the right that the page names.
REFUSALS = [
    ("get", "/desk/{}/", WITHOUT_CASES, "own_cases", "open the cases claimed by them"),
    ("get", "/desk/deliveries/", ALL_BUT[Right.ALL_CASES], "all_cases", "open every case"),
    ("post", "/desk/{}/claim/", ALL_BUT[Right.REVIEW], "review", "claim cases, check facts and raise queries"),
    ("get", "/desk/{}/ruling/", ALL_BUT[Right.DECIDE], "decide", "approve, return and decline"),
    ("post", "/desk/{}/ruling/confirmation/", ALL_BUT[Right.CONFIRM], "confirm", "confirm another agent’s decision"),
    ("get", "/desk/{}/record.pdf", ALL_BUT[Right.EXPORT], "export", "download records as JSON, PDF and CSV"),
    ("get", "/desk/audit/", ALL_BUT[Right.AUDIT], "audit", "read the audit log"),
    ("get", "/workbench/", ALL_BUT[Right.WORKBENCH], "workbench", "try out schemas at the workbench"),
    ("get", "/desk/api-keys/", ALL_BUT[Right.KEYS], "keys", "make and revoke API keys"),
    ("get", "/desk/{}/parties/ada/erasure/", ALL_BUT[Right.ERASE], "erase", "erase a person from an application"),
]


def test_who_lacks_a_right_reads_which_one_and_who_has_it(submitted: Draft, agent: Any, as_agent: Client) -> None:
    """The colleagues who have a right are named, and no others."""
    make = type(agent).objects.create_user
    for right in Right.values:
        make(f"{right}@example.com", first_name=f"Has-{right}", is_agent=True, rights=[right])
    for method, address, rights, right, words in REFUSALS:
        agent.set_rights(rights)
        answer = getattr(as_agent, method)(address.format(submitted.application.reference))
        text = " ".join(Markup(answer.content.decode()).one("main").text.split())
        assert (answer.status_code, f"You need the right “{right}” ({words}" in text) == (403, True), (method, address)
        assert f"Ask a colleague who has this right: Has-{right}." in text
        assert f"--give {right}" in text
