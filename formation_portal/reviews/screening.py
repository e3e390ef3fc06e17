"""Record and remove screening checks, done outside the portal, for example against a sanctions list."""

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

from .models import MAX_LABEL, ScreeningCheck, ScreeningKind, ScreeningOutcome
from .transactions import ReviewRefused, cleaned_text, review_transaction


def record_screening(
    draft: Draft,
    party: PartyRow,
    *,
    kind: str,
    done_on: date,
    outcome: str,
    text: str = "",
    upload: "UploadedFile[bytes] | None" = None,
    by: AbstractBaseUser,
) -> ScreeningCheck:
    """Record a check. Raises ReviewRefused and Closed."""
    if kind not in ScreeningKind.values:
        raise ReviewRefused("Select a check.", field="kind")
    if done_on > timezone.localdate():
        raise ReviewRefused("Enter a date that is not in the future.", field="done_on")
    if outcome not in ScreeningOutcome.values:
        raise ReviewRefused("Select an outcome.", field="outcome")
    if_missing = ""
    if outcome != ScreeningOutcome.CLEAR:
        if_missing = "Enter what was found, and why you cleared it."
    text = cleaned_text(text, "text", if_missing=if_missing)
    check = ScreeningCheck(
        application=draft.application, holder=party.token, label=party.label[:MAX_LABEL], kind=kind, outcome=outcome
    )
    try:
        if upload is not None:
            with disk_errors_refused():
                check.mime_type, check.sha256 = check_upload(upload)
                judge_file(upload, upload.name or "", check.mime_type)
                # A customer's file may wait for the scanner; an agent has to upload this file again.
                if scan_upload(upload, draft.application, by=by) is ScanState.WAITING:
                    raise UploadRefused("The malware scanner does not answer. Choose the file again in a few minutes")
            check.name = printable_name(upload.name or "document")
            check.size = upload.size or 0
        # No version is compared: a check conflicts with no change by others.
        with (
            nullcontext() if upload is None else stored_file(check, upload),
            review_transaction(draft, by=by, version=None) as work,
        ):
            work.save(check, "screen", done_on=done_on, text=text)
    except UploadRefused as refused:
        raise ReviewRefused(f"{refused}.", field="file") from refused
    return check


def remove_screening(draft: Draft, check_id: int, *, by: AbstractBaseUser) -> bool:
    """Mark a check as removed; keep its row and file. Returns False if there is none. Raises Closed."""
    with review_transaction(draft, by=by, version=None) as work:
        checks = ScreeningCheck.objects.filter(application=draft.application, pk=check_id, removed_at=None)
        return work.save_first(checks, "remove_screening", removed_at=timezone.now())
