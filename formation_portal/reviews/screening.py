"""Record and remove screening checks: a check of a party outside the portal, for example against a sanctions list.

A setting says which of them an approval needs (checklist.py).
"""

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
    """Record a check, with its file if there is one. Raises ReviewRefused with all errors, by their controls; Closed.

    A file has to meet the rules of uploads, and to be one that can be opened.
    """
    text = " ".join(text.split("\x00")).strip()
    check = ScreeningCheck(
        application=draft.application, holder=party.token, label=party.label[:MAX_LABEL], kind=kind, outcome=outcome
    )
    errors = dict(_errors(kind, done_on, outcome, text))
    if upload is not None:
        try:
            with disk_errors_refused():
                check.mime_type, check.sha256 = check_upload(upload)
                _refuse_harmful(draft, check, upload, by=by)
        except UploadRefused as refused:
            errors["file"] = f"{refused}."
        check.name = printable_name(upload.name or "document")
        check.size = upload.size or 0
    if errors:
        (first, message), *others = errors.items()
        raise ReviewRefused(message, field=first, others=dict(others))
    try:
        # Without a version: a check conflicts with nothing that others have done.
        with (
            nullcontext() if upload is None else stored_file(check, upload),
            review_transaction(draft, by=by, version=None) as work,
        ):
            work.save(check, "screen", done_on=done_on, text=text)
    except UploadRefused as refused:
        raise ReviewRefused(f"{refused}.", field="file") from refused
    return check


def remove_screening(draft: Draft, check_id: int, *, by: AbstractBaseUser) -> bool:
    """Remove a check; its row and its file stay. Returns False where there is none. Raises Closed."""
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
    """Raise UploadRefused as for a customer's file, and also where the malware scanner does not answer."""
    judge_file(upload, upload.name or "", check.mime_type)
    if scan_upload(upload, draft.application, by=by) is ScanState.WAITING:
        raise UploadRefused("The malware scanner does not answer. Choose the file again in a few minutes")
