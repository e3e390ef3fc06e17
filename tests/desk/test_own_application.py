"""Nobody reviews their own application: an agent who owns, has submitted, works on or has filled in a part of it."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from formation_portal.accounts import addresses
from formation_portal.accounts.models import User
from formation_portal.applications.access import Collaborator, OwnApplication, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import Entry
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
from tests.reviews.deciding import confirm_proposal, decide

from .decision_setup import path
from .undecided_deliveries import put

BIRTH = Target.of_field("ada", "person.date_of_birth")


def own(draft: Draft, agent: Any) -> None:
    Application.objects.filter(pk=draft.application.pk).update(owner=agent)


def submit(draft: Draft, agent: Any) -> None:
    Application.objects.filter(pk=draft.application.pk).update(submitted_by=agent)


def work_on(draft: Draft, agent: Any) -> None:
    now = timezone.now()
    Collaborator.objects.create(
        application=draft.application, email=agent.email, user=agent, right=Right.VIEW, asked_at=now, expires_at=now
    )


def fill_in_a_part(draft: Draft, agent: Any) -> None:
    invite(draft, agent.email.upper(), opened_at=timezone.now())


def invite(draft: Draft, email: str, **more: Any) -> None:
    now = timezone.now()
    Invitation.objects.create(
        application=draft.application, party=draft.application.parties.get(), email=email, language="en",
        key_digest="x", sent_at=now, expires_at=now, **more,
    )  # fmt: skip


@pytest.fixture
def owned(submitted: Draft, agent: Any) -> Draft:
    """A case that is checked, and of an application that the agent owns."""
    factories.accept_everything(submitted, User.objects.create_user("zoe@example.com", is_agent=True))
    Case.objects.update(claimed_by=None, claimed_at=None)
    own(submitted, agent)
    return submitted


@pytest.mark.parametrize("make_own", [own, submit, work_on, fill_in_a_part])
def test_it_is_ones_own_in_each_of_these_ways(submitted: Draft, agent: Any, as_agent: Client, make_own: Any) -> None:
    make_own(submitted, agent)
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
    own(submitted, agent)
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
        refused = as_colleague.post(address, {"agent": str(agent.pk)} | form)
        assert refused.status_code == 422
        assert "1 case is their own application. Select another colleague." in refused.content.decode()
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
    now = timezone.now()
    asked = {"email": agent.email, "right": Right.VIEW, "key_digest": "y", "asked_at": now, "expires_at": now}
    Collaborator.objects.create(application=submitted.application, **asked)
    assert as_agent.get(path(submitted)).status_code == 200
    Invitation.objects.update(opened_at=F("sent_at"))
    assert as_agent.get(path(submitted)).status_code == 403
    # Of an address that was never confirmed nobody knows whose it is.
    EmailAddress.objects.filter(user=agent).update(verified=False)
    assert as_agent.get(path(submitted)).status_code == 200
    addresses.confirm(agent)
    assert as_agent.get(path(submitted)).status_code == 403
