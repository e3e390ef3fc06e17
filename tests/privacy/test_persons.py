"""Erasing one person from somebody else's application: what goes, what stays, and who may."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import PSEUDONYM, pseudonymised
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.invitations import parts
from formation_portal.privacy.persons import NotErased, erase_person, why_party_stays
from formation_portal.relay.worker import drain
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.privacy.stages import again, files, findings, moved, opened_text, started
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db(databases=["default", "service"])

GRACE = factories.ADA | {
    "person.first_name": "Grace", "person.last_name": "Hopper", "person.email": "grace@hopper.example"
}  # fmt: skip
BIRTH = Target.of_field("second", "person.date_of_birth")


def with_grace(draft: Draft, owner: Any) -> Draft:
    """One more director, with a file and an invitation."""
    grace = services.add_party(draft, "person", ["director"], GRACE, by=owner, token="second")
    services.add_document(draft, grace, "Passport", factories.upload(name="grace-hopper.pdf"), by=owner)
    parts.invite(draft, grace, email="grace@hopper.example", by=owner, language="en")
    return draft


def returned_with_grace(owner: Any, agent: Any) -> Application:
    """Reviewed and returned, with her in every place where a review has words."""
    draft = open_draft(moved(with_grace(started(owner), owner), owner, agent, "submit"))
    grace = draft.party("second")

    def version() -> Any:
        return current_version(draft.application)

    write_note(draft, WHOLE_APPLICATION, text="Grace Hopper was an admiral", by=agent)
    record_screening(
        draft, grace, kind="pep", done_on=date(2026, 11, 20), outcome="clear", text="Hopper is none",
        upload=factories.upload(name="hopper.pdf"), by=agent,
    )  # fmt: skip
    accept(draft, [Target.of_field("ada", "person.date_of_birth")], by=agent, version=version())
    draft_query(draft, BIRTH, text="Is that right of Grace Hopper?", by=agent, version=version())
    decide(draft, RETURN, text="Ask Grace Hopper once more", by=agent, version=version())
    drain()
    return again(draft.application)


def where_she_is() -> set[str]:
    """The models with her name in a row."""
    lines = (line for line in opened_text().splitlines() if "hopper" in line or "grace" in line)
    return {line.partition(":")[0] for line in lines}


def test_of_a_draft_she_is_gone_everywhere_unless_it_is_on_hold(
    owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    draft = with_grace(started(owner), owner)
    drain()
    assert len(files()) == 4
    call_command("privacy", "hold", draft.application.reference, "A court asks")
    with pytest.raises(NotErased, match="on hold"):
        erase_person(again(draft.application), "second", by=None)
    call_command("privacy", "release", draft.application.reference)
    with (
        django_capture_on_commit_callbacks(execute=True),
        django_capture_on_commit_callbacks(using="service", execute=True),
    ):
        erase_person(again(draft.application), "second", by=None)
        drain()
    assert where_she_is() == set()
    # Ada is as she was, here and at the service.
    assert len(files()) == 2
    assert "lovelace" in opened_text()
    assert findings() == []


def test_of_a_review_she_is_gone_too_and_the_log_is_whole(owner: Any, agent: Any, as_agent: Client) -> None:
    application = returned_with_grace(owner, agent)
    desk = f"/desk/{application.reference}/"
    assert "erasure/" in as_agent.get(f"{desk}parties/second/").content.decode()
    answer = as_agent.post(f"{desk}parties/second/erasure/", follow=True)
    assert answer.redirect_chain[0][0] == desk
    assert "Erased." in answer.content.decode()
    assert as_agent.get(f"{desk}parties/second/").status_code == 404
    drain()
    # The formation service is told with the corrections; what was written to the customer stays there.
    assert {model for model in where_she_is() if not model.startswith("service.")} == set()
    services.submit(open_draft(again(application)), by=owner)
    drain()
    assert where_she_is() <= {"service.entity", "service.event", "service.keptanswer"}
    assert PSEUDONYM in opened_text()
    assert findings() == []
    entry = Entry.objects.filter(action=AuditAction.ERASURE).latest("number")
    assert (entry.subject, entry.account) == ("second", agent.pk)
    application.changes.latest("pk").delete()
    assert any("is gone" in finding for finding in findings()), "what somebody alters beside it is found"
    # Not without the right.
    agent.set_rights(["all_cases", "review"])
    assert "erasure/" not in as_agent.get(f"{desk}parties/ada/").content.decode()
    assert as_agent.post(f"{desk}parties/ada/erasure/").status_code == 403
    assert application.parties.filter(token="ada").exists()


@pytest.mark.parametrize(
    ("transitions", "day"), [(("decline",), "1 March 2027"), (("approve", "record_incorporation"), "13 May 2032")]
)
def test_of_a_decided_application_everybody_stays_for_as_long_as_its_end_asks_and_it_says_until_when(
    transitions: tuple[str, ...], day: str, owner: Any, agent: Any, as_agent: Client, settings: Any
) -> None:
    settings.RETENTION_DECLINED_DAYS, settings.RETENTION_INCORPORATED_DAYS = 100, 2000
    application = moved(started(owner), owner, agent, "submit", "begin_review", *transitions)
    # In the time zone of the tests it is the next day.
    application.changes.filter(moved_to=application.state).update(at=datetime(2026, 11, 20, 11, 20, tzinfo=UTC))
    assert why_party_stays(application) == f"Records of it must be kept until {day}"
    with pytest.raises(NotErased, match=f"must be kept until {day}"):
        erase_person(application, "ada", by=agent)
    path = f"/desk/{application.reference}/parties/ada/erasure/"
    assert "must be kept until" in as_agent.get(path).content.decode()
    assert as_agent.post(path).status_code == 409
    assert application.parties.count() == 1
    settings.RETENTION_DECLINED_DAYS = settings.RETENTION_INCORPORATED_DAYS = 0
    assert why_party_stays(application) == "Records of it must be kept until the operator ends that"


def test_of_a_withdrawn_one_she_goes_and_the_service_keeps_its_record(owner: Any, agent: Any) -> None:
    draft = with_grace(started(owner), owner)
    drain()
    application = moved(draft, owner, agent, "submit", "withdraw")
    erase_person(application, "second", by=agent)
    assert where_she_is() == {"service.party", "service.keptanswer", "service.document"}
    assert findings() == []


def test_the_command_finds_and_erases_and_names_nobody(
    owner: Any, agent: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    application = with_grace(started(owner), owner).application
    decided = moved(with_grace(started(owner), owner), owner, agent, "submit", "begin_review", "decline")
    call_command("privacy", "find", "GRACE@hopper.example")
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert lines[0] == f"{application.reference} second  draft  can be erased"
    assert lines[1].startswith(f"{decided.reference} second  rejected  must stay: Records of it")
    assert "hopper" not in output.lower()
    call_command("privacy", "erase-person", application.reference, "second")
    assert not application.parties.filter(token="second").exists()
    for reference, token in ((application.reference, "second"), (decided.reference, "second"), ("FP-0", "ada")):
        with pytest.raises(CommandError):
            call_command("privacy", "erase-person", reference, token)


def test_names_are_replaced_wherever_they_stand() -> None:
    said = {"label": "Grace Hopper, Ordinary", "before": ["Grace Hopper", 3, None], "grace hopper": "Grace"}
    assert pseudonymised(said, {"Grace Hopper", "Grace"}) == {
        "label": f"{PSEUDONYM}, Ordinary", "before": [PSEUDONYM, 3, None], "grace hopper": PSEUDONYM
    }  # fmt: skip
