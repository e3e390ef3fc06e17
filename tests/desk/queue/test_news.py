"""New work is said as a count, at the page's own asking; the rows stay as they are."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.desk.models import Case
from formation_portal.desk.queue.pages import QueueVersion
from tests.desk.factories import page, searched, submitted_ones
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])
HTMX = {"HX-Request": "true"}


def asks(client: Client, query: str = "") -> str:
    """Where a page of the queue asks for news; it was drawn some time ago."""
    address = page(client, query).one("p", id="news").attributes["hx-get"]
    old = QueueVersion.read(address.partition("token=")[2])
    assert old is not None
    return address.replace(str(old), str(replace(old, drawn=timezone.now() - timedelta(seconds=20))))


def test_nothing_new_is_no_content(owner: Any, as_agent: Client) -> None:
    submitted_ones(owner, 2, first_days=1)
    Case.objects.update(changed_at=timezone.now() - timedelta(hours=1))
    assert as_agent.get(asks(as_agent), headers=HTMX).status_code == 204


def test_what_has_come_is_counted_once_and_leads_to_the_newest(owner: Any, as_agent: Client) -> None:
    query = searched(as_agent, "?view=unclaimed&q=ingrid")
    address = asks(as_agent, query)
    submitted_ones(owner, 1)
    submitted_ones(owner, 1)
    answer = Markup(as_agent.get(address, headers=HTMX).content.decode())
    assert answer.one("p", id="announcer").text == "2 new cases"
    assert answer.one("p", id="news").text == "2 new cases. Show"
    assert answer.one("a").attributes["href"] == f"/desk/{query}&sort=newest"
    following = answer.one("p", id="news").attributes["hx-get"]
    assert as_agent.get(following, headers=HTMX).status_code == 204
    submitted_ones(owner, 1)
    assert "3 new cases" in as_agent.get(following, headers=HTMX).content.decode()


def test_what_the_view_and_the_filters_leave_out_is_no_news(owner: Any, agent: Any, as_agent: Client) -> None:
    addresses = [asks(as_agent, query) for query in ("?view=unclaimed", "?q=nobody", "?view=answered")]
    [case] = submitted_ones(owner, 1)
    Case.objects.filter(pk=case.pk).update(claimed_by=agent, claimed_at=timezone.now())
    assert [as_agent.get(one, headers=HTMX).status_code for one in addresses] == [204] * 3


def test_what_had_come_and_is_gone_again_is_taken_back(owner: Any, agent: Any, as_agent: Client) -> None:
    address = asks(as_agent, "?view=unclaimed")
    [case] = submitted_ones(owner, 1)
    following = Markup(as_agent.get(address, headers=HTMX).content.decode()).one("p", id="news").attributes["hx-get"]
    Case.objects.filter(pk=case.pk).update(claimed_by=agent, claimed_at=timezone.now())
    answer = Markup(as_agent.get(following, headers=HTMX).content.decode())
    assert answer.one("p", id="news").text == ""
    assert answer.all("a") == []


def test_a_case_that_the_page_shows_already_is_no_news(owner: Any, as_agent: Client) -> None:
    submitted_ones(owner, 1)
    address = page(as_agent).one("p", id="news").attributes["hx-get"]
    assert as_agent.get(address, headers=HTMX).status_code == 204


def test_a_case_whose_submission_is_seen_late_is_news(owner: Any, as_agent: Client) -> None:
    address = page(as_agent).one("p", id="news").attributes["hx-get"]
    [case] = submitted_ones(owner, 1)
    late = timezone.now() - timedelta(seconds=2)
    Case.objects.filter(pk=case.pk).update(submitted_at=late, open_since=late, waiting_since=late)
    assert "1 new case." in as_agent.get(address, headers=HTMX).content.decode()


@pytest.mark.parametrize("token", ["", "nonsense", "1", "1.x", "9" * 40 + ".1", "9" * 18 + ".1", "1.2.x"])
def test_a_version_that_cannot_be_read_is_no_news(owner: Any, as_agent: Client, token: str) -> None:
    submitted_ones(owner, 1)
    assert as_agent.get(f"/desk/news/?token={token}", headers=HTMX).status_code == 204


def test_asking_is_no_use_of_the_session(as_agent: Client) -> None:
    address = asks(as_agent)
    session = as_agent.session
    session["used_at"] = used = timezone.now().timestamp() - 600
    session.save()
    as_agent.get(address, headers=HTMX)
    assert as_agent.session["used_at"] == used
    as_agent.get("/desk/")
    assert as_agent.session["used_at"] > used


def test_its_address_opened_by_itself_is_the_queue(as_agent: Client) -> None:
    assert as_agent.get("/desk/news/?view=mine&token=1.2")["Location"] == "/desk/?view=mine"


def test_a_page_whose_session_has_ended_stays_and_hears_of_nothing(as_nobody: Client) -> None:
    answer = as_nobody.get("/desk/news/", headers=HTMX)
    assert (answer.status_code, dict(answer.headers).get("HX-Redirect")) == (204, None)


def test_without_script_nothing_asks(as_agent: Client) -> None:
    markup = page(as_agent)
    assert markup.one("p", id="news").attributes["hx-trigger"] == "look"
    assert any("with-script" in up.attributes.get("class", "") for up in markup.one("p", id="news").ancestors)
