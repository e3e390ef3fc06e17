"""What tests of decisions share: a case that is checked, and the form of its page as a browser would post it."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from tests.markup import Element, Markup
from tests.reviews.deciding import let_decisions_take_effect


def path(draft: Draft, more: str = "") -> str:
    return f"/desk/{draft.application.reference}/{more}"


def page_version(client: Client, draft: Draft, more: str = "") -> str:
    return str(case_page(client, draft, more).all("input", name="sight")[0].attributes["value"])


def case_page(client: Client, draft: Draft, more: str = "") -> Markup:
    return sound(client.get(path(draft, more)))


def sound(response: HttpResponse, status: int | None = None) -> Markup:
    assert status in (None, response.status_code)
    markup = Markup(response.content.decode())
    assert markup.faults == []
    return markup


def error_links(markup: Markup) -> list[str]:
    links = [one for one in markup.all("a") if any(up.attributes.get("role") == "alert" for up in one.ancestors)]
    return [link.attributes["href"].removeprefix("#") for link in links]


def decided(client: Client, draft: Draft, transition: str, **typed: str) -> Any:
    """The answer to a decision, by somebody who has just opened the page, presses its button with a pointer, goes on
    without opening documents, and lets the time to undo it pass."""
    form = {"sight": page_version(client, draft, "ruling/"), "decision": transition, "unseen": documents_of(draft)}
    response = client.post(path(draft, "ruling/"), form | POINTER | typed)
    let_decisions_take_effect()
    return response


# As desk.js fills it in.
POINTER = {"certain": "1"}
REGISTERED = {"register_number": "HRB 1234", "registered_on": "2026-11-20", "confirmed": "1"}


def take_over(draft: Draft, by: Any) -> None:
    """The case is this agent's, whoever has claimed it."""
    case = Case.objects.select_related("claimed_by", "application").get(pk=draft.application.pk)
    assert claims.take_over(case, by=by, reason="Covering for a colleague")


def documents_of(draft: Draft) -> list[int]:
    return list(draft.application.documents.values_list("pk", flat=True))


def state(draft: Draft) -> str:
    return str(Application.objects.get(pk=draft.application.pk).state)


def hidden_values(markup: Markup, within: Element) -> dict[str, list[str]]:
    """What an element of a page posts without showing it, by name."""
    values: dict[str, list[str]] = {}
    for control in markup.all("input", type="hidden"):
        if within in control.ancestors:
            values.setdefault(control.attributes["name"], []).append(control.attributes["value"])
    return values
