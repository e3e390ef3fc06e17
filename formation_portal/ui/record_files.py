"""An application's record as files to keep: JSON for machines, PDF for people.

The PDF is tagged, and PDF/UA-1 wherever every character has a font. A page of answers takes a tenth of a second, a
hundred people about a second; so it is made while its reader waits, and kept nowhere. It is made in the sandbox, since
what people typed can make it take time and memory without end.
"""

import json
import re
import tempfile
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.draft import Draft
from formation_portal.applications.export import export
from formation_portal.contract.fields.parsing import LINES_LIMIT
from formation_portal.documents import sandbox
from formation_portal.documents.typesetting import map_texts
from formation_portal.environment import PROJECT
from formation_portal.reviews.decisions import registration_of

from .downloads import as_attachment, log_record
from .printed_record import PrintedRecord, printed_record

SOURCE = PROJECT / "templates/ui/record.typ"
# Of processor time. Twenty times what a hundred people take.
SECONDS = 20
# Of all texts together: some 600 pages.
CHARACTERS_AT_MOST = 2_000_000
_PDF_AT_MOST = 50_000_000
_TASK = "formation_portal.documents.typesetting:typeset"
# What text may hold and no page can show: control characters, but for the end of a line.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# No answer that can be read is longer; of one that can't, the beginning is enough. Codes of characters come on top.
_LONGEST = LINES_LIMIT


class PdfNotMade(Exception):
    """The record is too long for a PDF, or takes too much to make."""


def make_pdf(record: PrintedRecord) -> bytes:
    """The PDF. Where no font has a character its code stands beside it, and it promises less. Raises PdfNotMade."""
    made = _made(record, is_accessible=True)
    if made.startswith(b"%PDF-"):
        return made
    lost = frozenset(json.loads(made))
    warning = gettext(
        "We can’t print some of the characters. Their codes are shown beside them. The JSON copy has "
        "every answer in full."
    )
    made = _made(record.with_codes(lost, warning=warning), is_accessible=False)
    if not made.startswith(b"%PDF-"):
        raise PdfNotMade
    return made


def _made(record: PrintedRecord, *, is_accessible: bool) -> bytes:
    said = json.dumps(map_texts(record.as_json(), _printable), ensure_ascii=False)
    if len(said) > CHARACTERS_AT_MOST:
        raise PdfNotMade
    with tempfile.TemporaryFile() as file:
        file.write(said.encode(errors="replace"))
        file.flush()
        arguments: dict[str, Any] = {
            "source": str(SOURCE),
            "fonts": settings.PDF_FONTS,
            "made_at": int(timezone.now().timestamp()),
            "is_accessible": is_accessible,
        }
        try:
            made = sandbox.run_task(_TASK, file, answer_limit=_PDF_AT_MOST, seconds=SECONDS, **arguments)
        except sandbox.SandboxBusy as error:
            raise PdfNotMade from error
    if not made:
        raise PdfNotMade
    return made


def _printable(text: str) -> str:
    """The same without what can't be shown: control characters stand as what was lost, ends of lines are one kind."""
    begun = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return _CONTROLS.sub("\ufffd", "\n".join(begun.splitlines()))


def as_json(request: UserRequest, draft: Draft) -> HttpResponse:
    """The record as JSON; that it was taken is kept."""
    entry = registration_of(draft.application)
    registration = {"number": entry.number, "date": entry.day} if entry else None
    record = export(draft) | {"registration": registration}
    content = json.dumps(record, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)
    log_record(request, draft.application, "json", by=request.user)
    return _file(draft, content.encode(), kind="application/json", ending="json")


def as_pdf(request: UserRequest, draft: Draft) -> HttpResponse:
    """The record as a PDF, as it stands now; that it was taken is kept. 503 with the way out where none can be made."""
    try:
        content = make_pdf(printed_record(draft, made_at=timezone.now()))
    except PdfNotMade:
        reference = draft.application.reference
        ways = {"reference": reference, "json_url": "record.json", "back_url": "./"}
        return render(request, "record_unavailable.html", ways, status=503)
    log_record(request, draft.application, "pdf", by=request.user)
    return _file(draft, content, kind="application/pdf", ending="pdf")


def _file(draft: Draft, content: bytes, *, kind: str, ending: str) -> HttpResponse:
    return as_attachment(HttpResponse(content, content_type=kind), name=f"{draft.application.reference}.{ending}")
