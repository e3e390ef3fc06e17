"""How long the slowest in twenty take, by the clock: pages of an application, and answers to a change (goal 16)."""

import itertools
import re
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.gateway.catalog import catalog

Measure = tuple[str, float, str]

_SLUG = "bvi-limited-company"
_PAGES = ("", "people/", "shares/", "documents/", "check/", "carry-over/")


def measures(client: Client, owner: Any, rounds: int) -> Iterator[Measure]:
    """Both figures for a company with four people and two classes of shares. No call goes to the service."""
    draft = company(owner)
    root = f"/applications/{draft.application.reference}/"
    sections = [f"{root}sections/{section.key}/" for section in draft.schema.entity_sections]
    parties = [f"{root}people/{party.token}/" for party in draft.parties]
    pages = ["/", f"/products/{_SLUG}/", *(root + page for page in _PAGES), *sections, *parties]
    yield "page_p95", _p95([lambda page=page: client.get(page) for page in pages], rounds), "ms"
    yield "change_p95", _p95([_change(client, page) for page in sections + parties], rounds), "ms"


def company(owner: Any) -> Draft:
    """A company with four people and two classes of shares."""
    product = catalog().find(_SLUG)
    assert product is not None
    assert product.item is not None
    draft = open_draft(services.start(owner=owner, product=product.item))
    for number in range(4):
        name = {"person.first_name": "Ada", "person.last_name": f"Byron the {number}th"}
        services.add_party(draft, "person", ["director", "shareholder", "ubo"], name, by=owner)
    for name in ("Ordinary", "Preferred"):
        services.add_share_class(draft, {"share_class.name": name}, by=owner)
    holdings = {(party.token, row.token): "5,000" for party in draft.parties for row in draft.share_classes}
    services.save_holdings(draft, holdings, by=owner)
    return open_draft(draft.application)


def _change(client: Client, page: str) -> Callable[[], Any]:
    """A change as htmx posts it: the whole form, with its first choice made otherwise each time."""
    html = client.get(page, headers={"Accept-Encoding": "identity"}).content.decode()
    radios = re.findall(r'type="radio" name="(q:[^"]+)" value="([^"]+)"', html)
    name = radios[0][0] if radios else "q:none"
    values = itertools.cycle([value for other, value in radios if other == name] or ["x"])

    def change() -> Any:
        version = re.search(
            r'name="version"[^>]*value="(\d+)"',
            client.get(page, headers={"Accept-Encoding": "identity"}).content.decode(),
        )
        data = {"version": version[1] if version else "0", name: next(values)}
        start = time.perf_counter()
        answer = client.post(page, data, headers={"HX-Request": "true"})
        change.spent = time.perf_counter() - start  # type: ignore[attr-defined]
        return answer

    return change


def _p95(calls: list[Callable[[], Any]], rounds: int) -> float:
    """The 95th percentile in ms over all calls, each so often, after one that warms up. Each must succeed."""
    spent = []
    for call in calls:
        for round_number in range(rounds + 1):
            start = time.perf_counter()
            answer = call()
            took = getattr(call, "spent", time.perf_counter() - start)
            assert answer.status_code < 400, answer.status_code
            spent += [took] if round_number else []
    return statistics.quantiles(spent, n=20)[-1] * 1000
