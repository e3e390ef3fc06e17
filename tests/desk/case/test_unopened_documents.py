"""Documents that nobody has opened: said on every page, and asked about before they are accepted or decided about."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.audit import chain
from formation_portal.audit.models import AccessKind, AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.targets import Target
from tests import factories
from tests.desk.decision_setup import POINTER, case_page, documents_of, page_version, path, sound, state
from tests.markup import Markup
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PASSPORT = Target.of_document("ada", "Passport")


def opens(client: Client, draft: Draft) -> None:
    """The agent takes the file."""
    [number] = documents_of(draft)
    response = client.get(path(draft, f"documents/{number}/"))
    assert response.status_code == 200
    assert b"".join(response.streaming_content)


def accepts(client: Client, draft: Draft, **more: Any) -> Any:
    form = {"place": str(PASSPORT), "sight": page_version(client, draft, "ruling/")}
    return client.post(path(draft, "acceptances/"), form | more)


def is_accepted(draft: Draft) -> bool:
    found = load_checklist(factories.again(draft)).at(PASSPORT)
    return found is not None and found.is_done


def once_more(client: Client, markup: Markup, address: str) -> Any:
    """Presses the button of the page that asked: all that it carries is posted."""
    main = markup.one("main")
    hidden = [one for one in markup.all("input", type="hidden") if main in one.ancestors]
    section = markup.one("section", aria_labelledby="unseen")
    form: dict[str, list[str]] = {}
    for one in hidden:
        if section in one.ancestors:
            form.setdefault(one.attributes["name"], []).append(one.attributes["value"])
    return client.post(address, form)


def test_a_document_that_was_not_opened_is_named_and_asked_about(submitted: Draft, as_agent: Client) -> None:
    response = accepts(as_agent, submitted)
    assert response.status_code == 422
    assert not is_accepted(submitted)
    markup = sound(response)
    [link] = [one for one in markup.all("a") if one.text == "Passport"]
    assert link.attributes["href"].startswith(path(submitted, "parties/ada/"))
    assert once_more(as_agent, markup, path(submitted, "acceptances/")).status_code == 302
    assert is_accepted(submitted), "there is a way on"


def test_one_that_was_opened_is_accepted_at_once(submitted: Draft, as_agent: Client) -> None:
    opens(as_agent, submitted)
    assert accepts(as_agent, submitted).status_code == 302
    assert is_accepted(submitted)


def test_what_a_colleague_has_opened_is_asked_about_and_says_so(
    submitted: Draft, as_agent: Client, as_colleague: Client
) -> None:
    opens(as_colleague, submitted)
    response = accepts(as_agent, submitted)
    assert response.status_code == 422
    assert "Opened by Dev Ramanathan" in sound(response).one("main").text


def test_the_small_picture_is_no_look(submitted: Draft, as_agent: Client, agent: Any) -> None:
    [number] = documents_of(submitted)
    chain.append(
        AuditAction.LOOK, by=agent, application=submitted.application, subject=number, way=AccessKind.SMALL.value
    )
    assert accepts(as_agent, submitted).status_code == 422


def test_what_customers_see_of_their_own_files_counts_for_nobody(
    submitted: Draft, as_owner: Client, as_agent: Client
) -> None:
    [number] = documents_of(submitted)
    response = as_owner.get(f"/applications/{submitted.application.reference}/documents/{number}/")
    assert b"".join(response.streaming_content)
    assert accepts(as_agent, submitted).status_code == 422


def test_each_document_shows_who_has_opened_it(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    assert "Not opened yet" in case_page(as_agent, submitted).one("main").text
    opens(as_agent, submitted)
    opens(as_colleague, submitted)
    words = "Opened by Mira Okafor and Dev Ramanathan"
    assert words in case_page(as_agent, submitted).one("main").text
    assert words in case_page(as_agent, submitted, "parties/ada/").one("main").text


def test_approving_asks_about_what_who_approves_has_not_opened(submitted: Draft, as_agent: Client, agent: Any) -> None:
    factories.accept_everything(submitted, agent)
    form = POINTER | {"sight": page_version(as_agent, submitted, "ruling/"), "decision": "approve"}
    response = as_agent.post(path(submitted, "ruling/"), form)
    assert response.status_code == 422
    assert state(submitted) == State.IN_REVIEW
    assert once_more(as_agent, sound(response), path(submitted, "ruling/")).status_code == 302
    let_decisions_take_effect()
    assert state(submitted) == State.SUBMITTED_TO_CSP


def test_whoever_confirms_has_to_look_too(
    submitted: Draft, as_agent: Client, as_colleague: Client, agent: Any, settings: Any
) -> None:
    settings.FOUR_EYES = True
    factories.accept_everything(submitted, agent)
    opens(as_agent, submitted)
    form = POINTER | {"sight": page_version(as_agent, submitted, "ruling/"), "decision": "approve"}
    assert as_agent.post(path(submitted, "ruling/"), form).status_code == 302
    confirmation = path(submitted, "ruling/confirmation/")
    form = POINTER | {"sight": page_version(as_colleague, submitted, "ruling/")}
    response = as_colleague.post(confirmation, form)
    assert response.status_code == 422
    assert state(submitted) == State.IN_REVIEW
    assert "Opened by Mira Okafor" in sound(response).one("main").text
    assert once_more(as_colleague, sound(response), confirmation).status_code == 302
    let_decisions_take_effect()
    assert state(submitted) == State.SUBMITTED_TO_CSP


def test_a_return_and_a_decline_ask_nothing(submitted: Draft, as_agent: Client) -> None:
    form = {"sight": page_version(as_agent, submitted, "ruling/"), "decision": "return", "text": "Please mend it"}
    assert as_agent.post(path(submitted, "ruling/"), form).status_code == 302
