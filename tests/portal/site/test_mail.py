"""The outbox and the previews, for the demo alone; and how to get no more e-mails of a kind."""

import re
from typing import Any

import pytest
from django.test import Client

from formation_portal.mail.models import Email, Refusal
from formation_portal.mail.outbox import kind_in_token, queue_email, unsubscribe_path
from formation_portal.mail.rendering import sample_contexts
from tests.portal.pages import page_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def letter() -> Email:
    context = {"code": "204 816", "minutes": 10}
    queue_email(kind="code", to="ada@example.com", language="en", context=context)
    return Email.objects.get()


def test_the_newest_email_is_the_first_and_shown_in_a_frame_that_may_do_nothing(
    as_nobody: Client, letter: Email
) -> None:
    for subject in ("First", "Second", "Third"):
        Email.objects.create(kind="code", language="en", subject=subject, text="Hello")
    subjects = page_at(as_nobody, "/letters/").one("main").text
    assert subjects.index("Third") < subjects.index("Second") < subjects.index("First")
    frame = page_at(as_nobody, f"/letters/{letter.number}/").one("iframe")
    assert frame.attributes["sandbox"] == ""
    framed = as_nobody.get(frame.attributes["src"])
    assert framed.content.decode() == letter.html
    assert framed["X-Frame-Options"] == "SAMEORIGIN"
    policy = framed["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.endswith("sandbox")
    assert "script" not in policy


@pytest.mark.parametrize(
    "path",
    ["/gallery/", "/letters/", "/letters/{}/", "/letters/{}/body/", "/gallery/letters/", "/gallery/letters/code/"],
)
def test_without_the_demo_there_is_none_of_it(as_agent: Client, letter: Email, settings: Any, path: str) -> None:
    settings.DEMO = False
    assert as_agent.get(path.format(letter.number)).status_code == 404


def remind(to: str) -> None:
    queue_email(kind="reminder", to=to, language="en", context=sample_contexts()["reminder"])


def test_whoever_wants_no_more_reminders_gets_none_and_need_not_sign_in(as_nobody: Client) -> None:
    remind("Ada@example.com")
    (link,) = set(re.findall(r"/letters/refusal/\S+/", Email.objects.get().text))
    assert "Stop these e-mails" in page_at(as_nobody, link).one("main").text
    assert not Refusal.objects.exists()
    answer = as_nobody.post(link)
    assert answer.status_code == 302
    assert "We will not send you these e-mails again" in page_at(as_nobody, answer["Location"]).one("main").text
    remind("ada@example.com")
    remind("bob@example.com")
    assert Email.objects.filter(kind="reminder").count() == 2
    as_nobody.post(link)
    assert Refusal.objects.count() == 1


def test_the_way_out_names_nobody_cannot_be_made_up_and_is_none_of_what_has_to_be_known(as_nobody: Client) -> None:
    path = unsubscribe_path(kind="reminder", to="ada@example.com")
    assert "ada" not in path
    assert as_nobody.get(f"{path[:-2]}x/").status_code == 404
    assert kind_in_token("made:up") is None
    path = unsubscribe_path(kind="decision", to="ada@example.com")
    assert as_nobody.post(path).status_code == 404
    assert not Refusal.objects.exists()
