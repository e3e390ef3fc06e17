"""Change an application as a whole: its state from start to withdrawal, its deletion, its form version."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from formation_portal import workflow
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.lifecycle import AGENT, BEFORE_INCORPORATION, TRANSITIONS, UNDECIDED, State, is_possible

from ..draft import Draft, keep_schema, load_schema, open_draft
from ..models import Application, Change
from ..ownership_stakes import needs_of_owners
from ..schema_versions import HomeSections
from ..translation import in_language
from .erasure import erase_content
from .exceptions import Closed, NotReady, PaymentDue, Unread
from .parties import delete_removed_parties
from .transactions import append_to_audit_log, application_transaction, lock_owner

# The most changes that are shown, the newest first.
_MAX_CHANGES_SHOWN = 20


def start(*, owner: AbstractBaseUser, product: CatalogItem) -> Application:
    """Create a draft of the product with today's version of its schema. Raises Gone for a deleted account."""
    with transaction.atomic():
        lock_owner(owner)
        application = Application.objects.create(
            owner_id=owner.pk,
            product_id=product.jurisdiction_product_id,
            product=product.original.model_dump(mode="json", exclude={"form", "document"}),
            schema_version=keep_schema(product.document),
        )
        started = Change.new(application, owner, gettext_noop("Started the application"))
        started.save()
        workflow.application_changed(open_draft(application))
        append_to_audit_log(application, [started], by=owner)
    return application


def submit(draft: Draft, *, by: AbstractBaseUser, declaration: str = "", revision: int | None = None) -> None:
    """Submit the application for review. Raises Unread, NotReady, Closed.

    A declaration covers what its author has read, so nothing may have changed since the page's `revision`.
    """
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        application = draft.application
        if not is_possible("submit", application.status):
            raise Closed(application.status)
        _refuse_unread(application, revision)
        if still_needed := (*draft.needs, *needs_of_owners(draft), *workflow.submission_blockers(draft)):
            raise NotReady(still_needed)
        application.state = State.SUBMITTED_FOR_REVIEW
        application.submitted_at = timezone.now()
        application.first_submitted_at = application.first_submitted_at or application.submitted_at
        application.submitted_by_id = by.pk
        application.submissions += 1
        application.declaration = declaration
        delete_removed_parties(draft)
        application.party_imports.all().delete()
        journal.note("Submitted the application for review")


def _refuse_unread(application: Application, revision: int | None) -> None:
    if revision is not None and application.revision != revision:
        raise Unread(list(application.changes.filter(revision__gt=revision)[:_MAX_CHANGES_SHOWN]))


def withdraw(draft: Draft, *, by: AbstractBaseUser, revision: int | None = None) -> None:
    """Withdraw a submitted application, or delete a draft that never was submitted. Raises Closed, Unread."""
    application = draft.application
    if application.submitted_at is None:
        delete_draft(application, by=by, revision=revision)
        return
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        if not is_possible("withdraw", application.status):
            raise Closed(application.status)
        _refuse_unread(application, revision)
        application.state = State.WITHDRAWN
        delete_removed_parties(draft)
        journal.note("Withdrew the application")


def advance(draft: Draft, transition: str, *, by: AbstractBaseUser, note: str = "") -> None:
    """Make an agent's transition, by its name. `note` goes to the service with it. Raises Closed, PaymentDue."""
    assert TRANSITIONS[transition].by == AGENT
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        application = draft.application
        if not is_possible(transition, application.status):
            raise Closed(application.status)
        if application.payment_due_since is not None:
            raise PaymentDue
        application.state = TRANSITIONS[transition].target
        journal.note(TRANSITIONS[transition].history, note=note)


def delete_draft(application: Application, *, by: AbstractBaseUser | None, revision: int | None = None) -> None:
    """Delete a draft that never was submitted, with its content. `by` is None for an unused draft.

    Raises Closed, Unread. The empty row stays, unseen, until the service has been told.
    """
    draft = open_draft(application)
    with application_transaction(draft, by=by, must_be_open=False) as journal:
        if application.submitted_at is not None or not application.is_open:
            raise Closed(application.status)
        _refuse_unread(application, revision)
        erase_content(application)
        application.deleted_at = timezone.now()
        # No transition leads out of this state, so code that reads it need not check for a deletion.
        application.state = State.WITHDRAWN
        draft.reload()
        journal.note("Deleted the draft")


def keep_draft(draft: Draft, *, by: AbstractBaseUser) -> None:
    """Count a draft as changed now, so that it is not deleted as unused. Raises Closed."""
    with application_transaction(draft, by=by) as journal:
        journal.note(gettext_noop("Kept the draft"))


def reopen(draft: Draft, *, reason: str) -> None:
    """Return to the customer an application that the service refused; `reason` is for the history. No-op in review."""
    with application_transaction(draft, by=None, must_be_open=False) as journal:
        if draft.application.status is not State.SUBMITTED_FOR_REVIEW:
            return
        draft.application.state = State.RETURNED_FOR_CHANGES
        journal.note(reason)


def record_service_incorporation(draft: Draft) -> None:
    """End the application as incorporated, as the formation service reports. Raises Closed."""
    with application_transaction(draft, by=None, must_be_open=False) as journal:
        if draft.application.status not in BEFORE_INCORPORATION:
            raise Closed(draft.application.status)
        draft.application.state = State.INCORPORATED
        journal.note(gettext_noop("The formation service reported the incorporation"))


def set_payment_due(draft: Draft, *, is_due: bool) -> None:
    """Record whether the formation service waits for the customer's payment, if that has changed."""
    with application_transaction(draft, by=None, must_be_open=False) as journal:
        application = draft.application
        was_due = application.payment_due_since is not None
        if is_due == was_due or application.status not in UNDECIDED:
            return
        if is_due:
            application.payment_due_since = timezone.now()
            journal.note(gettext_noop("The formation service is waiting for the payment"))
            workflow.payment_due(draft)
        else:
            application.payment_due_since = None
            journal.note(gettext_noop("The formation service is no longer waiting for the payment"))


def adopt_form(draft: Draft, *, product: CatalogItem, by: AbstractBaseUser) -> None:
    """Move an open draft to the product's present form and price. No answer is dropped. Raises Closed.

    Every section gets a new version, so that a page of the old form overwrites nothing.
    """
    schema_version = keep_schema(product.document)
    with application_transaction(draft, by=by) as journal:
        application = draft.application
        if application.schema_version_id == schema_version.digest:
            return
        application.schema_version = schema_version
        application.product = product.original.model_dump(mode="json", exclude={"form", "document"})
        draft.schema = in_language(load_schema(schema_version.digest))
        draft.invalidate()
        _move_answers(draft)
        for holder in (*draft.party_models, *draft.share_class_models):
            holder.version += 1
            holder.save(update_fields=["version", "updated_at"])
        if version := draft.schema.version:
            journal.note("Moved to the new form, version {version}", version=version)
        else:
            journal.note("Moved to the new form")


def _move_answers(draft: Draft) -> None:
    """Move each answer to the section that stores it now; an answer not asked for stays in its row."""
    homes = draft.schema.cached(HomeSections).of_fields
    answers: dict[str, dict[str, Any]] = {}
    # A section's version is the sum over the rows that store its answers, so each must exceed any earlier sum.
    ahead = 1
    for key, row in draft.sections.items():
        ahead += row.version
        answers.setdefault(key, {})
        for name, value in row.raw.items():
            answers.setdefault(homes.get(name, key), {})[name] = value
    for key, raw in answers.items():
        row = draft.section_row(key)
        row.raw = raw
        row.version = ahead
        row.save()
