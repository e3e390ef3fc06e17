"""Submitted applications for the desk's tests."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.desk.decision_setup import sound
from tests.markup import Markup


def submitted_ones(owner: Any, count: int, *, first_days: int = 0, **more: Any) -> list[Application]:
    """As their transitions would have left them, each a day older than the one before."""
    made_ones = [services.start(owner=owner, product=factories.product()) for _ in range(count)]
    for days, application in enumerate(made_ones, first_days):
        at = timezone.now() - timedelta(days=days)
        facts = {"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": at, "submissions": 1} | more
        Application.objects.filter(pk=application.pk).update(**facts)
        application.refresh_from_db()
        with transaction.atomic():
            workflow.application_changed(open_draft(application))
    return made_ones


def searched(client: Client, query: str) -> str:
    """The query with the id of a search in the place of `q`, whose words the client posts as the form does."""
    path, _, said = query.partition("?")
    asked = parse_qsl(said)
    words = [value for name, value in asked if name == "q"]
    if not words:
        return query
    kept = QueryDict(client.post("/desk/", {"q": words[-1]})["Location"].partition("?")[2])
    return f"{path}?{urlencode([('search', kept['search']) if one[0] == 'q' else one for one in asked])}"


def page(client: Client, query: str = "") -> Markup:
    return sound(client.get(f"/desk/{searched(client, query)}"))


def references_on(markup: Markup) -> list[str]:
    return [one.text for one in markup.all("span", class_="nowrap") if one.text.startswith("FP-")]


def references(client: Client, query: str = "") -> list[str]:
    return references_on(page(client, query))


def walked(client: Client, query: str, rel: str = "next") -> list[list[str]]:
    pages, address = [], query
    while address:
        markup = page(client, address)
        pages.append(references_on(markup))
        address = next((one.attributes["href"].removeprefix("/desk/") for one in markup.all("a", rel=rel)), "")
    return pages


def news_address(client: Client, query: str = "") -> str:
    return page(client, query).one("p", id="news").attributes["hx-get"]


def page_after_post(client: Client, address: str, posted: dict[str, Any]) -> str:
    """The page that follows a post; a search in what the queue `shown` is made first."""
    posted = posted | {name: searched(client, posted[name]) for name in posted.keys() & {"shown"}}
    return client.post(address, posted, follow=True).content.decode()
