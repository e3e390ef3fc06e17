"""What moves an application as a whole: starting, submitting, withdrawing, deleting, and handing it back."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.language import noted
from formation_portal.contract.lifecycle import AGENT, DEEDS, State, may
from formation_portal.contract.needs import Need

from .. import snapshots
from ..drafts import Draft, open_draft
from ..history import told
from ..models import Application, Change
from ..signals import changed, submitting
from .chaining import chained
from .documents import forget_files
from .refusals import Closed, NotReady, Unread
from .removed_parties import delete_removed_parties
from .writing import writing

# Of more changes than these only the newest are told.
_CHANGES_TOLD = 20
# What the history says of an agent's deed.
_ADVANCED = {
    "begin_review": noted("Started the review"),
    "return": noted("Returned it for changes"),
    "approve": noted("Approved it for the registry"),
    "decline": noted("Declined it"),
    "record_incorporation": noted("Marked it as incorporated"),
}


def start(*, owner: AbstractBaseUser, product: CatalogItem) -> Application:
    """A new draft of the product, which keeps the schema as it is today."""
    with transaction.atomic():
        application = Application.objects.create(
            owner_id=owner.pk,
            product_id=product.jurisdiction_product_id,
            product=product.model_dump(mode="json", exclude={"form", "document"}),
            snapshot=snapshots.keep(product.document),
        )
        said = told(noted("Started the application"))
        started = Change.objects.create(application=application, who_id=owner.pk, **said)
        changed.send(sender=Application, draft=open_draft(application))
        chained(application, [started], by=owner)
    return application


def submit(draft: Draft, *, by: AbstractBaseUser, declaration: str = "", revision: int | None = None) -> None:
    """Hand the application in for review. Raises NotReady with what is still needed, and Closed.

    Who declares something has read it: raises Unread where the application is another by now than at the `revision`
    that the page was drawn from. Parties that were removed are deleted for good, with their documents.
    """
    with writing(draft, by=by, must_be_open=False) as journal:
        application = draft.application
        if application.deleted_at or not may("submit", application.stands):
            raise Closed(application.stands)
        _refuse_unread(application, revision)
        objections = _objections(draft)
        if still_needed := (*draft.needs, *objections):
            raise NotReady(still_needed)
        application.state = State.SUBMITTED_FOR_REVIEW
        application.submitted_at = timezone.now()
        application.submitted_by_id = by.pk
        application.submissions += 1
        application.declaration = declaration
        delete_removed_parties(draft)
        application.party_imports.all().delete()
        journal.note("Submitted the application for review")


def _objections(draft: Draft) -> tuple[Need, ...]:
    answers: Sequence[tuple[object, Any]] = submitting.send(sender=Application, draft=draft)
    return tuple(need for _, needs in answers for need in needs or ())


def _refuse_unread(application: Application, revision: int | None) -> None:
    if revision is not None and application.revision != revision:
        raise Unread(list(application.changes.filter(revision__gt=revision)[:_CHANGES_TOLD]))


def withdraw(draft: Draft, *, by: AbstractBaseUser, revision: int | None = None) -> None:
    """Take back an application that was submitted; a draft that never was is deleted instead.

    Raises Closed, and Unread where it is another by now than at the `revision` that the page was drawn from.
    """
    application = draft.application
    if application.submitted_at is None:
        delete_draft(application, by=by, revision=revision)
        return
    with writing(draft, by=by, must_be_open=False) as journal:
        if not may("withdraw", application.stands):
            raise Closed(application.stands)
        _refuse_unread(application, revision)
        application.state = State.WITHDRAWN
        delete_removed_parties(draft)
        journal.note("Withdrew the application")


def advance(draft: Draft, deed: str, *, by: AbstractBaseUser, note: str = "") -> None:
    """Do an agent's deed, by its name in the lifecycle. `note` is what the service is told with it. Raises Closed."""
    assert DEEDS[deed].by == AGENT
    with writing(draft, by=by, must_be_open=False) as journal:
        application = draft.application
        if application.deleted_at or not may(deed, application.stands):
            raise Closed(application.stands)
        application.state = DEEDS[deed].target
        journal.note(_ADVANCED[deed], note=note)


def delete_draft(application: Application, *, by: AbstractBaseUser, revision: int | None = None) -> None:
    """Delete a draft that was never submitted, with everything typed in it and whoever works on it.

    Raises Closed, and Unread where it is another by now than at the `revision` that the page was drawn from. The empty
    row stays, unseen, until the service has been told; its history goes too.
    """
    draft = open_draft(application)
    with writing(draft, by=by, must_be_open=False) as journal:
        if application.submitted_at is not None or application.deleted_at or not application.stands.is_open:
            raise Closed(application.stands)
        _refuse_unread(application, revision)
        forget_files(application.documents.all())
        for rows in (
            application.documents,
            application.holdings,
            application.parties,
            application.party_imports,
            application.share_classes,
            application.section_answers,
            application.changes,
            application.collaborators,
        ):
            rows.all().delete()
        application.deleted_at = timezone.now()
        application.state = State.WITHDRAWN
        draft.reload()
        journal.note("Deleted the draft")


def reopen(draft: Draft, *, reason: str) -> None:
    """Give a submitted application back to its customer, since the service could not take it. No-op once in review.

    `reason` is a message of ours.
    """
    with writing(draft, by=None, must_be_open=False) as journal:
        if draft.application.stands is not State.SUBMITTED_FOR_REVIEW:
            return
        draft.application.state = State.RETURNED_FOR_CHANGES
        journal.note(reason)
