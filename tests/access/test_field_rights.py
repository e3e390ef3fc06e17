"""Forms take the fields that they have and no others, and what agents write among themselves reaches no customer."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.desk.models import Case
from formation_portal.reviews.models import Check, Note, Query
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import WHOLE_APPLICATION
from tests.access.posts import sight
from tests.access.world import BIRTH, Things
from tests.accounts.test_sign_up import NEW

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# What no form has: columns of what is behind them.
COLUMNS = ["owner", "owner_id", "submitted_at", "is_agent", "is_superuser", "is_staff", "digest", "claimed_by", "by"]
MORE = dict.fromkeys([*COLUMNS, "q:owner"], "1") | dict.fromkeys(["state", "q:state"], "in_review")
MORE |= {"reference": "FP-0000-0000-0000", "given_right": "own"}


def test_a_section_keeps_its_own_answers_alone(complete: Draft, as_owner: Client) -> None:
    before = Application.objects.values().get()
    address = f"/applications/{complete.application.reference}/sections/the-company/"
    posted = {"version": str(complete.version("the-company")), "q:name": "Kestrel", "q:activity": "Holding company"}
    assert as_owner.post(address, posted | MORE).status_code == 302
    after = Application.objects.values().get()
    assert {name for name in before if before[name] != after[name]} <= {"revision", "updated_at"}
    answers = open_draft(Application.objects.get()).entity_raw
    assert answers["entity.name"] == "Kestrel"
    assert not set(answers) & {"state", "owner"}


def test_an_account_makes_itself_nobodys_agent(as_nobody: Client) -> None:
    as_nobody.post("/accounts/signup/", NEW | MORE)
    made = User.objects.get(email=NEW["email"])
    assert (made.is_agent, made.is_superuser, made.is_staff) == (False, False, False)


def test_what_is_done_in_a_review_is_done_as_oneself(
    submitted: Draft, as_agent: Client, agent: Any, owner: Any
) -> None:
    case = f"/desk/{submitted.application.reference}/"
    things = Things(submitted.application.reference, case=submitted.application.pk)
    for more, form in (
        ("acceptances/", {"place": str(BIRTH)}),
        ("remarks/", {"place": "/", "text": "Why?"}),
        ("notes/", {"note": "So"}),
        ("claim/", {}),
    ):
        as_agent.post(case + more, form | MORE | {"sight": sight(things), "by": str(owner.pk)})
    for model in (Check, Note):
        assert model._default_manager.get().by == agent
    assert not Query.objects.exclude(by=agent).exists()
    assert Case.objects.get().claimed_by == agent
    assert Application.objects.get().state == "in_review"


def test_notes_and_screening_reach_no_customer(
    submitted: Draft, as_owner: Client, agent: Any, as_agent: Client
) -> None:
    ada, today = submitted.parties[0], submitted.today
    write_note(submitted, WHOLE_APPLICATION, text="Canary-note", by=agent)
    record_screening(submitted, ada, kind="pep", done_on=today, outcome="match", text="Canary-risk", by=agent)
    assert "Canary-note" in as_agent.get(f"/desk/{submitted.application.reference}/").content.decode()
    root = f"/applications/{submitted.application.reference}/"
    pages = ("", "status/", "check/", "people/", "people/ada/", "documents/", "record.json", "sections/the-company/")
    for more in pages:
        answer = as_owner.get(root + more, follow=True)
        assert answer.status_code == 200, more
        assert b"Canary" not in b"".join(answer), more
