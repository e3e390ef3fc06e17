"""Pages of the desk offer only what their reader may do."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts.models import Right
from formation_portal.applications.draft import Draft
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# By right: what a page has that offers it, and where.
OFFERS = [
    (Right.REVIEW, "", "Claim selected"),
    (Right.REVIEW, "", "/desk/next-case/"),
    (Right.REVIEW, "", 'type="checkbox" name="case"'),
    (Right.REVIEW, "", 'href="/desk/texts/"'),
    (Right.AUDIT, "", 'href="/desk/audit/"'),
    (Right.WORKBENCH, "", 'href="/workbench/"'),
    (Right.REVIEW, "{}/", "/claim/"),
    (Right.REVIEW, "{}/", "/acceptances/"),
    (Right.REVIEW, "{}/", "/remarks/?"),
    (Right.REVIEW, "{}/", "/notes/"),
    (Right.REVIEW, "{}/parties/ada/", "/acceptances/"),
    (Right.REVIEW, "{}/parties/ada/", "/remarks/?"),
    (Right.DECIDE, "{}/", "/ruling/"),
    (Right.REVIEW, "{}/", "/desk/next-case/"),
    (Right.EXPORT, "{}/", "record.json"),
    (Right.EXPORT, "{}/", "record.pdf"),
    (Right.AUDIT, "{}/", "/desk/audit/?reference="),
    (Right.EXPORT, "audit/", "entries.csv"),
    (Right.EXPORT, "figures/", "open.csv"),
    (Right.EXPORT, "figures/", "throughput.csv"),
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
    ("post", "/desk/next-case/", WITHOUT_CASES, "own_cases", "open the cases claimed by them"),
    ("get", "/desk/deliveries/", ALL_BUT[Right.ALL_CASES], "all_cases", "open every case"),
    *(
        ("post", f"/desk/{address}", ALL_BUT[Right.REVIEW], "review", "claim cases, check facts and raise queries")
        for address in (
            *("next-case/", "claims/", "releases/", "assignments/", "{}/assignment/", "{}/claim/", "{}/release/"),
            *("texts/", "texts/1/", "texts/1/removal/", "{}/acceptances/", "{}/reopenings/"),
            *("{}/remarks/", "{}/remarks/1/removal/", "{}/remarks/1/settlement/", "{}/notes/", "{}/notes/1/removal/"),
            *("{}/parties/ada/evidence/", "{}/parties/ada/screening/", "{}/parties/ada/screening/1/removal/"),
        )
    ),
    ("get", "/desk/{}/ruling/", ALL_BUT[Right.DECIDE], "decide", "approve, return and decline"),
    *(
        ("post", f"/desk/{{}}/{address}", ALL_BUT[Right.DECIDE], "decide", "approve, return and decline")
        for address in ("ruling/", "ruling/retraction/", "service-status/", "service-status/dismissal/")
    ),
    ("post", "/desk/{}/ruling/confirmation/", ALL_BUT[Right.CONFIRM], "confirm", "confirm another agent’s decision"),
    ("post", "/desk/{}/ruling/refusal/", ALL_BUT[Right.CONFIRM], "confirm", "confirm another agent’s decision"),
    ("get", "/desk/{}/record.json", ALL_BUT[Right.EXPORT], "export", "download records as JSON, PDF and CSV"),
    ("get", "/desk/{}/record.pdf", ALL_BUT[Right.EXPORT], "export", "download records as JSON, PDF and CSV"),
    ("get", "/desk/figures/open.csv", ALL_BUT[Right.EXPORT], "export", "download records as JSON, PDF and CSV"),
    ("get", "/desk/audit/entries.csv", ALL_BUT[Right.EXPORT], "export", "download records as JSON, PDF and CSV"),
    ("get", "/desk/audit/entries.csv", ALL_BUT[Right.AUDIT], "audit", "read the audit log"),
    ("get", "/desk/audit/", ALL_BUT[Right.AUDIT], "audit", "read the audit log"),
    ("get", "/desk/audit/1/", ALL_BUT[Right.AUDIT], "audit", "read the audit log"),
    ("get", "/workbench/", ALL_BUT[Right.WORKBENCH], "workbench", "try out schemas at the workbench"),
    ("post", "/desk/api-keys/1/revocation/", ALL_BUT[Right.KEYS], "keys", "make and revoke API keys"),
    ("get", "/desk/api-keys/", ALL_BUT[Right.KEYS], "keys", "make and revoke API keys"),
    ("get", "/desk/{}/parties/ada/erasure/", ALL_BUT[Right.ERASE], "erase", "erase a person from an application"),
    ("post", "/desk/{}/parties/ada/erasure/", ALL_BUT[Right.ERASE], "erase", "erase a person from an application"),
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
