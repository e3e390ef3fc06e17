"""A case is given to a colleague who may have it, and to nobody else; whoever has it by then keeps it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from tests.desk.factories import page, page_after_post, submitted_ones
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def holder(application: Application) -> Any:
    return Case.objects.get(pk=application.pk).claimed_by


@pytest.fixture
def third(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ana@example.com", first_name="Ana", is_agent=True)


def posted_from(client: Client, address: str, ticked: list[Application]) -> dict[str, Any]:
    """What a page of the desk posts to assign the ticked cases, but for the colleague."""
    markup = Markup(client.get(address).content.decode())
    return {
        "case": [one.pk for one in ticked],
        "held": [one.attributes["value"] for one in markup.all("input", name="held")],
    }


def test_selected_cases_are_assigned_and_the_colleague_reads_by_whom(
    owner: Any, colleague: Any, third: Any, as_agent: Client, as_colleague: Client
) -> None:
    free, theirs, left = submitted_ones(owner, 3)
    claims.claim([theirs.pk], by=third)
    posted = posted_from(as_agent, "/desk/", [free, theirs]) | {"agent": colleague.pk, "shown": "?view=all"}
    answer = as_agent.post("/desk/assignments/", posted)
    assert answer["Location"] == "/desk/?view=all"
    assert "You have assigned 2 cases to Dev Ramanathan." in as_agent.get("/desk/").content.decode()
    assert [holder(one) for one in (free, theirs, left)] == [colleague, colleague, None]
    assert [Application.objects.get(pk=one.pk).status for one in (free, left)] == [
        State.IN_REVIEW,
        State.SUBMITTED_FOR_REVIEW,
    ]
    assert page(as_colleague, "?view=mine").one("tbody").text.count("Assigned to you by Mira Okafor") == 2
    assert "Assigned by Mira Okafor" in page(as_agent, "?view=all").one("tbody").text


def test_history_and_audit_say_who_assigned_it_to_whom(
    submitted: Draft, colleague: Any, third: Any, as_agent: Client
) -> None:
    application = submitted.application
    address = f"/desk/{application.reference}/"
    claims.claim([application.pk], by=third)
    posted = posted_from(as_agent, address, []) | {"agent": colleague.pk}
    html = page_after_post(as_agent, f"{address}assignment/", posted)
    assert "Assigned by Mira Okafor, taken from Ana" in html
    assert "Assigned the case to Dev Ramanathan" in " ".join(html.split())
    entry = Entry.objects.filter(action=AuditAction.CLAIM).latest("number")
    detail = json.loads(entry.detail)
    assert (detail["did"], detail["to"], detail["taken_from"]) == ("assign", colleague.pk, third.pk)
    assert str(application.pk) in detail["rows"]["desk.case"]
    log = as_agent.get(f"/desk/audit/?reference={application.reference}").content.decode()
    assert "Assigned the case to Dev Ramanathan" in log


@pytest.mark.parametrize(
    "who", ["customer", "inactive", "without the right", "unknown", "nonsense", "oneself", "nobody"]
)
def test_nobody_without_the_right_is_given_a_case(
    submitted: Draft, owner: Any, agent: Any, colleague: Any, third: Any, who: str, as_agent: Client
) -> None:
    third.set_rights([one for one in Right.values if one != Right.REVIEW])
    if who == "inactive":
        colleague.is_active = False
        colleague.save()
    people = {"customer": owner.pk, "inactive": colleague.pk, "without the right": third.pk, "oneself": agent.pk}
    posted = {"case": submitted.application.pk, "held": "1.1", "shown": "?view=all"}
    posted["agent"] = people.get(who, {"unknown": "999999", "nonsense": "9" * 40, "nobody": ""}.get(who))
    for address in ("/desk/assignments/", f"/desk/{submitted.application.reference}/assignment/"):
        answer = as_agent.post(address, posted)
        markup = Markup(answer.content.decode())
        assert (answer.status_code, markup.faults) == (422, [])
        select = markup.one("select", name="agent")
        assert select.attributes["aria-invalid"] == "true"
        said = "Select a colleague." if who == "nobody" else "This person can’t be given cases."
        assert said in markup.one("p", id=select.attributes["aria-describedby"]).text
        kept = {name: markup.one("input", name=name).attributes["value"] for name in ("case", "held", "shown")}
        assert kept == {name: str(posted[name]) for name in kept}
    assert holder(submitted.application) is None
    assert not Entry.objects.filter(action=AuditAction.CLAIM).exists()


def test_whoever_claimed_it_meanwhile_keeps_it_and_is_named(
    submitted: Draft, owner: Any, colleague: Any, third: Any, as_agent: Client
) -> None:
    [free] = submitted_ones(owner, 1)
    posted = posted_from(as_agent, "/desk/", [submitted.application, free]) | {"agent": colleague.pk}
    claims.claim([submitted.application.pk], by=third)
    html = page_after_post(as_agent, "/desk/assignments/", posted)
    assert "Ana has already claimed Larkfield Holdings." in html
    assert "You have assigned 1 case to Dev Ramanathan." in html
    assert [holder(submitted.application), holder(free)] == [third, colleague]


def test_ones_own_and_ended_claims_are_handed_on_and_a_colleagues_own_is_left(
    owner: Any, agent: Any, colleague: Any, third: Any
) -> None:
    own, ended, theirs = submitted_ones(owner, 3)
    claims.claim([own.pk], by=agent)
    claims.claim([ended.pk], by=third)
    claims.claim([theirs.pk], by=colleague)
    Case.objects.filter(pk=ended.pk).update(claimed_at=timezone.now() - timedelta(days=2))
    since = Case.objects.get(pk=theirs.pk).claimed_at
    shown = {own.pk: "", ended.pk: "", theirs.pk: str(colleague.pk)}
    given, kept = claims.assign(shown, to=colleague, by=agent)
    assert [{one.pk for one in some} for some in (given, kept)] == [{own.pk, ended.pk}, {theirs.pk}]
    assert Case.objects.get(pk=theirs.pk).claimed_at == since
    assert set(Case.objects.values_list("taken_from", flat=True)) == {None}


def test_a_closed_case_and_nothing_selected_are_told(owner: Any, colleague: Any, as_agent: Client) -> None:
    [closed] = submitted_ones(owner, 1, state=State.WITHDRAWN)
    posted = {"case": closed.pk, "agent": colleague.pk}
    assert "Only open cases can be assigned." in page_after_post(as_agent, "/desk/assignments/", posted)
    assert holder(closed) is None
    assert "Select at least one case." in page_after_post(as_agent, "/desk/assignments/", {"agent": colleague.pk})
    assert "Assign to a colleague" not in as_agent.get(f"/desk/{closed.reference}/").content.decode()


@pytest.mark.parametrize("address", ["/desk/assignments/", "/desk/{}/assignment/"])
def test_only_agents_with_the_right_assign(
    submitted: Draft, agent: Any, colleague: Any, address: str, as_agent: Client, as_owner: Client, as_nobody: Client
) -> None:
    address, posted = address.format(submitted.application.reference), {"case": 1, "agent": colleague.pk}
    assert as_agent.get(address).status_code == 302
    agent.set_rights([one for one in Right.values if one != Right.REVIEW])
    assert [one.post(address, posted).status_code for one in (as_agent, as_owner, as_nobody)] == [403, 403, 302]
    assert "Assign" not in as_agent.get("/desk/").content.decode().replace("Assigned", "")
    assert holder(submitted.application) is None


def test_a_draft_cannot_be_assigned(draft: Draft, colleague: Any, as_agent: Client) -> None:
    address = f"/desk/{draft.application.reference}/assignment/"
    assert as_agent.post(address, {"agent": colleague.pk}).status_code == 404


def test_a_colleague_who_has_it_open_hears_that_it_is_theirs(
    submitted: Draft, agent: Any, colleague: Any, as_colleague: Client
) -> None:
    html = as_colleague.get(f"/desk/{submitted.application.reference}/").content.decode()
    asks = Markup(html).one("p", id="news").attributes["hx-get"]
    claims.claim([submitted.application.pk], by=agent)
    claims.assign({submitted.application.pk: ""}, to=colleague, by=agent)
    Application.objects.update(revision=1)
    asks = asks.replace(f"drawn={submitted.application.revision}.", "drawn=1.")
    assert (
        "Mira Okafor assigned this to you on" in as_colleague.get(asks, headers={"HX-Request": "true"}).content.decode()
    )
