"""An application's record as a file to keep: as JSON for machines, as PDF for people."""

import json

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.draft import Draft
from formation_portal.applications.export import export
from formation_portal.reviews.rulings import registration_of

from .foreign import to_be_saved
from .looking import keep_record
from .printed_record import printed_record
from .typesetting import NotTypeset, typeset


def as_json(request: UserRequest, draft: Draft) -> HttpResponse:
    """The record as JSON; that it was taken is kept."""
    entry = registration_of(draft.application)
    registration = {"number": entry.number, "date": entry.day} if entry else None
    record = export(draft) | {"registration": registration}
    content = json.dumps(record, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)
    keep_record(request, draft.application, "json", by=request.user)
    return _file(draft, content.encode(), kind="application/json", ending="json")


def as_pdf(request: UserRequest, draft: Draft) -> HttpResponse:
    """The record as a PDF, as it stands now; that it was taken is kept. 503 with the way out where none can be made."""
    try:
        content = typeset(printed_record(draft, made_at=timezone.now()))
    except NotTypeset:
        reference = draft.application.reference
        ways = {"reference": reference, "json_url": "record.json", "back_url": "./"}
        return render(request, "portal/not_printed.html", ways, status=503)
    keep_record(request, draft.application, "pdf", by=request.user)
    return _file(draft, content, kind="application/pdf", ending="pdf")


def _file(draft: Draft, content: bytes, *, kind: str, ending: str) -> HttpResponse:
    return to_be_saved(HttpResponse(content, content_type=kind), name=f"{draft.application.reference}.{ending}")
