"""A person's export holds all that is kept of them, and nothing of anybody else."""

import hashlib
import io
import json
import stat
import zipfile
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import ScanState
from formation_portal.applications.models import Document
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.core.encrypted_fields import encrypted_fields
from formation_portal.invitations import parts
from formation_portal.invitations.collaborators import accept, share_with
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.privacy.export import account_archive, export_account
from tests import factories
from tests.encrypted_rows import save_with
from tests.privacy.stages import replaced, started
from tests.privacy.test_processing import RECORD
from tests.reviews.canaries import CANARIES, Review

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture(autouse=True)
def _two_agents_decide(settings: Any) -> None:
    settings.FOUR_EYES = True


def taken(client: Client) -> zipfile.ZipFile:
    answer: Any = client.get("/your-data/export/")
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == 'attachment; filename="your-data.zip"'
    assert answer["Cache-Control"] == "no-store"
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def data(client: Client) -> Any:
    return json.loads(taken(client).read("data.json"))


def texts(value: Any) -> set[str]:
    """Every text in it that could be somebody's."""
    if isinstance(value, str):
        return {value}
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(texts, members))


def test_everything_that_the_record_of_processing_names_is_in_it_and_nothing_of_agents(
    complete: Draft, owner: Any, as_owner: Client
) -> None:
    review = Review(complete, owner)
    review.look()
    review.give_back()
    review.answer()
    whole = texts(data(as_owner)) | set(map(str, texts(data(as_owner))))
    missing = []
    for label, named in RECORD.items():
        if named["export"].startswith("no:") or label in ("letters.Email", "reviews.ReviewDecision", "reviews.Query"):
            continue
        model = apps.get_model(label)
        for row in model._base_manager.all():
            kept = set().union(*(texts(getattr(row, field.name)) for field in encrypted_fields(model)))
            missing += [(label, one) for one in kept - {""} if one not in whole]
    assert missing == []
    said = json.dumps(data(as_owner), ensure_ascii=False).lower()
    assert "please show the whole page" in said
    page = taken(as_owner).read("index.html").decode().lower()
    # What is among agents stays there, their names and addresses too.
    assert [word for word in CANARIES if word in said or word in page] == []


def test_it_holds_the_account_what_was_sent_to_it_and_typed_and_nothing_of_others(
    complete: Draft, owner: Any, as_owner: Client, as_other_customer: Client
) -> None:
    services.submit(complete, by=owner, declaration="I declare it.")
    said = data(as_owner)
    entry = Entry.objects.latest("number")
    assert (entry.action, entry.account, entry.subject) == (AuditAction.EXPORT, owner.pk, str(owner.pk))
    of_others = json.dumps(data(as_other_customer))
    assert [word for word in ("Lovelace", owner.email) if word in of_others] == []
    assert said["account"]["email"] == owner.email
    assert (said["account"]["first_name"], said["account"]["last_name"]) == ("Ingrid", "Solheim")
    assert said["account"]["addresses"] == [{"email": owner.email, "confirmed": True}]
    assert [one["kind"] for one in said["letters"]] == ["submission"]
    letter = Email.objects.get(kind="submission")
    assert (said["letters"][0]["subject"], said["letters"][0]["text"]) == (letter.subject, letter.text)
    typed = said["applications"][0]["typed"]
    assert typed["parties"]["ada"]["person.last_name"] == "Lovelace"
    assert typed["share_classes"]["ordinary"]["share_class.name"] == "Ordinary"
    assert typed["sections"]["the-company"]["entity.name"] == "Larkfield Holdings"
    assert {name: len(rows) for name, rows in typed.items() if name != "sections"} == {"parties": 1, "share_classes": 1}


def test_what_it_lists_stands_in_the_order_in_which_it_came(owner: Any, as_owner: Client, other_customer: Any) -> None:
    own, others = [started(owner) for _ in range(2)], [started(other_customer) for _ in range(2)]
    replaced(own[0], owner, "second.pdf")
    for draft in others:
        asked = share_with(draft, email=owner.email, right=Right.VIEW, by=other_customer, language="en")
        accept(asked, by=owner)
    said, documents = export_account(owner)
    assert [one["reference"] for one in said["applications"]] == [draft.application.reference for draft in own]
    assert [one["reference"] for one in said["shared_with_you"]] == [draft.application.reference for draft in others]
    assert [one["name"] for one in said["applications"][0]["files"]] == ["passport.pdf", "second.pdf"]
    assert [(one.application_id, one.name) for one in documents] == [
        (own[0].application.pk, "passport.pdf"),
        (own[0].application.pk, "second.pdf"),
        (own[1].application.pk, "passport.pdf"),
    ]
    # Files are in it as they were uploaded.
    packed = taken(as_owner)
    contents = [packed.read(file["file"]) for file in said["applications"][0]["files"]]
    assert contents == [factories.PDF, factories.PDF + b"\n%other\n"]
    hashes = [file["sha256"] for file in said["applications"][0]["files"]]
    assert [hashlib.sha256(content).hexdigest() for content in contents] == hashes
    assert packed.testzip() is None


