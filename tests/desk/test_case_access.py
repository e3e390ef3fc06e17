"""Which cases agents open: by their rights to all or to their own, and by the setting where they have none."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from formation_portal.accounts import addresses
from formation_portal.accounts.models import Right, User
from formation_portal.applications.access import Collaborator, OwnApplication
from formation_portal.applications.access import Right as AccessRight
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.case.urls import application as case_urls
from formation_portal.desk.decisions.urls import application as decision_urls
from formation_portal.desk.models import Case
from formation_portal.desk.parties.urls import application as party_urls
from formation_portal.desk.queue import claims
from formation_portal.desk.queue.search import next_case_for
from formation_portal.desk.queue_state import QueueState
from formation_portal.invitations.models import Invitation
from formation_portal.relay.models import Delivery
from formation_portal.relay.resolution import declare_absent
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.decisions import APPROVE, DECLINE, RETURN, refuse_proposal
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import Check, Note, Query, ReviewDecision, ScreeningCheck
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.markup import Markup
from tests.reviews.deciding import confirm_proposal, decide
from tests.words_shown import words_in

from .decision_setup import path, sound
from .factories import page, references, searched
from .undecided_deliveries import put

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


# Nobody reviews their own application: an agent who owns, has submitted, works on or has filled in a part of it.


BIRTH = Target.of_field("ada", "person.date_of_birth")


@pytest.fixture
def owned(submitted: Draft, agent: Any) -> Draft:
    """A case that is checked, and of an application that the agent owns."""
    factories.accept_everything(submitted, User.objects.create_user("zoe@example.com", is_agent=True))
    Case.objects.update(claimed_by=None, claimed_at=None)
    Application.objects.update(owner=agent)
    return submitted


def invite(draft: Draft, email: str, **more: Any) -> None:
    moments: dict[str, Any] = dict.fromkeys(("sent_at", "expires_at"), timezone.now())
    party = {"party": draft.application.parties.get(), "email": email, "language": "en", "key_digest": "x"}
    Invitation.objects.create(application=draft.application, **party, **moments, **more)


def share(draft: Draft, email: str, **more: Any) -> None:
    asked = {"email": email, "right": AccessRight.VIEW, "key_digest": "y"}
    moments: dict[str, Any] = dict.fromkeys(("asked_at", "expires_at"), timezone.now())
    Collaborator.objects.create(application=draft.application, **asked, **moments, **more)


OWN_WAYS: dict[str, Callable[[Draft, Any], object]] = {
    "own": lambda draft, agent: Application.objects.update(owner=agent),
    "submit": lambda draft, agent: Application.objects.update(submitted_by=agent),
    "work on": lambda draft, agent: share(draft, agent.email, user=agent),
    "fill in a part": lambda draft, agent: invite(draft, agent.email.upper(), opened_at=timezone.now()),
}


@pytest.mark.parametrize("way", OWN_WAYS)
def test_it_is_ones_own_in_each_of_these_ways(submitted: Draft, agent: Any, as_agent: Client, way: str) -> None:
    OWN_WAYS[way](submitted, agent)
    assert as_agent.get(path(submitted)).status_code == 403
    with pytest.raises(OwnApplication):
        accept(submitted, [BIRTH], by=agent, version=current_version(submitted.application))
    assert claims.claim([submitted.application.pk], by=agent) == ([], [])


def rows() -> tuple[int, ...]:
    return tuple(one._default_manager.count() for one in (Check, Query, Note, ScreeningCheck, ReviewDecision, Entry))


def addresses_of(draft: Draft) -> list[str]:
    """Every address of the desk about the case, but for those that change nothing but who has claimed it."""
    document = draft.application.documents.latest("pk").pk
    values = {"number": document, "page": 1, "token": "ada"}
    return [
        reverse(
            f"desk:{pattern.name}",
            kwargs={"reference": draft.application.reference}
            | {name: values[name] for name in pattern.pattern.converters},
        )
        for pattern in (*case_urls, *decision_urls, *party_urls)
    ]


def test_every_page_of_it_is_shut_and_says_who_can(owned: Draft, as_agent: Client, colleague: Any) -> None:
    before = rows()
    for address in addresses_of(owned):
        for ask in (as_agent.get, as_agent.post):
            answer = ask(address, headers={"HX-Request": "true"} if ask == as_agent.post else {})
            assert answer.status_code in (403, 405), address
            if answer.status_code == 403:
                text = answer.content.decode()
                assert "You cannot review your own application" in text, address
                assert "Dev Ramanathan" in text, address
    assert rows() == before
    # There the applicant is a customer.
    address = f"/applications/{owned.application.reference}/"
    assert as_agent.get(address).status_code in (200, 302)
    assert address in as_agent.get(path(owned)).content.decode()


def test_nothing_of_a_review_is_done_by_its_applicant(owned: Draft, agent: Any) -> None:
    before, version = rows(), current_version(owned.application)
    party = owned.party("ada")
    assert party is not None
    doing: list[Callable[[], Any]] = [
        lambda: accept(owned, [BIRTH], by=agent, version=version),
        lambda: reopen(owned, BIRTH, by=agent, version=version),
        lambda: draft_query(owned, BIRTH, text="Really?", by=agent, version=version),
        lambda: write_note(owned, WHOLE_APPLICATION, text="Fine", by=agent),
        lambda: prove(owned, BIRTH, owned.documents[0], 1, text="", by=agent, version=version),
        lambda: record_screening(owned, party, kind="pep", done_on=timezone.localdate(), outcome="clear", by=agent),
        lambda: decide(owned, APPROVE, by=agent, version=version),
        lambda: decide(owned, RETURN, text="Look", by=agent, version=version),
        lambda: decide(owned, DECLINE, text="No", by=agent, version=version),
    ]
    for do in doing:
        with pytest.raises(OwnApplication):
            do()
    assert rows() == before


def test_its_applicant_confirms_no_proposal(submitted: Draft, agent: Any, colleague: Any, settings: Any) -> None:
    settings.FOUR_EYES = True
    factories.accept_everything(submitted, colleague)
    Application.objects.update(owner=agent)
    decide(submitted, APPROVE, by=colleague, version=current_version(submitted.application))
    version = current_version(submitted.application)
    with pytest.raises(OwnApplication):
        confirm_proposal(submitted, by=agent, version=version)
    with pytest.raises(OwnApplication):
        refuse_proposal(submitted, why="No", by=agent, version=version)
    assert ReviewDecision.objects.get().outcome == "waiting"


def test_it_is_claimed_by_others_alone(owned: Draft, agent: Any, as_agent: Client, colleague: Any) -> None:
    assert as_agent.post(path(owned, "claim/")).status_code == 403
    text = as_agent.post("/desk/claims/", {"case": [owned.application.pk]}, follow=True).content.decode()
    assert "1 case left out: your own application." in text
    assert claims.claim([owned.application.pk], by=agent) == ([], [])
    case = Case.objects.get(pk=owned.application.pk)
    with pytest.raises(OwnApplication):
        claims.claim_free(case, free=claims.unclaimed(), by=agent)
    assert next_case_for(agent, QueueState()) == (None, "No unassigned cases match.")
    assert Case.objects.get(pk=owned.application.pk).claimed_by is None
    following, _ = next_case_for(colleague, QueueState())
    assert following == case
    assert Case.objects.get(pk=owned.application.pk).claimed_by == colleague
    answer = as_agent.post(path(owned, "claim/"), {"from": str(colleague.pk), "takeover_reason": "Mine"})
    assert answer.status_code == 403
    assert Case.objects.get(pk=owned.application.pk).claimed_by == colleague


def test_it_is_assigned_neither_to_its_applicant_nor_by_them(
    owned: Draft, agent: Any, as_agent: Client, as_colleague: Client, colleague: Any
) -> None:
    for address, form in (("/desk/assignments/", {"case": owned.application.pk}), (path(owned, "assignment/"), {})):
        refused = sound(as_colleague.post(address, {"agent": str(agent.pk)} | form), 422)
        assert "1 case is their own application. Select another colleague." in refused.one("main").text
        assert as_agent.post(address, {"agent": str(colleague.pk)} | form).status_code == 403
    for to, by in ((agent, colleague), (colleague, agent)):
        with pytest.raises(OwnApplication):
            claims.assign({owned.application.pk: ""}, to=to, by=by)
    assert Case.objects.get(pk=owned.application.pk).claimed_by is None


def test_its_deliveries_are_for_others(owned: Draft, agent: Any, as_agent: Client, as_colleague: Client) -> None:
    row = put("entity", "held", "unclear")
    assert as_agent.get(f"/desk/deliveries/{row.pk}/").status_code == 403
    form = {"decision": "absent", "seen": row.updated_at.isoformat()}
    assert as_agent.post(f"/desk/deliveries/{row.pk}/decision/", form).status_code == 403
    with pytest.raises(OwnApplication):
        declare_absent(row.pk, agent=agent)
    assert Delivery.objects.get(pk=row.pk).state == "held"
    assert as_colleague.post(f"/desk/deliveries/{row.pk}/decision/", form).status_code == 302


def test_whose_address_was_only_named_reviews_as_before(submitted: Draft, agent: Any, as_agent: Client) -> None:
    """Else a customer could choose who reviews their case, by naming all others."""
    invite(submitted, agent.email)
    share(submitted, agent.email)
    assert as_agent.get(path(submitted)).status_code == 200
    Invitation.objects.update(opened_at=F("sent_at"))
    assert as_agent.get(path(submitted)).status_code == 403
    # Of an address that was never confirmed nobody knows whose it is.
    EmailAddress.objects.filter(user=agent).update(verified=False)
    assert as_agent.get(path(submitted)).status_code == 200
    addresses.confirm(agent)
    assert as_agent.get(path(submitted)).status_code == 403
