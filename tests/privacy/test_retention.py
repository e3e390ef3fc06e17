"""Retention erases all that is due, at its stage, and nothing else."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application, Preview
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.mail.models import Email
from formation_portal.privacy import retention
from formation_portal.privacy.announcements import deleted_on
from formation_portal.privacy.retention import RULES, erase_what_is_due
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind
from tests.privacy.stages import again, aged, files, findings, moved, opened_text, replaced, started

pytestmark = pytest.mark.django_db(databases=["default", "service"])

WAYS = {
    "withdrawn": ("submit", "withdraw"),
    "declined": ("submit", "begin_review", "decline"),
    "incorporated": ("submit", "begin_review", "approve", "record_incorporation"),
}
SETTING = {rule.name: rule.setting for rule in RULES}
Closed = Callable[[str], Application]


@pytest.fixture
def closed(owner: Any, agent: Any) -> Closed:
    """An application that came to its end, by that end's name."""
    return lambda end: moved(started(owner), owner, agent, *WAYS[end])


def holds_in_the_audit_log() -> list[tuple[int, str]]:
    """The entries of holds and releases: of which application, and which of the two."""
    entries = Entry.objects.filter(action=AuditAction.ERASURE).order_by("number")
    told = [(entry.application, json.loads(entry.detail).get("reason", "")) for entry in entries]
    return [one for one in told if one[1] in ("hold", "release")]


