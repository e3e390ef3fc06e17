"""Files, pictures, tables and the record as responses: nothing in them may act as a page, and no cache keeps them.

The record is JSON for machines and PDF for people: tagged, and PDF/UA-1 if every character has a font. A page
of answers takes a tenth of a second, a hundred people about a second.
"""

import csv
import errno
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar, cast

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.documents import page_picture
from formation_portal.applications.draft import Draft
from formation_portal.applications.export import export
from formation_portal.applications.models import Document
from formation_portal.audit import chain
from formation_portal.audit.chain import Account
from formation_portal.audit.models import AccessKind, AuditAction
from formation_portal.contract.fields.parsing import LINES_LIMIT
from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from formation_portal.documents import sandbox
from formation_portal.documents.typesetting import map_texts
from formation_portal.environment import PROJECT
from formation_portal.reviews.decisions import registration_of
from formation_portal.reviews.models import ScreeningCheck

from .documents import DocumentPage
from .printed_record import PrintedRecord, printed_record

Response = TypeVar("Response", bound=HttpResponseBase)

# A spreadsheet takes a text that begins so for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def isolated(response: Response) -> Response:
    """Set headers so that a response's content can run nothing, keeps its type and is not cached."""
    response.headers["Content-Security-Policy"] = ISOLATED_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def as_attachment(response: Response, *, name: str) -> Response:
    """Make a response a download called `name`, in which there must be no names of people."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return isolated(response)


def picture_response(jpeg: bytes, *, name: str) -> HttpResponseBase:
    answer = HttpResponse(jpeg, content_type="image/jpeg")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.jpg"'
    return isolated(answer)


def log_view(
    request: HttpRequest, document: Document | ScreeningCheck, way: AccessKind, *, by: Account, page: int = 1
) -> None:
    """Record that a person opens the file, or one of its pages; not for HEAD.

    A file whose opening can't be recorded is not shown: an error here replaces the response. A browser that
    prefetches gets a 404, which it does not keep, and asks again once a person follows the link.
    """
    if is_prefetch(request):
        raise Http404
    if request.method != "HEAD":
        details: dict[str, Any] = {"way": way.value}
        if way is AccessKind.PAGE:
            details["page"] = page
        chain.append(AuditAction.LOOK, by=by, application=document.application, subject=document.pk, **details)


def is_prefetch(request: HttpRequest) -> bool:
    """Tell whether the browser prefetches a page that a person may open later."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return any("prefetch" in purpose for purpose in purposes)


def as_download(request: HttpRequest, file: Document | ScreeningCheck, *, by: Account) -> HttpResponse:
    """Answer with an uploaded file, and record that it was opened.

    409 while the malware scanner has yet to answer, 410 if our copy was removed (privacy/retention.py). Raises OSError
    if the storage lacks the file: its row says that it should be there.
    """
    if isinstance(file, Document) and file.is_checking:
        return render(request, "file_checking.html", status=409)
    if isinstance(file, Document) and not file.has_copy:
        return render(request, "file_removed.html", {"document": file}, status=410)
    try:
        content = file.file.open("rb")
    except FileNotFoundError as error:
        raise OSError(errno.EIO, "An uploaded file is not in its storage") from error
    log_view(request, file, AccessKind.FILE if isinstance(file, Document) else AccessKind.SCREENING, by=by)
    answer = FileResponse(content, as_attachment=True, filename=file.download_name, content_type=file.mime_type)
    return cast(HttpResponse, isolated(answer))


def page_as_picture(request: UserRequest, document: Document, page: int, *, is_close: bool = False) -> HttpResponseBase:
    """Answer with the picture of a page of a document; 404 if it can't be drawn.

    The page around the picture records the opening, since a browser may load pictures ahead. The picture itself
    records it only if a person opens the picture alone.
    """
    drawn = b"" if document.is_checking else page_picture(document, page, is_close=is_close)
    if not drawn:
        raise Http404
    if request.headers.get("Sec-Fetch-Dest") == "document":
        log_view(request, document, AccessKind.PAGE, by=request.user, page=page)
    return picture_response(drawn, name=f"page-{page}")


def open_document_page(request: UserRequest, page: DocumentPage) -> HttpResponse:
    if page.can_be_shown:
        log_view(request, page.document, AccessKind.PAGE, by=request.user, page=page.page)
    return render(request, "portal/documents/document.html", {"page": page})


