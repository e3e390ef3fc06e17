"""A case is found by its company, its people, its customer and its reference, however they are spelled."""

import logging
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.test import Client
from django.urls import reverse

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case, CaseWord
from formation_portal.desk.queue import search
from formation_portal.desk.queue.queue_index import search_words, stored_digests
from formation_portal.desk.queue.search import search_prefixes
from formation_portal.management.commands.agent import add_agent
from tests import factories
from tests.desk.factories import references, submitted_ones
from tests.subscribing import subscribe

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def _words(case: Application) -> set[bytes]:
    return {bytes(word) for word in CaseWord.objects.filter(case=case.pk).values_list("word", flat=True)}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Łódź Øresund Æther", "lodz oresund aether"),
        ("Jean-Luc O'Brien", "jeanluc obrien brien luc"),
        ("Quintral S.R.L.", "SRL quint"),
        ("Straße der Einheit", "STRASSE"),
        ("山田 太郎", "山"),
        ("Ｆｕｌｌ ﬁne", "full fin"),
    ],
)
def test_words_are_the_same_for_any_spelling(name: str, typed: str) -> None:
    words = search_words([name])
    assert search_prefixes(typed)
    assert all(words & set(stored_digests(beginning)) for beginning in search_prefixes(typed))


def test_what_holds_no_letter_finds_nothing(owner: Any, as_agent: Client) -> None:
    submitted_ones(owner, 1)
    assert references(as_agent, "?q=%21%21") == []


@pytest.mark.parametrize("typed", ["larkfield", "LÀRK hold", "ada", "Ingrid", "owner@example.com"])
def test_company_people_and_customer_find_a_case(submitted: Draft, as_agent: Client, typed: str) -> None:
    assert references(as_agent, f"?q={typed}") == [submitted.application.reference]
    assert references(as_agent, f"?q={typed}+nobody") == []


def test_the_words_of_a_name_find_in_any_order(submitted: Draft, as_agent: Client) -> None:
    name = submitted.parties[0].label.split()
    assert len(name) > 1
    assert references(as_agent, f"?q={'+'.join(reversed(name))}") == [submitted.application.reference]


def test_a_reference_finds_its_case_with_and_without_hyphens(owner: Any, as_agent: Client) -> None:
    one, _other = submitted_ones(owner, 2)
    assert references(as_agent, f"?q={one.reference[:9].lower()}") == [one.reference]
    assert references(as_agent, f"?q={one.reference.replace('-', '')}") == [one.reference]


def test_a_closed_case_is_found_too(owner: Any, as_agent: Client) -> None:
    [closed] = submitted_ones(owner, 1, state=State.INCORPORATED)
    assert references(as_agent) == []
    assert references(as_agent, "?q=ingrid") == [closed.reference]


def test_a_word_that_many_cases_have_finds_the_same(
    owner: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted_ones(owner, 3)
    found = references(as_agent, "?q=ingrid+sol")
    monkeypatch.setattr(search, "_MAX_SORTED", 2)
    assert references(as_agent, "?q=ingrid+sol") == found
    assert len(found) == 3


def test_a_correction_is_found_at_once_and_what_it_replaced_until_it_is_submitted(
    submitted: Draft, owner: Any, as_agent: Client
) -> None:
    services.reopen(submitted, reason="Returned")
    section, ada = submitted.schema.entity_sections[0], submitted.party("ada")
    assert ada is not None
    version = submitted.version(section.key)
    services.save_section(submitted, section, {"entity.name": "Kestrel"}, version=version, by=owner)
    services.save_party(submitted, ada, {"person.last_name": "Wilgenhof"}, version=ada.version, by=owner)
    named = [submitted.application.reference]
    for word in ("kestrel", "larkfield", "wilgenhof", "lovelace"):
        assert references(as_agent, f"?q={word}") == named
    services.submit(submitted, by=owner)
    assert references(as_agent, "?q=kestrel+wilgenhof") == named
    assert references(as_agent, "?q=larkfield") == references(as_agent, "?q=lovelace") == []
    assert _words(submitted.application) == _words_made_anew(submitted)


def test_a_customers_new_name_and_address_find_their_cases_at_once(
    submitted: Draft, owner: Any, other_customer: Any, as_agent: Client
) -> None:
    named, [other] = [submitted.application.reference], submitted_ones(other_customer, 1)
    before = _words(other)
    address = EmailAddress.objects.create(user=owner, email="ada@kestrel.example")
    factories.browser_of(owner).post(reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key]))
    assert references(as_agent, "?q=ada@kestrel.example") == named
    assert references(as_agent, "?q=owner@example.com") == []
    add_agent("ada@kestrel.example", last_name="Falco", rights=())
    assert references(as_agent, "?q=falco") == named
    assert references(as_agent, f"?q={owner.last_name}") == []
    assert references(as_agent, "?q=ada+lovelace") == named, "somebody else in it has that name"
    assert _words(submitted.application) == _words_made_anew(submitted)
    assert _words(other) == before


def _words_made_anew(case: Draft) -> set[bytes]:
    CaseWord.objects.filter(case=case.application.pk).delete()
    workflow.application_changed(open_draft(Application.objects.get(pk=case.application.pk)))
    return _words(case.application)


def test_a_change_that_fails_leaves_the_case_as_it_was(
    submitted: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _words(submitted.application)

    def fail(draft: Draft, change: Any) -> None:
        raise RuntimeError

    subscribe(monkeypatch, "application_changed", fail)
    with pytest.raises(RuntimeError):
        services.withdraw(submitted, by=owner)
    assert Case.objects.get(pk=submitted.application.pk).state == State.SUBMITTED_FOR_REVIEW
    assert _words(submitted.application) == before


def test_a_draft_makes_no_case(draft: Draft, owner: Any) -> None:
    factories.fill_in(draft, by=owner)
    assert not Case.objects.exists()
    assert open_draft(draft.application).application.submitted_at is None


def test_no_log_of_ours_holds_what_was_searched_for(
    as_agent: Client, as_owner: Client, as_nobody: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for client in (as_agent, as_owner, as_nobody):
        client.get("/desk/?q=Solheim")
        client.get("/desk/nothing/?q=Solheim")
        client.post("/desk/", {"q": "Solheim"}, follow=True)
    messages = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert any("/desk/" in line for line in messages)
    assert any("GET desk:queue 200" in line for line in messages)
    assert not any("Solheim" in line for line in messages)
