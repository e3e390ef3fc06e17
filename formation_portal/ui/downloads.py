"""Files, pictures and tables as responses: nothing in them may act as a page, no cache keeps them, and each view of a
document is logged."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.documents import page_picture
from formation_portal.applications.models import Document
from formation_portal.audit import chain
from formation_portal.audit.chain import Account, Subject
from formation_portal.audit.models import AccessKind, AuditAction

Response = TypeVar("Response", bound=HttpResponseBase)

_ALONE = "default-src 'none'; sandbox"
# With these a spreadsheet would take a text for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def isolated(response: Response) -> Response:
    """The answer with a policy under which its content can do nothing, of exactly the type that it says."""
    response.headers["Content-Security-Policy"] = _ALONE
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def as_attachment(response: Response, *, name: str) -> Response:
    """The answer as a file of this name for its reader alone. The name is ours: names of people stay inside."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return isolated(response)


def picture_response(jpeg: bytes, *, name: str) -> HttpResponseBase:
    """A picture that we have drawn of a document, to be shown within a page; the name is ours."""
    answer = HttpResponse(jpeg, content_type="image/jpeg")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}.jpg"'
    return isolated(answer)


def log_view(request: HttpRequest, document: Document, way: AccessKind, *, by: Account, page: int = 1) -> None:
    """Keep that somebody is about to be shown the file, or a picture of one of its pages. HEAD shows nothing.

    What can't be kept is not shown either: an error here takes the place of the answer.
    """
    if request.method != "HEAD":
        which: dict[str, Any] = {"page": page} if way is AccessKind.PAGE else {}
        chain.append(
            AuditAction.LOOK, by=by, application=document.application, subject=document.pk, way=way.value, **which
        )


def log_record(request: HttpRequest, application: Subject, kind: str, *, by: Account) -> None:
    """Keep that somebody takes the whole record with them, as JSON or PDF."""
    if request.method != "HEAD":
        chain.append(AuditAction.RECORD, by=by, application=application, kind=kind)


def as_download(request: HttpRequest, found: Document, *, by: Account) -> HttpResponse:
    """A file that was uploaded, and the look at it kept; 404 where the disk hasn't got it."""
    try:
        content = found.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    log_view(request, found, AccessKind.FILE, by=by)
    answer = FileResponse(content, as_attachment=True, filename=found.download_name, content_type=found.mime_type)
    return cast(HttpResponse, isolated(answer))


def page_as_picture(request: UserRequest, document: Document, page: int, *, is_close: bool = False) -> HttpResponseBase:
    """The answer with one page of a document, and the look at it kept; 404 where it can't be drawn."""
    drawn = page_picture(document, page, is_close=is_close)
    if not drawn:
        raise Http404
    log_view(request, document, AccessKind.PAGE, by=request.user, page=page)
    return picture_response(drawn, name=f"page-{page}")


class _Line:
    """What the writer writes to: hands the line back."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Each row as a line, as soon as it is there."""
    writer = csv.writer(_Line())
    for row in rows:
        yield writer.writerow([_without_formula(value) for value in row])


def csv_response(rows: Iterable[Sequence[Any]], *, name: str) -> StreamingHttpResponse:
    """A file for its reader alone, which nobody keeps on the way."""
    answer = StreamingHttpResponse(csv_lines(rows), content_type="text/csv")
    return as_attachment(answer, name=f"{name}.csv")


def _without_formula(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