def test_no_word_of_a_form_or_of_its_customer_is_markup(owner: Any, as_owner: Client) -> None:
    schema = deepcopy(factories.SCHEMA)
    schema["sections"][0]["title"] = "The <b>company</b>"
    schema["sections"][0]["fields"][4]["label"] = "Started <i>on</i>"
    schema["sections"][0]["fields"][5]["label"] = "Purpose <u>today</u>"
    owner.first_name = "<img src=x onerror=alert(1)>"
    owner.save()
    draft = factories.new_draft(owner, schema=schema)
    raw = {"entity.name": "Larkfield <s>Holdings</s>", "charter.purpose": "<a href=x>Tea</a>"}
    factories.save_section(draft, draft.schema.entity_sections[0].key, raw, by=owner)
    page = taken(as_owner).read("index.html").decode()
    for markup in ("<b>", "<i>", "<u>", "<s>", "<a href=x>", "<img", "<script", " src=x>"):
        assert markup not in page
    for text in ("The &lt;b&gt;company", "Purpose &lt;u&gt;", "Larkfield &lt;s&gt;Holdings", "&lt;a href=x&gt;Tea"):
        assert text in page


def test_it_tells_where_and_when_somebody_was_signed_in(owner: Any, other_customer: Any) -> None:
    began, used = datetime(2026, 11, 20, 9, tzinfo=UTC), datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
    used_by = (owner, "203.0.113.7", 0), (other_customer, "203.0.113.9", 3), (owner, "2001:db8::1", 5)
    for user, address, hours in used_by:
        later = timedelta(hours=hours)
        UserSession.objects.create(
            user=user, ip=address, user_agent=f"Browser {hours}", session_key=f"key{hours}",
            created_at=began + later, last_seen_at=used + later,
        )  # fmt: skip
    sessions = export_account(owner)[0]["account"]["sessions"]
    assert [list(session.values()) for session in sessions] == [
        ["203.0.113.7", "Browser 0", "2026-11-20T09:00:00+00:00", "2026-11-21T10:30:00+00:00"],
        ["2001:db8::1", "Browser 5", "2026-11-20T14:00:00+00:00", "2026-11-21T15:30:00+00:00"],
    ]
    assert list(sessions[0]) == ["address", "browser", "began", "used"]


def test_a_part_that_was_filled_in_as_a_guest_is_in_it_and_its_invitation_in_the_owners(
    complete: Draft, owner: Any, other_customer: Any
) -> None:
    parts.invite(complete, complete.party("ada"), email=other_customer.email, by=owner, language="en")
    said, documents = export_account(other_customer)
    assert (said["parts"], documents) == ([], [])
    # Once the link that was sent there has been opened.
    sent = datetime(2026, 11, 20, 9, tzinfo=UTC)
    moments = [sent + timedelta(hours=hours) for hours in (0, 2, 5)]
    Invitation.objects.update(sent_at=moments[0], opened_at=moments[1], done_at=moments[2])
    said, documents = export_account(other_customer)
    assert said["parts"][0]["party"]["label"] == "Ada Lovelace"
    assert [document.slot for document in documents] == ["Passport"]
    assert said["applications"] == []
    [application] = export_account(owner)[0]["applications"]
    [invitation] = application["invitations"]
    assert (invitation["party"], invitation["email"]) == ("ada", other_customer.email)
    assert invitation["sent"] == "2026-11-20T09:00:00+00:00"
    assert invitation["opened"] == "2026-11-20T11:00:00+00:00"
    assert invitation["done"] == "2026-11-20T14:00:00+00:00"


def test_the_command_writes_a_file_for_its_owner_alone(complete: Draft, owner: Any, tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    call_command("privacy", "export", owner.email, str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Lovelace" in zipfile.ZipFile(path).read("index.html").decode()
    assert Entry.objects.latest("number").action == AuditAction.EXPORT
    with pytest.raises(CommandError, match="there already"):
        call_command("privacy", "export", owner.email, str(path))
    with pytest.raises(CommandError, match="no account"):
        call_command("privacy", "export", "nobody@example.com", str(tmp_path / "other.zip"))
    # A person without an account gets their part alone.
    part, reference = tmp_path / "part.zip", complete.application.reference
    call_command("privacy", "export-person", reference, "ada", str(part))
    packed = zipfile.ZipFile(part)
    said = json.loads(packed.read("data.json"))
    assert said["parts"][0]["party"]["label"] == "Ada Lovelace"
    assert packed.read(said["parts"][0]["files"][0]["file"])
    for word in (owner.email, complete.title):
        assert word not in packed.read("index.html").decode() + packed.read("data.json").decode()
    with pytest.raises(CommandError, match="no such"):
        call_command("privacy", "export-person", reference, "nobody", str(tmp_path / "other.zip"))


@pytest.mark.parametrize("change", [{"scan": ScanState.WAITING}, {"copy_removed_at": timezone.now()}])
def test_a_file_that_nobody_may_open_or_that_is_not_here_is_listed_and_left_out(
    complete: Draft, owner: Any, change: dict[str, Any]
) -> None:
    content = factories.PDF[:8]
    assert content in b"".join(account_archive(owner))
    save_with(Document.objects.get(), **change)
    [application] = export_account(owner)[0]["applications"]
    assert [(one["name"], one["file"]) for one in application["files"]] == [("passport.pdf", None)]
    assert content not in b"".join(account_archive(owner))