class _Line:
    def write(self, line: str) -> str:
        return line


def csv_response(rows: Iterable[Sequence[Any]], *, name: str) -> StreamingHttpResponse:
    writer = csv.writer(_Line())
    lines = (writer.writerow(map(_without_formula, row)) for row in rows)
    return as_attachment(StreamingHttpResponse(lines, content_type="text/csv"), name=f"{name}.csv")


def _without_formula(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


_SOURCE = PROJECT / "templates/ui/record.typ"
# Of processor time: twenty times as much as a hundred people take.
PDF_SECONDS = 20
# Of all texts together: some 600 pages.
CHARACTERS_AT_MOST = 2_000_000
_PDF_AT_MOST = 50_000_000
_TASK = "formation_portal.documents.typesetting:typeset"
# Control characters, which no page can show, except line ends.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# No readable answer is longer; of an unreadable answer the beginning is enough. Character codes are extra.
_LONGEST = LINES_LIMIT


class PdfNotMade(Exception):
    """A record that is too long for a PDF, or that the sandbox could not typeset."""


def make_pdf(record: PrintedRecord) -> bytes:
    """Make a PDF/UA, or a plain PDF with codes beside characters that no font has. Raises PdfNotMade."""
    pdf = _typeset(record, is_accessible=True)
    if pdf.startswith(b"%PDF-"):
        return pdf
    lost = frozenset(json.loads(pdf))
    warning = gettext(
        "We can’t print some of the characters. Their codes are shown beside them. The JSON copy has "
        "every answer in full."
    )
    pdf = _typeset(record.with_codes(lost, warning=warning), is_accessible=False)
    if not pdf.startswith(b"%PDF-"):
        raise PdfNotMade
    return pdf


def _typeset(record: PrintedRecord, *, is_accessible: bool) -> bytes:
    content = json.dumps(map_texts(asdict(record), _printable), ensure_ascii=False)
    if len(content) > CHARACTERS_AT_MOST:
        raise PdfNotMade
    files: dict[str, Any] = {"source": str(_SOURCE), "fonts": settings.PDF_FONTS, "logo": settings.OPERATOR_LOGO}
    try:
        answer = sandbox.run_task(
            _TASK,
            content.encode(errors="replace"),
            answer_limit=_PDF_AT_MOST,
            seconds=PDF_SECONDS,
            memory_bytes=sandbox.LARGE_MEMORY_BYTES,
            reads=list(files.values()),
            made_at=int(timezone.now().timestamp()),
            is_accessible=is_accessible,
            **files,
        )
    except sandbox.SandboxBusy as error:
        raise PdfNotMade from error
    if not answer:
        raise PdfNotMade
    return answer


def _printable(text: str) -> str:
    """Replace control characters, write all ends of lines alike, and cut off long texts."""
    beginning = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return _CONTROLS.sub("\ufffd", "\n".join(beginning.splitlines()))


def record_as_json(request: UserRequest, draft: Draft) -> HttpResponse:
    entry = registration_of(draft.application)
    registration = {"number": entry.number, "date": entry.day} if entry else None
    record = export(draft) | {"registration": registration}
    content = json.dumps(record, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)
    return _record_file(request, draft, content.encode(), kind="json")


def record_as_pdf(request: UserRequest, draft: Draft) -> HttpResponse:
    """Answer with the record as a PDF, and log the download. 503 with a link to the JSON if it fails."""
    try:
        content = make_pdf(printed_record(draft, made_at=timezone.now()))
    except PdfNotMade:
        reference = draft.application.reference
        ways = {"reference": reference, "json_url": "record.json", "back_url": "./"}
        return render(request, "record_unavailable.html", ways, status=503)
    return _record_file(request, draft, content, kind="pdf")


def _record_file(request: UserRequest, draft: Draft, content: bytes, *, kind: str) -> HttpResponse:
    if is_prefetch(request):
        raise Http404
    if request.method != "HEAD":
        chain.append(AuditAction.RECORD, by=request.user, application=draft.application, kind=kind)
    answer = HttpResponse(content, content_type=f"application/{kind}")
    return as_attachment(answer, name=f"{draft.application.reference}.{kind}")
