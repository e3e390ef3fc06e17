"""Processor time of a request: sections, blank and answered, their updates as a browser posts them, and other pages;
and how long the slowest in twenty take, by the clock."""

import html
import itertools
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth import get_user_model
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.lifecycle import State
from formation_portal.contract.schema import Section
from formation_portal.gateway.catalog import catalog

from . import Measure, forms
from .meter import Call, Meter, browser_of, text_of, version_of

SHORT, LONG = 60, 1000
SLUG = "bvi-limited-company"
_PAGES = ("", "people/", "shares/", "documents/", "check/", "carry-over/")
_FORM = "application/x-www-form-urlencoded"
_CHOICE = "q:q1"
_ANSWERS: dict[str, Callable[[int], Any]] = {
    "text": lambda number: f"Larkfield & Sons {number}",
    "boolean": lambda number: "true",
    "select": lambda number: "Perpetual",
    "multi_select": lambda number: ["Trade", "Holding"],
    "date": lambda number: {"day": str(1 + number % 28), "month": "2", "year": str(1990 + number % 30)},
    "number": lambda number: str(1000 + number),
    "textarea": lambda number: f"Trade in goods,\nof {number} kinds",
    "currency_amount": lambda number: {"amount": f"{1000 + number}.50", "currency": "USD"},
    "phone": lambda number: f"+4144668{1000 + number}",
}


def measures(client: Client, owner: Any, meter: Meter) -> Iterator[Measure]:
    """Milliseconds, and how many times the page that does nothing; a Django form against a section beside it."""
    ratios: dict[str, float] = {}

    def measured(name: str, call: Call) -> Iterator[Measure]:
        spent, ratios[name] = meter.against_nothing(call)
        yield name, spent, "ms"
        yield f"{name}_against_nothing", ratios[name], "x"

    for size in (SHORT, LONG):
        for answered in ("", "_answered"):
            section = start(owner, size, is_answered=bool(answered))
            yield from measured(f"section_{size}_fields{answered}", partial(client.get, section))
            yield f"section_{size}_weight{answered}", len(client.get(section).content) / 1000, "kB"
            yield from measured(f"dependent_update_{size}{answered}", Update(client, section))
            yield from measured(f"whole_update_{size}{answered}", Update(client, section, is_whole=True))
            yield from measured(f"save_without_script_{size}{answered}", Update(client, section, has_script=False))
    for answered in ("", "_answered"):
        long, short = (ratios[f"dependent_update_{size}{answered}"] for size in (LONG, SHORT))
        yield f"dependent_update_{LONG}_against_{SHORT}{answered}", long / short, "x"
    yield "growth_60_to_1000", ratios[f"section_{LONG}_fields"] / ratios[f"section_{SHORT}_fields"], "x"
    form = partial(client.get, "/form/")
    yield from measured("django_form_40", form)
    section = start(owner, SHORT)
    against = meter.in_turns(form, partial(client.get, section), between=meter.nothing)[1]
    yield "django_form_40_against_section_60", against, "x"
    root = f"/applications/{company(owner).application.reference}/"
    yield from measured("overview", lambda: client.get(root))
    yield from measured("people", lambda: client.get(f"{root}people/"))
    yield from measured("catalog", lambda: client.get("/"))
    agent, address = _case(owner)
    yield from measured("case", lambda: agent.get(address))
    yield from _slowest(client, owner, meter)


def _slowest(client: Client, owner: Any, meter: Meter) -> Iterator[Measure]:
    draft = company(owner)
    root = f"/applications/{draft.application.reference}/"
    sections = [f"{root}sections/{section.key}/" for section in draft.schema.entity_sections]
    parties = [f"{root}people/{party.token}/" for party in draft.parties]
    pages = ["/", f"/products/{SLUG}/", *(root + page for page in _PAGES), *sections, *parties]
    yield "page_p95", meter.p95([partial(client.get, page) for page in pages]), "ms"
    yield "change_p95", meter.p95([_change(client, page) for page in sections + parties]), "ms"


def _change(client: Client, page: str) -> Call:
    """A change as htmx posts it, with its first choice made otherwise each time; only the post is timed."""
    radios = re.findall(r'type="radio" name="(q:[^"]+)" value="([^"]+)"', text_of(client.get(page)))
    name = radios[0][0] if radios else "q:none"
    values = itertools.cycle([value for other, value in radios if other == name] or ["x"])

    def change() -> Any:
        data = {"version": version_of(text_of(client.get(page))) or "0", name: next(values)}
        start = time.perf_counter()
        answer = client.post(page, data, headers={"HX-Request": "true"})
        answer.seconds = time.perf_counter() - start  # type: ignore[attr-defined]
        return answer

    return change


