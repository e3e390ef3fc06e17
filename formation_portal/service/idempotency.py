"""Carry out a POST once per Idempotency-Key (INTERFACE.md, "Transport and credentials").

A unique row is committed before the work begins, and the answer is saved in the transaction of the work.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
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
from formation_portal.service.storage import digest_of, file_transaction

HEADER = "Idempotency-Key"
PATTERN = "^[!-~]{1,255}$"
KEPT_FOR = timedelta(days=7)
_KEPT_HEADERS = ("Content-Type", "Location")


class _TakenOver(Exception):
    """Raised if another request has taken over the row, so that the work of this request is rolled back."""


def run_once(request: HttpRequest, key: ApiKey, work: Callable[[], HttpResponse]) -> HttpResponseBase:
    """Do the work in a transaction. A repeated POST gets the first POST's answer."""
    name = request.headers.get(HEADER)
    if request.method != "POST" or name is None:
        with file_transaction():
            response = work()
            _roll_back_if_refused(response)
        return response
    if not re.fullmatch(PATTERN, name):
        detail = f"{HEADER} must be 1 to 255 visible ASCII characters."
        raise invalid([ErrorDetail(pointer(HEADER), "invalid", detail, HEADER)])
    fingerprint = fingerprint_of(request)
    row = _claim(key, name, fingerprint)
    if row is None:
        return _first_answer(key, name, fingerprint)
    row.about = _first_entity_id(request.path)
    try:
        with file_transaction():
            response = work()
            if response.status_code < 400:
                _keep(row, response)
            _roll_back_if_refused(response)
        if 400 <= response.status_code < 500:
            _keep(row, response)
        elif response.status_code >= 500:
            _release(row)
    except _TakenOver:
        raise _in_progress() from None
    except BaseException:
        # If the release fails too, the row expires later. The first error is raised, since it explains more.
        with suppress(Error):
            _release(row)
        raise
    return response


def _roll_back_if_refused(response: HttpResponse) -> None:
    if response.status_code >= 400:
        transaction.set_rollback(True, using=SERVICE)


def keep_as(response: HttpResponse, content: bytes) -> HttpResponse:
    """Give repeated requests this content instead of the response's own content, which shows a secret."""
    response.kept_content = content  # type: ignore[attr-defined]  # read by _keep
    return response


def fingerprint_of(request: HttpRequest) -> str:
    """Return a digest of the request that does not depend on multipart boundaries and the order of members."""
    content: object
    if request.content_type == "multipart/form-data":
        files = [(name, file.name, digest_of(file)) for name, sent in request.FILES.lists() for file in sent]
        content = [sorted(request.POST.lists()), sorted(files)]
    else:
        try:
            content = json.dumps(json.loads(request.body), sort_keys=True)
        except (ValueError, RecursionError):
            content = request.body.hex()
    target = [request.method, request.get_full_path()]
    return hashlib.sha256(json.dumps([target, content]).encode()).hexdigest()


def _claim(key: ApiKey, name: str, fingerprint: str) -> KeptAnswer | None:
    """Create the row for this request, or take over an expired row. Return None if another request has the row."""
    row = KeptAnswer(
        api_key=key,
        idempotency_key=name,
        fingerprint=fingerprint,
        attempt=secrets.token_hex(16),
        started_at=timezone.now(),
    )
    try:
        with transaction.atomic(using=SERVICE):
            row.save(force_insert=True)
    except IntegrityError:
        return _take_over(row)
    return row


def _take_over(new_row: KeptAnswer) -> KeptAnswer | None:
    rows = KeptAnswer.objects.filter(api_key=new_row.api_key, idempotency_key=new_row.idempotency_key)
    # A row without an answer belongs to a request that is running, or to a process that has died.
    given_up = new_row.started_at - timedelta(seconds=settings.SERVICE_GIVEN_UP_SECONDS)
    has_expired = Q(started_at__lt=new_row.started_at - KEPT_FOR)
    has_died = Q(status=None, fingerprint=new_row.fingerprint, started_at__lt=given_up)
    is_taken_over = rows.filter(has_expired | has_died).update(
        attempt=new_row.attempt,
        fingerprint=new_row.fingerprint,
        started_at=new_row.started_at,
        status=None,
    )
    if not is_taken_over:
        return None
    return rows.get()


def _first_entity_id(text: str) -> str | None:
    match = re.search(pattern_of(ENTITY).strip("^$"), text)
    return match.group() if match else None


def forget_answers(entity_id: str, part_id: str = "") -> None:
    """Reduce the saved answers about an entity, with `part_id` only those that contain it, to the id of their record.
    The id stays, so that a repeated request does not make the record again."""
    for row in KeptAnswer.objects.select_for_update().filter(about=entity_id).exclude(status=None):
        body = bytes(row.body)
        if part_id.encode() in body:
            record = json.loads(body).get("data", {})
            row.body = json.dumps({"data": {"id": record.get("id")}}).encode()
            row.save(update_fields=["body"])


def delete_old_answers() -> None:
    KeptAnswer.objects.filter(started_at__lt=timezone.now() - KEPT_FOR).delete()


def _keep(row: KeptAnswer, response: HttpResponse) -> None:
    """Save the answer. Raises _TakenOver if another request has taken over the row."""
    row.headers = {name: response[name] for name in _KEPT_HEADERS if name in response}
    row.body = getattr(response, "kept_content", response.content)
    row.status = response.status_code
    row.about = row.about or _first_entity_id(response.content.decode(errors="replace"))
    values = column_values(row, ("status", "headers", "body", "about"))
    if not KeptAnswer.objects.filter(pk=row.pk, attempt=row.attempt).update(**values):
        raise _TakenOver


def _release(row: KeptAnswer) -> None:
    """Delete the row of a request that had no effect, unless the row has an answer."""
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
