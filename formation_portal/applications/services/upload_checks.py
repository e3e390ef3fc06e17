"""Check an upload before it is stored: type and size, the account's quota, the sandbox, and the malware scanner."""

import hashlib
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import PurePath
from typing import IO

from babel.numbers import format_decimal
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.files.base import File
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.localisation import format_number, locale
from formation_portal.documents import malware
from formation_portal.documents.findings import JPEG, MAX_PAGES, PDF, PNG, FindingCode, Findings, names_another_type
from formation_portal.documents.inspection import inspect_file
from formation_portal.documents.sandbox import SandboxBusy

from ..access import Author
from ..fields import ScanState
from ..models import Application, Change, Document
from .exceptions import UploadRefused

_SIGNATURES = {b"\xff\xd8\xff": JPEG, b"\x89PNG\r\n\x1a\n": PNG}
# Blank lines, a byte order mark or an e-mail's header lines may stand before a PDF's own header.
_PDF_START = re.compile(rb"(?:\xef\xbb\xbf|\s|[A-Za-z-]{1,50}:[^\r\n]*\r?\n)*%PDF-")
# The bytes in which a PDF's header has to stand.
_HEAD = 1024
# The pictures of iPhones: HEIC and HEIF.
_HEIC = re.compile(rb".{4}ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL)
MAX_NAME_LENGTH = 200
# How long to wait for the scanner's answer: during an upload, and later in the worker.
SCAN_SECONDS, LATER_SCAN_SECONDS = 3.0, 60.0
# The history entries of uploads. They stay when a file is removed.
UPLOADED, UPLOADED_OF = gettext_noop("Uploaded “{slot}”"), gettext_noop("Uploaded “{slot}” of {name}")

logger = logging.getLogger(__name__)

_PDF_REFUSALS: Mapping[FindingCode, str] = {
    FindingCode.ACTIVE: gettext_noop("This PDF contains scripts or actions. Print it to a new PDF and upload that"),
    FindingCode.XFA: gettext_noop(
        "This PDF is a form that only some programs can open. Print it to a new PDF and upload that"
    ),
    FindingCode.ATTACHMENT: gettext_noop("This PDF contains other files. Print it to a new PDF and upload that"),
    FindingCode.HIDDEN_FILE: gettext_noop("This PDF contains other files. Print it to a new PDF and upload that"),
    FindingCode.PROTECTED: gettext_noop(
        "This PDF is protected. Print it to a new PDF without a password and upload that"
    ),
    FindingCode.TOO_MANY_PAGES: gettext_noop(
        "This PDF has more than %(pages)s pages. Upload only the pages that we ask for"
    ),
    FindingCode.NO_PAGES: gettext_noop("Upload a different file. This PDF has no pages"),
    FindingCode.UNREADABLE: gettext_noop(
        "We can’t open this PDF. It may be damaged. Print it to a new PDF and upload that"
    ),
    FindingCode.TOO_HEAVY: gettext_noop("This PDF takes too long to open. Print it to a new PDF and upload that"),
}
_PICTURE_REFUSALS: Mapping[FindingCode, str] = {
    FindingCode.HIDDEN_FILE: gettext_noop(
        "This picture contains another file. Save it again as JPEG or PNG, then upload it"
    ),
    FindingCode.ANIMATED: gettext_noop(
        "This picture is animated. Save one image of it as JPEG or PNG, then upload that"
    ),
    FindingCode.TOO_LARGE: gettext_noop(
        "This picture has %(width)s × %(height)s pixels, too many to open. Upload a smaller one"
    ),
    FindingCode.UNREADABLE: gettext_noop(
        "We can’t open this picture. It may be damaged or incomplete. Save it again as JPEG or PNG, then upload it"
    ),
    FindingCode.TOO_HEAVY: gettext_noop("This picture takes too long to open. Upload a smaller one"),
}


def check_upload(upload: "UploadedFile[bytes]") -> tuple[str, str]:
    """Return the media type by content, and the SHA-256 digest. Raises UploadRefused."""
    size = upload.size or 0
    if size == 0:
        raise UploadRefused(gettext("Upload a different file. This one is empty"))
    if size > settings.UPLOAD_LIMIT:
        limits = {
            "limit": settings.UPLOAD_LIMIT // 1_000_000,
            "size": format_decimal(size / 1_000_000, "0.0", locale=locale()),
        }
        raise UploadRefused(
            gettext("The file must be %(limit)s\u00a0MB or smaller. This one is %(size)s\u00a0MB") % limits
        )
    digest = hashlib.sha256()
    head = b""
    for chunk in upload.chunks():
        head = head or bytes(chunk[:_HEAD])
        digest.update(chunk)
    upload.seek(0)
    mime_type = PDF if _PDF_START.match(head) else None
    for signature, kind in _SIGNATURES.items():
        if head.startswith(signature):
            mime_type = kind
    if _HEIC.match(head):
        raise UploadRefused(
            gettext(
                "This picture is HEIC, which we can’t open. Save it as JPEG, or on the iPhone choose Settings > Camera"
                " > Formats > Most Compatible and take it again"
            )
        )
    if mime_type is None:
        raise UploadRefused(gettext("The file must be a PDF, JPEG or PNG"))
    if names_another_type(upload.name or ""):
        raise UploadRefused(
            gettext("The file’s name is that of another type of file. Save it as PDF, JPEG or PNG, then upload it")
        )
    return mime_type, digest.hexdigest()


def printable_name(name: str) -> str:
    """Make an uploaded file name printable, and shorten it before its suffix. It is never used as a path."""
    plain = "".join(letter for letter in PurePath(name.replace("\\", "/")).name if letter.isprintable()).strip()
    path = PurePath(plain or "document")
    return path.stem[:MAX_NAME_LENGTH] + path.suffix[:20]


def judge_file(content: "File[bytes] | IO[bytes]", name: str, mime_type: str) -> tuple[Findings, bytes]:
    """Return the findings of the sandbox, and a picture of the first page. Raises UploadRefused."""
    try:
        findings, picture = inspect_file(content, mime_type)
    except SandboxBusy as busy:
        raise UploadRefused(gettext("We are checking many files at the moment. Choose it again in a minute")) from busy
    if code := findings.refusal:
        logger.warning("An upload was refused: %s", code)
        refusals = _PDF_REFUSALS if mime_type == PDF else _PICTURE_REFUSALS
        values = {
            "pages": format_number(MAX_PAGES),
            "width": format_number(findings.width),
            "height": format_number(findings.height),
        }
        raise UploadRefused(gettext(refusals.get(code, refusals[FindingCode.UNREADABLE])) % values)
    return findings.with_name_check(name, mime_type), picture


def scan_upload(content: "File[bytes] | IO[bytes]", application: Application, *, by: Author | None) -> ScanState:
    """Scan a file: NONE without a scanner, WAITING if it does not answer in time. Raises UploadRefused for malware."""
    if not settings.CLAMD_URL:
        return ScanState.NONE
    try:
        is_clean = malware.is_clean(content, settings.CLAMD_URL, seconds=SCAN_SECONDS)
    except malware.ScannerAway as away:
        logger.error("The malware scanner gave no answer: %s", away)
        return ScanState.WAITING
    if not is_clean:
        logger.warning("An upload was refused: malware")
        chain.append(AuditAction.REFUSAL, by=by, application=application, why="malware")
        raise UploadRefused(gettext("We found malware in this file. Scan your device, then upload a clean copy"))
    return ScanState.CLEAN


@contextmanager
def quota_transaction(owner_id: int, sizes: Sequence[int]) -> Iterator[None]:
    """Open a transaction that adds files of these sizes, with the account's row locked. Raises UploadRefused.

    This row is locked before any application's row, and without its key, so that other rows can refer to it.
    """
    with transaction.atomic():
        get_user_model().objects.select_for_update(no_key=True).get(pk=owner_id)
        check_quota(owner_id, sizes)
        yield


def check_quota(owner_id: int, sizes: Sequence[int]) -> None:
    """Raise UploadRefused if the account has no room for files of these sizes, or uploads too often. One SQL query."""
    if not sizes:
        return
    documents = Document.objects.filter(application__owner=OuterRef("pk"))
    uploads = Change.objects.filter(
        application__owner=OuterRef("pk"),
        message__in=(UPLOADED, UPLOADED_OF),
        at__gt=timezone.now() - timedelta(hours=1),
    )
    [(stored, files, recent)] = (
        get_user_model()
        .objects.filter(pk=owner_id)
        .values_list(_total(documents, Sum("size")), _total(documents, Count("pk")), _total(uploads, Count("pk")))
    )
    if stored + sum(sizes) > settings.ACCOUNT_STORAGE_MB * 1_000_000:
        limit = {"limit": format_number(settings.ACCOUNT_STORAGE_MB)}
        raise UploadRefused(
            gettext("There is no room for this file: all files together may have %(limit)s\u00a0MB. Remove some first")
            % limit
        )
    if files + len(sizes) > settings.ACCOUNT_FILES:
        limit = {"limit": format_number(settings.ACCOUNT_FILES)}
        raise UploadRefused(gettext("There may be %(limit)s files in all. Remove some first") % limit)
    if recent >= settings.UPLOADS_PER_HOUR:
        raise UploadRefused(gettext("Too many files were uploaded in the last hour. Choose it again in an hour"))


def _total(rows: "QuerySet[Document] | QuerySet[Change]", figure: Sum | Count) -> Coalesce:
    whole = rows.order_by().values("application__owner").annotate(figure=figure).values("figure")
    return Coalesce(Subquery(whole), 0)
