"""Every look at an uploaded file is kept in the audit: no field's name is known here, and any may be a passport."""

from typing import Any, cast

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.documents import page_picture
from formation_portal.applications.models import Document
from formation_portal.audit import chain
from formation_portal.audit.chain import Somebody, Subject
from formation_portal.audit.looks import Way
from formation_portal.audit.models import Deed
from formation_portal.portal.foreign import picture, sealed


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


def as_download(request: HttpRequest, found: Document, *, by: Somebody) -> HttpResponse:
    """A file that was uploaded, and the look at it kept; 404 where the disk hasn't got it."""
    try:
        content = found.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    keep_look(request, found, Way.FILE, by=by)
    answer = FileResponse(content, as_attachment=True, filename=found.download_name, content_type=found.mime_type)
    return cast(HttpResponse, sealed(answer))


def page_as_picture(request: UserRequest, document: Document, page: int, *, is_close: bool = False) -> HttpResponseBase:
    """The answer with one page of a document, and the look at it kept; 404 where it can't be drawn."""
    drawn = page_picture(document, page, is_close=is_close)
    if not drawn:
        raise Http404
    keep_look(request, document, Way.PAGE, by=request.user, page=page)
    return picture(drawn, name=f"page-{page}")