@pytest.mark.parametrize("end", WAYS)
def test_a_closed_application_goes_when_its_time_is_over(
    closed: Closed, as_agent: Client, end: str, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.RETENTION_COPY_DAYS = 0
    days = getattr(settings, SETTING[end])
    young, old = aged(closed(end), days=days - 1), aged(closed(end), days=days + 1)
    call_command("privacy", "retention", "--dry-run")
    output = capsys.readouterr().out
    assert f"{end}: 1 due" in output
    assert old.reference in output
    assert again(old).deleted_at is None, "a dry run erases nothing"
    setattr(settings, SETTING[end], 0)
    assert erase_what_is_due()[end] == 0
    setattr(settings, SETTING[end], days)
    assert erase_what_is_due()[end] == 1
    assert again(old).deleted_at is not None
    assert as_agent.get(f"/desk/{old.reference}/").status_code == 404
    assert old.reference not in as_agent.get("/desk/?view=closed").content.decode()
    assert (again(young).deleted_at, again(young).parties.count()) == (None, 1)
    assert not Delivery.objects.filter(application=old).exists()
    # The empty row keeps how it ended, which statistics count.
    assert (again(old).state, again(old).declaration) == (old.state, "")
    # An age was given to the rows that are left, which the log finds.
    assert [one for one in findings() if "is gone" in one] == []


def test_what_is_under_way_or_on_hold_stays(closed: Closed, owner: Any, agent: Any, settings: Any) -> None:
    settings.RETENTION_COPY_DAYS = 0
    held, unsettled = (aged(closed("withdrawn"), days=400) for _ in range(2))
    call_command("privacy", "hold", held.reference, "A court asks")
    Delivery.objects.filter(application=unsettled, kind="entity").update(state=DeliveryState.HELD, reason="unclear")
    reviewed = aged(moved(started(owner), owner, agent, "submit", "begin_review"), days=4_000)
    registry = aged(moved(started(owner), owner, agent, "submit", "begin_review", "approve"), days=4_000)
    returned = aged(moved(started(owner), owner, agent, "submit", "begin_review", "return"), days=4_000)
    erase_what_is_due()
    assert [again(one).deleted_at for one in (held, unsettled, reviewed, registry, returned)] == [None] * 5
    assert again(held).hold_reason == "A court asks"
    assert holds_in_the_audit_log() == [(held.pk, "hold")]
    call_command("privacy", "release", held.reference)
    assert holds_in_the_audit_log() == [(held.pk, "hold"), (held.pk, "release")]
    assert erase_what_is_due()["withdrawn"] == 1
    assert again(held).deleted_at is not None
    with pytest.raises(CommandError, match="no application"):
        call_command("privacy", "hold", held.reference, "Too late")


def test_a_draft_is_announced_two_weeks_before(owner: Any, settings: Any) -> None:
    used, unused = started(owner).application, aged(started(owner).application, days=170)
    assert erase_what_is_due() | {"copies": 0} == dict.fromkeys(SETTING, 0) | {"announcements": 1}
    assert erase_what_is_due()["announcements"] == 0, "once"
    letter = Email.objects.get(kind="draft_deletion")
    assert (letter.to, letter.reference) == (owner.email, unused.reference)
    day = deleted_on(again(unused))
    assert day is not None
    assert (day - timezone.now()).days == 13
    assert deleted_on(again(used)) is None
    # Whose time is over, and who was told too lately.
    aged(again(unused), days=200)
    assert erase_what_is_due()["drafts"] == 0
    Application.objects.filter(pk=unused.pk).update(deletion_announced_at=timezone.now() - timedelta(days=15))
    assert erase_what_is_due()["drafts"] == 1
    assert again(unused).deleted_at is not None
    assert again(used).deleted_at is None


def test_who_changes_a_draft_keeps_it(owner: Any, as_owner: Client) -> None:
    unused = aged(started(owner).application, days=170)
    erase_what_is_due()
    overview = f"/applications/{unused.reference}/"
    assert "Keep this draft" in as_owner.get(overview).content.decode()
    as_owner.post(f"{overview}keeping/")
    assert "Keep this draft" not in as_owner.get(overview).content.decode()
    Application.objects.filter(pk=unused.pk).update(deletion_announced_at=timezone.now() - timedelta(days=15))
    assert not any(erase_what_is_due().values())
    assert again(unused).deleted_at is None


def test_copies_go_once_the_service_has_the_files(
    closed: Closed, as_owner: Client, as_agent: Client, django_capture_on_commit_callbacks: Any
) -> None:
    young, old = closed("incorporated"), aged(closed("incorporated"), days=31)
    kept = len(files())
    delivery = Delivery.objects.get(application=old, kind=ResourceKind.DOCUMENT)
    for doubt in ({"state": DeliveryState.WAITING}, {"document_status": "rejected"}, {"remote_id": ""}):
        Delivery.objects.filter(pk=delivery.pk).update(**doubt)
        assert erase_what_is_due()["copies"] == 0, doubt
        assert old.documents.get().has_copy
        delivery.save()
    with (
        django_capture_on_commit_callbacks(execute=True),
        django_capture_on_commit_callbacks(using="service", execute=True),
    ):
        counts = erase_what_is_due()
    assert counts == dict.fromkeys(SETTING, 0) | {"copies": 1}
    assert len(files()) == kept - 1
    document = old.documents.get()
    assert (document.has_copy, str(document.file), document.name) == (False, "", "passport.pdf")
    assert Preview.objects.filter(document=document).count() == 0
    assert young.documents.get().has_copy
    # Whoever asks for it reads where it is.
    for client, path in ((as_owner, f"/applications/{old.reference}"), (as_agent, f"/desk/{old.reference}")):
        answer = client.get(f"{path}/documents/{document.pk}/")
        assert answer.status_code == 410
        assert "formation service" in answer.content.decode()
    assert as_owner.get(f"/applications/{old.reference}/status/").status_code == 200
    assert "Kept by the formation service" in as_agent.get(f"/desk/{old.reference}/").content.decode()
    viewer = as_agent.get(f"/desk/{old.reference}/parties/ada/").content.decode()
    assert "The formation service has this file." in viewer
    assert f"documents/{document.pk}/pages/" not in viewer
    assert erase_what_is_due()["copies"] == 0, "once"


def test_a_file_that_was_replaced_goes_while_the_service_may_lack_the_other(owner: Any, agent: Any) -> None:
    draft = started(owner)
    replaced(draft, owner)
    old = aged(moved(draft, owner, agent, *WAYS["declined"]), days=31)
    deliveries = Delivery.objects.filter(application=old, kind=ResourceKind.DOCUMENT)
    for state, other_stays in ((DeliveryState.WAITING, True), (DeliveryState.DONE, False)):
        deliveries.update(state=state)
        assert erase_what_is_due()["copies"] == 1
        stays = [(document.name, document.has_copy) for document in old.documents.order_by("pk")]
        assert stays == [("passport.pdf", False), ("other.pdf", other_stays)]
    # A copy of the application leaves out what is not here.
    made = services.create_copy(open_draft(again(old)), by=owner)
    assert (made.parties.count(), made.documents.count()) == (1, 0)


def test_unused_accounts_go_where_nothing_is_theirs(owner: Any, other_customer: Any, agent: Any) -> None:
    started(owner)
    long_ago = timezone.now() - timedelta(days=800)
    User.objects.update(date_joined=long_ago, last_login=long_ago)
    lately = User.objects.create_user("lately@example.com", date_joined=long_ago, last_login=timezone.now())
    assert erase_what_is_due()["accounts"] == 1
    assert not User.objects.get(pk=other_customer.pk).is_active
    for one in (owner, agent, lately):
        assert User.objects.get(pk=one.pk).is_active
    assert erase_what_is_due()["accounts"] == 0


def test_of_what_is_erased_nothing_is_left_and_an_error_in_one_stops_no_other(
    closed: Closed, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.RETENTION_COPY_DAYS = 0
    failing, erased = (aged(closed("withdrawn"), days=400) for _ in range(2))

    def fail_once(application: Application, **more: Any) -> None:
        if application == failing:
            raise RuntimeError("Lovelace")
        erase(application, **more)

    erase = retention.erase_application
    monkeypatch.setattr(retention, "erase_application", fail_once)
    assert erase_what_is_due()["withdrawn"] == 1
    assert again(failing).deleted_at is None
    assert again(erased).deleted_at is not None
    monkeypatch.setattr(retention, "erase_application", erase)
    assert "lovelace" in opened_text()
    assert erase_what_is_due()["withdrawn"] == 1
    left = [line for line in opened_text().splitlines() if "lovelace" in line]
    # The formation service keeps its own record.
    assert {line.partition(":")[0] for line in left} <= {"service.party", "service.keptanswer", "service.event"}
    assert failing.changes.count() == 0
