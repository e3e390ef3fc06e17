"""The same POST twice happens once (IETF draft Idempotency-Key; supplement, "Transport and credentials").

A unique row is committed before the work begins, so of two requests at once one works and the other has to wait.
The answer is kept in the same transaction as the work: either both are there or neither is.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import Error, IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.core.encrypted_fields import column_values
from formation_portal.service.identifiers import ENTITY, pattern_of
from formation_portal.service.models import ApiKey, KeptAnswer
from formation_portal.service.problems import ApiError, ErrorDetail, invalid, pointer
from formation_portal.service.storage import file_transaction

HEADER = "Idempotency-Key"
PATTERN = "^[!-~]{1,255}$"
KEPT_FOR = timedelta(days=7)
# How often a new row sweeps out those whose time is over.
PURGE_EVERY = 200
_KEPT_HEADERS = ("Content-Type", "Location", "Deprecation", "Sunset")

Work = Callable[[], HttpResponse]


class _TakenOver(Exception):
    """Another request has taken the row over; this one's work must not count."""


def run_once(request: HttpRequest, key: ApiKey, work: Work) -> HttpResponseBase:
    """The answer to the request: the work's, or what the work answered the first time."""
    name = request.headers.get(HEADER)
    if request.method != "POST" or name is None:
        return file_transaction(work)
    if not re.fullmatch(PATTERN, name):
        detail = f"{HEADER} must be 1 to 255 visible ASCII characters."
        raise invalid([ErrorDetail(pointer(HEADER), "invalid", detail, HEADER)])
    fingerprint = fingerprint_of(request)
    row = _claim(key, name, fingerprint)
    if row is not None:
        row.about = _entity_in(request.path)
        return _run_and_keep(row, work)
    return _first_answer(key, name, fingerprint)


def keep_as(response: HttpResponse, content: bytes) -> HttpResponse:
    """The response, which is kept with this content: for answers with something that is shown once."""
    response.kept_content = content  # type: ignore[attr-defined]  # read where the answer is kept
    return response


def fingerprint_of(request: HttpRequest) -> str:
    """What distinguishes one request from another, whatever its boundary or the order of its members."""
    said: object
    if request.content_type == "multipart/form-data":
        files = [(name, file.name, _digest_of(file)) for name, sent in request.FILES.lists() for file in sent]
        said = [sorted(request.POST.lists()), sorted(files)]
    else:
        try:
            said = json.dumps(json.loads(request.body), sort_keys=True)
        except (ValueError, RecursionError):
            said = request.body.hex()
    target = [request.method, request.get_full_path()]
    return hashlib.sha256(json.dumps([target, said]).encode()).hexdigest()


def _digest_of(file: "UploadedFile[Any]") -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _claim(key: ApiKey, name: str, fingerprint: str) -> KeptAnswer | None:
    """The row for this request to work under, or None where another request has it."""
    now = timezone.now()
    mine = KeptAnswer(
        api_key=key,
        idempotency_key=name,
        fingerprint=fingerprint,
        attempt=secrets.token_hex(16),
        started_at=now,
    )
    try:
        with transaction.atomic(using=SERVICE):
            mine.save(force_insert=True)
    except IntegrityError:
        return _take_over(mine)
    if mine.pk % PURGE_EVERY == 0:
        delete_old_answers()
    return mine


def _take_over(mine: KeptAnswer) -> KeptAnswer | None:
    """The row that exists already, if its time is over or its request has died."""
    there = KeptAnswer.objects.filter(api_key=mine.api_key, idempotency_key=mine.idempotency_key)
    # A row without an answer belongs to a request that is running, or to a process that has died.
    given_up = mine.started_at - timedelta(seconds=settings.SERVICE_GIVEN_UP_SECONDS)
    is_old = Q(started_at__lt=mine.started_at - KEPT_FOR)
    has_died = Q(status=None, fingerprint=mine.fingerprint, started_at__lt=given_up)
    taken = there.filter(is_old | has_died).update(
        attempt=mine.attempt,
        fingerprint=mine.fingerprint,
        started_at=mine.started_at,
        status=None,
    )
    return there.get() if taken else None


def _run_and_keep(row: KeptAnswer, work: Work) -> HttpResponse:
    def kept() -> HttpResponse:
        response = work()
        if response.status_code < 400:
            _keep(row, response)
        return response

    try:
        response = file_transaction(kept)
        if 400 <= response.status_code < 500:
            _keep(row, response)
        elif response.status_code >= 500:
            _release(row)
    except _TakenOver:
        raise _in_progress() from None
    except BaseException:
        # Where that fails too the row is given up later. What went wrong first says what may have been done.
        with suppress(Error):
            _release(row)
        raise
    return response


def _entity_in(text: str) -> str | None:
    """The id of the entity that a path or an answer names first."""
    found = re.search(pattern_of(ENTITY).strip("^$"), text)
    return found.group() if found else None


def forget_answers(entity_id: str, part: str = "") -> None:
    """Of the answers that are kept about an entity, or about the part of it with that id, keep nothing but the id of
    what was made: it is deleted, and the same request once more must not make it again."""
    for row in KeptAnswer.objects.select_for_update().filter(about=entity_id).exclude(status=None):
        body = bytes(row.body)
        if part.encode() in body:
            made = json.loads(body).get("data", {})
            row.body = json.dumps({"data": {"id": made.get("id")}}).encode()
            row.save(update_fields=["body"])


def delete_old_answers() -> None:
    """Those that are kept for longer than they have to be."""
    KeptAnswer.objects.filter(started_at__lt=timezone.now() - KEPT_FOR).delete()


def _keep(row: KeptAnswer, response: HttpResponse) -> None:
    row.headers = {name: response[name] for name in _KEPT_HEADERS if name in response}
    row.body, row.status = getattr(response, "kept_content", response.content), response.status_code
    row.about = row.about or _entity_in(response.content.decode(errors="replace"))
    kept = KeptAnswer.objects.filter(pk=row.pk, attempt=row.attempt).update(
        **column_values(row, ("status", "headers", "body", "about"))
    )
    if not kept:
        raise _TakenOver


def _release(row: KeptAnswer) -> None:
    """Nothing has happened: the same request may be sent again. A row with an answer stays."""
    KeptAnswer.objects.filter(pk=row.pk, attempt=row.attempt, status=None).delete()


def _first_answer(key: ApiKey, name: str, fingerprint: str) -> HttpResponse:
    row = KeptAnswer.objects.filter(api_key=key, idempotency_key=name).first()
    if row is None:
        raise _in_progress()
    if row.fingerprint != fingerprint:
        raise ApiError("idempotency_key_reused", f"This {HEADER} was used for another request.")
    if row.status is None:
        raise _in_progress()
    response = HttpResponse(bytes(row.body), status=row.status, headers=row.headers)
    response["Idempotent-Replayed"] = "true"
    return response


def _in_progress() -> ApiError:
    detail = f"The first request with this {HEADER} is still running."
    return ApiError("request_in_progress", detail, headers={"Retry-After": "1"})
