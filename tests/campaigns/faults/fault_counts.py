"""Counts the faults that have happened, by endpoint and kind, and the calls that nobody had recorded before."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from formation_portal.relay.models import Attempt
from tests.service import fault_plan as service_faults
from tests.service.fault_plan import ENDPOINTS

from . import proxy
from .listening_socket import NEVER_ACCEPTED, REFUSED

KILL = "kill -9"
# The ten kinds; whoever is killed, the service or the worker, it is one.
KINDS = (
    REFUSED,
    NEVER_ACCEPTED,
    proxy.ANSWER_LOST,
    service_faults.ERROR_BEFORE,
    service_faults.ERROR_AFTER,
    proxy.CUT_BODY,
    service_faults.BROKEN_JSON,
    service_faults.TOO_MANY,
    proxy.SLOW_DRIP,
    KILL,
)
SHUT_OUT = (REFUSED, NEVER_ACCEPTED)
_ONE_KIND = {service_faults.KILLED: KILL, proxy.WORKER_KILLED: KILL}

# The outcome of an attempt that surely did nothing, since no connection was made.
NOT_SENT = "NotSent"
# How the gateway's log tells a connection that timed out from one that was refused; the portal treats them alike.
_LOGGED = re.compile(r"calls POST (\S+): ConnectTimeout in \d+ ms, request (\w+)")

Faults = Counter[tuple[str, str]]


def faults(folder: Path, *, log: Path) -> Faults:
    lines = (*_lines(folder / "service-faults"), *_lines(folder / "wire"))
    return Counter((one["endpoint"], _ONE_KIND.get(one["kind"], one["kind"])) for one in lines) + _shut_out(log)


def shut_out_lacking(found: Faults, *, each: int) -> dict[str, list[str]]:
    """Return the endpoints that have shut nobody out, in each way, as often as they should. Where each is 1, once
    anywhere is enough: the long way is long."""
    if each > 1:
        return _lacking(found, SHUT_OUT, each=each)
    met = {kind for _, kind in found}
    return {kind: [] if kind in met else list(ENDPOINTS) for kind in SHUT_OUT}


def all_lacking(found: Faults, *, each: int) -> dict[str, list[str]]:
    others = [kind for kind in KINDS if kind not in SHUT_OUT]
    return shut_out_lacking(found, each=each) | _lacking(found, others, each=each)


def _lacking(found: Faults, kinds: Collection[str], *, each: int) -> dict[str, list[str]]:
    return {kind: [one for one in ENDPOINTS if found[one, kind] < each] for kind in kinds}


def unrecorded(folder: Path) -> list[str]:
    """The writes that reached the proxy before there was an attempt to tell of them, or without any."""
    since = {one.request_id: one.started_at.timestamp() for one in Attempt.objects.exclude(request_id="")}
    return [
        f"unrecorded: {seen['method']} {seen['path']}, request {seen['request_id']}"
        for seen in _lines(folder / "seen")
        if seen["request_id"] not in since or since[seen["request_id"]] > seen["at"]
    ]


def _shut_out(log: Path) -> Faults:
    """From the attempts: nobody else has seen these calls."""
    timed_out = {name for _, name in _LOGGED.findall(log.read_text())} if log.exists() else set()
    attempts = Attempt.objects.filter(outcome=NOT_SENT).exclude(request_id="").select_related("delivery")
    counted: Faults = Counter()
    for one in attempts:
        if endpoint := ENDPOINT_OF.get(one.delivery.kind):
            counted[endpoint, NEVER_ACCEPTED if one.request_id in timed_out else REFUSED] += 1
    return counted


# Where things of a kind are posted, where that is a documented call.
ENDPOINT_OF = {
    "entity": "entities",
    "entity_csp": "csp-data",
    "share_class_csp": "csp-data",
    "party_csp": "csp-data",
    "share_class": "share-classes",
    "party": "parties",
    "shareholding": "shareholdings",
    "document": "documents",
}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text().splitlines():
            yield json.loads(line)
