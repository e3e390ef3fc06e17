"""The audit attests what was said and decided: a row that was altered, removed or slipped in is found and named."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import pytest
from django.db import models, transaction

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.audit import attestation, verification
from formation_portal.audit.models import AuditAction, Entry, is_document_access
from formation_portal.audit.verification import AuditFinding, verify
from formation_portal.core.encrypted_fields import Stored, encrypted_fields
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.customer_queries import Reply, store_replies
from formation_portal.reviews.decisions import DECLINE, RETURN, refuse_proposal
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import (
    Check,
    DecisionOutcome,
    Evidence,
    Note,
    Query,
    ReviewDecision,
    ScreeningCheck,
)
from formation_portal.reviews.queries import delete_draft, draft_query, remove_note, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.accounts.people import person
from tests.encrypted_rows import update_each
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BIRTH, NAME = Target.of_field("ada", "person.date_of_birth"), Target.of_field("ada", "person.last_name")


def findings() -> tuple[AuditFinding, ...]:
    """What is found at once; anchors have tests of their own, and none are written within a test's transaction."""
    return tuple(one for one in verify(now=time.time_ns() // 1000).findings if "anchor" not in one.what)


@pytest.fixture
def reviewed(submitted: Draft, owner: Any, agent: Any, colleague: Any, settings: Any) -> Draft:
    """An application on which everything was said once that can be said."""
    settings.FOUR_EYES = True

    def version() -> Any:
        return current_version(submitted.application)

    accept(submitted, [BIRTH, NAME], by=agent, version=version())
    reopen(submitted, BIRTH, by=agent, version=version())
    write_note(submitted, NAME, text="Checked by telephone", by=agent)
    remove_note(submitted, write_note(submitted, NAME, text="A slip", by=agent).pk, by=agent)
    passport = submitted.documents_of(submitted.party("ada"))["Passport"]
    for text in ("LOVELACE", ""):
        prove(submitted, NAME, passport, 1, text=text, by=agent, version=version())
    ada = submitted.party("ada")
    assert ada is not None
    checked = {"kind": "sanctions", "outcome": "match", "text": "Same name", "done_on": date(2026, 11, 20)}
    record_screening(submitted, ada, **checked, by=agent)
    asked = draft_query(submitted, BIRTH, text="Which year?", by=agent, version=version())
    delete_draft(submitted, asked.pk, by=agent, version=version())
    sent = draft_query(submitted, BIRTH, text="Is it 1985?", by=agent, version=version())
    decide(submitted, DECLINE, text="We cannot take this on.", by=agent, version=version())
    refuse_proposal(submitted, why="Ask first.", by=colleague, version=version())
    decide(submitted, RETURN, text="One question", by=agent, version=version())
    back = factories.again(submitted)
    store_replies(back, [Reply(sent.pk, "Yes, 1985.", "")], by=owner)
    services.submit(back, by=owner)
    decide(back, DECLINE, text="No.", by=agent, version=current_version(back.application))
    services.withdraw(factories.again(back), by=owner)
    return factories.again(back)


def test_what_was_written_is_as_it_was_and_no_entry_says_it_and_an_altered_ciphertext_is_found(reviewed: Draft) -> None:
    assert ReviewDecision.objects.filter(outcome=DecisionOutcome.OVERTAKEN).exists(), (
        "ended by the withdrawal, without an agent"
    )
    assert Query.objects.exclude(reply="").exists()
    assert findings() == ()
    # A digest may hold any four digits.
    details = re.sub(r"[0-9a-f]{32,}", "", "".join(Entry.objects.values_list("detail", flat=True)))
    assert [word for word in ("1985", "telephone", "Ask first", "Lovelace") if word in details] == []
    row = Change.objects.filter(application=reviewed.application)[0]
    Change.objects.filter(pk=row.pk).update(what=Stored("00000000:" + "A" * 80))
    assert [finding.what.rpartition(": ")[2] for finding in findings()] == ["the row was altered"]


# What somebody said or decided, by the model that keeps it: of each an alteration has to be found.
ATTESTED_FIELDS: dict[type[models.Model], tuple[str, ...]] = {
    Change: ("who_id", "at", "what", "message", "named", "changes", "moved_to"),
    Check: ("by_id", "at", "digest", "name"),
    Evidence: ("by_id", "slot", "page", "sha256", "text", "removed_at"),
    Query: ("by_id", "text", "reason", "reply", "sent_at"),
    Note: ("by_id", "text", "removed_at"),
    ScreeningCheck: ("by_id", "at", "holder", "kind", "outcome", "text", "sha256"),
    ReviewDecision: ("by_id", "proposed_by_id", "proposed_at", "kind", "reason", "text", "refusal", "register_number"),
}


def alteration(row: models.Model, name: str, people: list[int]) -> Any:
    """Return another value for a field, as somebody could put it into the database; of a person another one."""
    value = getattr(row, name)
    if name in ("by_id", "who_id", "proposed_by_id"):
        return next(pk for pk in people if pk != value)
    match value:
        case str():
            return value[:-1] if value else "x"
        case datetime():
            return value + timedelta(microseconds=1)
        case list():
            return [*value, {"field": "x"}]
        case dict():
            return {**value, "name": "x"}
    return None if value is None else value + 1


def test_whatever_somebody_said_or_decided_is_attested(reviewed: Draft, owner: Any, agent: Any) -> None:
    people = [owner.pk, agent.pk]
    for model, names in ATTESTED_FIELDS.items():
        for name in names:
            row = next(row for row in model._default_manager.all() if alteration(row, name, people) is not None)
            value, stored = getattr(row, name), model._default_manager.filter(pk=row.pk)
            update_each(stored, **{name: alteration(row, name, people)})
            [finding] = findings()
            label = attestation.label_of(row)
            assert finding.what == f"has something wrong in its {label} {row.pk}: the row was altered", (model, name)
            assert f'"{row.pk}":' in Entry.objects.get(number=finding.number).detail
            update_each(stored, **{name: value})
    assert findings() == ()


def test_a_row_that_is_gone_or_slipped_in_is_found(reviewed: Draft) -> None:
    for model in ATTESTED_FIELDS:
        row = model._default_manager.order_by("pk").last()
        assert row is not None
        key, wrong = row.pk, f"has something wrong in its {attestation.label_of(row)}"
        with transaction.atomic():
            for field in encrypted_fields(model):
                # Whoever has the keys could write such a row.
                getattr(row, field.name)
            row.pk = key + 1_000
            if hasattr(row, "row"):
                row.row = uuid4()
            if isinstance(row, Check | Evidence):
                row.name = "another"
            row.save(force_insert=True)
            assert [finding.what for finding in findings()] == [f"{wrong} {key + 1_000}: the row was slipped in"]
            row.delete()
            model._default_manager.filter(pk=key).delete()
            assert [finding.what for finding in findings()] == [f"{wrong} {key}: the row is gone"]
            transaction.set_rollback(True)


def test_claims_their_ends_and_reasons_are_entries_and_attested(submitted: Draft, agent: Any, colleague: Any) -> None:
    pk = submitted.application.pk
    claims.claim([pk], by=agent)
    claims.take_over(Case.objects.get(pk=pk), by=colleague, reason="Mira is away")
    kept = Case.objects.get(pk=pk)
    assert findings() == ()
    for forged in ({"takeover_reason": "She asked me to"}, {"claimed_by": agent}, {"taken_from": colleague}):
        update_each(Case.objects.filter(pk=pk), **forged)
        assert [one.what for one in findings()] == [f"has something wrong in its desk.case {pk}: the row was altered"]
        kept.save()
    claims.release([pk], by=colleague)
    assert findings() == ()
    entries = Entry.objects.filter(action=AuditAction.CLAIM).order_by("number")
    assert [(one.account, json.loads(one.detail)["did"]) for one in entries] == [
        (agent.pk, "claim"),
        (colleague.pk, "take_over"),
        (colleague.pk, "release"),
    ]


def test_a_deleted_draft_leaves_the_chain_whole_and_an_unsaid_deletion_is_found(draft: Draft, owner: Any) -> None:
    services.delete_draft(factories.new_draft(owner).application, by=owner)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    assert findings() == ()
    Application.objects.filter(pk=draft.application.pk).update(deleted_at="2026-01-01T00:00:00Z")
    Change.objects.filter(application=draft.application).delete()
    assert {one.what.rpartition(": ")[2] for one in findings()} == {"the row is gone"}


def test_without_its_key_nobody_makes_a_digest_that_fits(reviewed: Draft, settings: Any) -> None:
    rows = [row for model in (*ATTESTED_FIELDS, Case) for row in model._default_manager.all()]
    right = attestation.digests(rows)
    settings.AUDIT_KEY = "another"
    for label, digests in attestation.digests(rows).items():
        assert digests.keys() == right[label].keys()
        assert not set(digests.values()) & set(right[label].values())
    [finding] = findings()
    assert finding.what == "and all later entries have keyed digests of another AUDIT_KEY"


def test_older_rows_and_new_ones_are_no_finding(reviewed: Draft, agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Change.objects.order_by("pk").first()
    assert first is not None
    older = Change.objects.create(pk=first.pk - 1, application=first.application, what="Of an earlier version")
    assert findings() == ()
    older.delete()
    calls: list[str] = []

    def altered_rows(label: str, expected: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        if not calls:
            calls.append(label)
            write_note(reviewed, NAME, text="Meanwhile", by=agent)
        return attestation.altered_rows(label, expected)

    monkeypatch.setattr(verification, "altered_rows", altered_rows)
    assert findings() == ()
    assert calls


def test_a_moment_is_attested_alike_in_every_time_zone_and_a_row_that_nobody_can_read_not_at_all(draft: Draft) -> None:
    at = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    elsewhere = at.astimezone(timezone(timedelta(hours=13, minutes=45)))
    written, read = (attestation.digests([Case(pk=7, claimed_at=moment)]) for moment in (elsewhere, at))
    assert written == read
    assert written != attestation.digests([Case(pk=7, claimed_at=at + timedelta(hours=1))])
    change = Change.objects.create(application=draft.application, what="Added Grace Hopper")
    Change.objects.filter(pk=change.pk).update(what=Stored("00000000:" + "A" * 80))
    [digests] = attestation.digests([Change.objects.get(pk=change.pk)]).values()
    assert digests == {str(change.pk): ""}


def test_a_case_that_nobody_has_claimed_needs_no_entry(submitted: Draft, agent: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    other = factories.submitted_draft(person("grace@example.com"))
    assert Case.objects.filter(pk=other.application.pk).exists()
    assert findings() == ()


@pytest.mark.parametrize(
    ("subject", "detail", "is_access"),
    [
        ("7", '{"way": "file"}', True),
        ("7", '{"way": "page"}', True),
        ("7", '{"way": "small picture"}', False),
        ("7", "{}", False),
        ("7", '["file"]', False),
        ("7", '{"way": "file"', False),
        ("ada", '{"way": "file"}', False),
    ],
)
def test_a_look_at_a_document_has_its_number_and_a_way_to_read_it(subject: str, detail: str, is_access: bool) -> None:
    assert is_document_access(subject, detail) is is_access
