"""Screening checks: what was checked of a party outside the portal, such as a sanctions list, and what it has found.
Which of them an approval needs is a setting, read by `checklist`."""

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import ScanState
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import UploadRefused
from formation_portal.applications.services.documents import disk_errors_refused, stored_file
from formation_portal.applications.services.upload_checks import check_upload, judge_file, printable_name, scan_upload

from .models import MAX_LABEL, MAX_TEXT, ScreeningCheck, ScreeningKind, ScreeningOutcome
from .transactions import ReviewRefused, review_transaction


def record_screening(
    draft: Draft,
    party: PartyRow,
    *,
    kind: str,
    done_on: date | None,
    outcome: str,
    text: str = "",
    upload: "UploadedFile[bytes] | None" = None,
    by: AbstractBaseUser,
) -> ScreeningCheck:
    """Record a check, with its file where there is one. Raises ReviewRefused with all that is wrong, by its control:
    a file must be one that uploads may be, and one that can be opened; Closed."""
    words = " ".join(text.split("\x00")).strip()
    check = ScreeningCheck(
        application=draft.application, holder=party.token, label=party.label[:MAX_LABEL], kind=kind, outcome=outcome
    )
    errors = dict(_errors(kind, done_on, outcome, words))
    if upload is not None:
        try:
            with disk_errors_refused():
                check.mime_type, check.sha256 = check_upload(upload)
                _refuse_harmful(draft, check, upload, by=by)
        except UploadRefused as refused:
            errors["file"] = f"{refused}."
        check.name, check.size = printable_name(upload.name or "document"), upload.size or 0
    if errors:
        (first, message), *others = errors.items()
        raise ReviewRefused(message, field=first, others=dict(others))
    try:
        # Whatever others have done, this is one more thing that is known.
        with (
            nullcontext() if upload is None else stored_file(check, upload),
            review_transaction(draft, by=by, version=None) as work,
        ):
            work.save(check, "screen", done_on=done_on, text=words)
    except UploadRefused as refused:
        raise ReviewRefused(f"{refused}.", field="file") from refused
    return check


def remove_screening(draft: Draft, check_id: int, *, by: AbstractBaseUser) -> bool:
    """Take a check back; its row and its file stay. False where there is none. Raises Closed."""
    with review_transaction(draft, by=by, version=None) as work:
        check = ScreeningCheck.objects.filter(application=draft.application, pk=check_id, removed_at=None).first()
        if check is None:
            return False
        work.save(check, "remove_screening", removed_at=timezone.now())
        return True


def _errors(kind: str, done_on: date | None, outcome: str, text: str) -> Iterator[tuple[str, str]]:
    if kind not in ScreeningKind.values:
        yield "kind", "Select a check."
    if done_on is None:
        yield "done_on", "Enter the date of the check."
    elif done_on > timezone.localdate():
        yield "done_on", "Enter a date that is not in the future."
    if outcome not in ScreeningOutcome.values:
        yield "outcome", "Select an outcome."
    if len(text) > MAX_TEXT:
        yield "text", f"Use {MAX_TEXT:,} characters or fewer."
    elif outcome in (ScreeningOutcome.CLEARED, ScreeningOutcome.MATCH) and not text:
        yield "text", "Enter what was found, and why you cleared it."


def _refuse_harmful(
    draft: Draft, check: ScreeningCheck, upload: "UploadedFile[bytes]", *, by: AbstractBaseUser
) -> None:
    """Raises UploadRefused as for a customer's file; an agent can also come back when the scanner answers."""
    judge_file(upload, upload.name or "", check.mime_type)
    if scan_upload(upload, draft.application, by=by) is ScanState.WAITING:
        raise UploadRefused("The malware scanner does not answer. Choose the file again in a few minutes")
