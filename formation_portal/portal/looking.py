"""Every look at an uploaded file is kept in the audit: no field's name is known here, and any may be a passport."""

from typing import Any

from django.http import HttpRequest

from formation_portal.applications.models import Document
from formation_portal.audit import chain
from formation_portal.audit.chain import Somebody, Subject
from formation_portal.audit.looks import Way
from formation_portal.audit.models import Deed


def keep_look(request: HttpRequest, document: Document, way: Way, *, by: Somebody, page: int = 1) -> None:
    """Keep that somebody is about to be shown the file, or a picture of one of its pages. HEAD shows nothing.

    What can't be kept is not shown either: an error here takes the place of the answer.
    """
    if request.method != "HEAD":
        which: dict[str, Any] = {"page": page} if way is Way.PAGE else {}
        chain.append(Deed.LOOK, by=by, application=document.application, subject=document.pk, way=way.value, **which)


def keep_record(request: HttpRequest, application: Subject, kind: str, *, by: Somebody) -> None:
    """Keep that somebody takes the whole record with them, as JSON or PDF."""
    if request.method != "HEAD":
        chain.append(Deed.RECORD, by=by, application=application, kind=kind)