def company(owner: Any) -> Draft:
    draft = open_draft(services.start(owner=owner, product=product()))
    for number in range(4):
        name = {"person.first_name": "Ada", "person.last_name": f"Byron the {number}th"}
        services.add_party(draft, "person", ["director", "shareholder", "ubo"], name, by=owner)
    for name in ("Ordinary", "Preferred"):
        services.add_share_class(draft, {"share_class.name": name}, by=owner)
    holdings = {(party.token, row.token): "5,000" for party in draft.parties for row in draft.share_classes}
    services.save_holdings(draft, holdings, by=owner)
    return open_draft(draft.application)


def product() -> CatalogItem:
    found = catalog().find(SLUG)
    assert found is not None
    assert found.item is not None
    return found.item


def start(owner: Any, size: int, *, is_answered: bool = False) -> str:
    """The address of a section of so many fields, in an application of its own."""
    item = CatalogItem.model_validate(forms.product(size))
    application = services.start(owner=owner, product=item)
    if is_answered:
        draft = open_draft(application)
        section = draft.schema.entity_sections[0]
        services.save_section(draft, section, answers(section), version=0, by=owner)
        draft = open_draft(application)
        assert len(draft.record.answers.values) == size, draft.record.answers.problems
    return f"/applications/{application.reference}/sections/questions/"


def answers(section: Section) -> dict[str, Any]:
    """Answer each question, each otherwise where anything can be typed."""
    return {spec.name: _ANSWERS[spec.field_type](number) for number, spec in enumerate(section.fields)}


def _case(owner: Any) -> tuple[Client, str]:
    """An agent's browser, and the case of an answered application that waits for review."""
    section = start(owner, SHORT, is_answered=True)
    reference = section.split("/")[2]
    application = owner.applications.get(reference=reference)
    draft = open_draft(application)
    services.submit(draft, by=owner)
    assert application.state == State.SUBMITTED_FOR_REVIEW
    agent = get_user_model().objects.create_user("bench-case@example.com", first_name="Mira", is_agent=True)
    return browser_of(agent, accepts="br"), f"/desk/{reference}/"


class Update:
    """One choice made otherwise at each call, as a browser posts it.

    With script that is only the choice and what the page says of itself, with `is_whole` all of its form. Without
    script it is all of the form, too, and the page that follows.
    """

    def __init__(self, client: Client, address: str, *, is_whole: bool = False, has_script: bool = True) -> None:
        self.client, self.address, self.is_whole, self.has_script = client, address, is_whole, has_script
        self._page = page = text_of(client.get(address))
        self._controls = _controls(page)
        self.is_on = (_CHOICE, "true") in self._controls
        # The regions that hang on the choice.
        self._own = re.findall(r'id="(region-[^"]+)"[^>]*data-when="[^"]*q%3Aq1=true', page)
        self._shown = [one for one in re.findall(r'name="shown" value="([^"]+)">', page) if one not in self._own]

    def __call__(self) -> Any:
        self.is_on = not self.is_on
        said = re.findall(r'name="(version|drawn)"[^>]*?value="([^"]+)"', self._page)
        regions = [*self._shown, *(self._own if self.is_on else ())]
        shown = [("shown", one) for one in regions]
        choice = (_CHOICE, "true" if self.is_on else "false")
        rest = [pair for pair in self._controls if pair[0] != _CHOICE]
        if self.has_script and not self.is_whole:
            shown, rest = [("shown", " ".join(regions))], [("partial", "1")]
        elif not self.has_script:
            rest.append(("update", "1"))
        headers = {"HX-Request": "true"} if self.has_script else {}
        body = urlencode([*said, *shown, choice, *rest])
        response = self.client.post(self.address, body, content_type=_FORM, headers=headers)
        answer = self.client.get(self.address) if response.status_code == 302 else response
        text = text_of(answer)
        self._page = text if 'name="version"' in text else self._page
        assert answer.status_code == 200, answer.status_code
        assert 'id="saved"' in text, "nothing has changed"
        assert 'id="banner" role="status"' not in text, "the post was stale"
        return answer


def _controls(page: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = re.search(r'name="(q:[^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        is_box = 'type="radio"' in tag or 'type="checkbox"' in tag
        if name and (not is_box or " checked" in tag):
            found.append((html.unescape(name[1]), html.unescape(value[1]) if value else ""))
    for name, text in re.findall(r'<textarea[^>]*name="(q:[^"]+)"[^>]*>([^<]*)', page):
        found.append((html.unescape(name), html.unescape(text)))
    for name, options in re.findall(r'<select[^>]*name="(q:[^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"[^>]* selected', options)
        found.append((html.unescape(name), html.unescape(chosen[1]) if chosen else ""))
    return found
