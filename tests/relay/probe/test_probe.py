"""`manage.py probe_service` finds out what the service at hand honours, and stores it as a whole or not at all."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.relay import service_profile
from formation_portal.relay.models import ResourceKind, ServiceProfile
from formation_portal.relay.probe.payloads import payloads_for, sample_value
from formation_portal.relay.service_profile import CAPABILITIES, EMBEDDED_CAPABILITIES, Capabilities
from formation_portal.service.catalog.loader import read_catalog
from formation_portal.service.models import Entity
from tests import factories
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import USABLE
from tests.relay.flaky_transport import FlakyTransport, answers, lost_after

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def probe(*arguments: str) -> str:
    """What it prints."""
    output = StringIO()
    call_command("probe_service", *arguments, stdout=output, no_color=True)
    return output.getvalue()


def passes(transport: FlakyTransport, request: Any, more: Any) -> Any:
    return transport._within.send(request)


def stored() -> Capabilities:
    """What is in force, without how slow the machine was."""
    found = ServiceProfile.objects.get().capabilities
    return CAPABILITIES.validate_python(found | {"slowest": 0.0})


@pytest.mark.usefixtures("transport")
def test_a_product_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="nothing-of-the-kind"):
        probe("--product", "nothing-of-the-kind")


def test_the_embedded_service_is_as_we_say_without_a_probe(transport: FlakyTransport) -> None:
    output = probe()
    assert stored() == EMBEDDED_CAPABILITIES
    profile = ServiceProfile.objects.get()
    assert profile.can_edit is True
    assert profile.probed_at is not None
    assert "0 answers are unknown" in output
    assert "uncertain calls are repeated with their key" in output
    assert len(transport.calls) <= 26
    assert Entity.objects.count() == 0
    assert "still there" not in output
    assert service_profile.current_profile().capabilities.slowest == profile.capabilities["slowest"] > 0


@pytest.mark.parametrize("makes_two", [True, False])
def test_an_answer_that_is_alike_by_chance_does_not_prove_keys(transport: FlakyTransport, makes_two: bool) -> None:
    """It keeps two, or knows the person again."""
    first: dict[str, Any] = {}

    def answers_alike(transport: FlakyTransport, request: Any, more: Any) -> Any:
        key = request.headers.pop("Idempotency-Key") if makes_two else "any"
        if makes_two or not first:
            made = transport._within.send(request).json()
            first.setdefault(key, made)
        return answers(201, first[key])(transport, request, more)

    transport.fail_on("POST entities/parties", answers_alike)
    output = probe()
    assert makes_two or "the answer is ambiguous" in output
    assert not stored().honours_keys


def test_nothing_is_taken_for_granted(at_other_service: OtherService) -> None:
    output = probe("--sandbox")
    assert stored() == Capabilities(lists=frozenset({ResourceKind.PARTY}))
    assert ServiceProfile.objects.get().can_edit is False
    assert "uncertain calls are never repeated automatically" in output
    assert len(at_other_service.entities) == 2
    for entity_id, entity in at_other_service.entities.items():
        assert f"The test entity {entity_id} (client_reference {entity.created['client_reference']})" in output
    parties = [request.body for request in at_other_service.requests("POST", "/parties")]
    assert {party["email"] for party in parties} == {"probe@example.com"}, "nobody's data is sent"


def test_it_has_to_be_called_a_sandbox(at_other_service: OtherService) -> None:
    with pytest.raises(CommandError, match="--sandbox"):
        probe()
    assert at_other_service.received == []
    assert not ServiceProfile.objects.exists()


@pytest.mark.usefixtures("at_other_service")
def test_parties_that_show_our_reference_are_known_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = OtherService._party

    def shown(self: OtherService, entity: Any, party_id: str) -> Any:
        reference = entity.parties[party_id].get("client_reference")
        return bare(self, entity, party_id) | {"client_reference": reference}

    monkeypatch.setattr(OtherService, "_party", shown)
    probe("--sandbox")
    parties = frozenset({ResourceKind.PARTY})
    assert stored() == Capabilities(lists=parties, references=parties)


def test_an_error_leaves_only_that_unknown_and_replaces_an_earlier_probe(transport: FlakyTransport) -> None:
    probe()
    transport.fail_on("POST entities/csp-data", answers(500))
    output = probe()
    known = stored()
    assert known.merges_csp_data is None
    assert known.honours_keys
    assert known.lists == EMBEDDED_CAPABILITIES.lists
    assert "not known: The formation service's answer did not arrive (status 500, request " in output
    assert "1 answer is unknown" in output
    assert Entity.objects.count() == 0


def test_without_parties_neither_keys_nor_holdings_nor_edits_are_known(transport: FlakyTransport) -> None:
    transport.fail_on("POST entities/parties", answers(500))
    output = probe()
    known = stored()
    assert not known.honours_keys
    assert ResourceKind.SHAREHOLDING not in known.lists | known.refuses_repeats
    assert ResourceKind.PARTY in known.lists  # it is documented
    assert ServiceProfile.objects.get().can_edit is None
    assert "no party could be made" in output
    [line] = [line for line in output.splitlines() if "Do parties carry our client_reference?" in line]
    assert "not known" in line


def test_keys_are_known_only_if_every_try_was_answered(transport: FlakyTransport) -> None:
    transport.fail_on("POST entities/parties", passes, times=2)
    transport.fail_on("POST entities/parties", lost_after, times=1)
    probe()
    assert not stored().honours_keys


def test_a_list_that_shows_nothing_is_no_evidence(transport: FlakyTransport) -> None:
    transport.fail_on("GET catalog", passes)
    transport.fail_on("GET ", answers(200, {"data": []}))
    probe()
    assert stored().lists == Capabilities().lists
    assert not stored().honours_keys
    assert not stored().replaces_documents


def test_without_a_test_entity_nothing_is_stored_and_one_that_may_be_there_is_named(transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", lost_after)
    with pytest.raises(CommandError, match="Nothing is stored") as refused:
        probe()
    assert str(Entity.objects.get().client_reference) in str(refused.value)
    assert not ServiceProfile.objects.exists()


def test_a_test_entity_that_cannot_be_removed_is_named(transport: FlakyTransport) -> None:
    transport.fail_on("DELETE entities", answers(500))
    output = probe()
    assert f"The test entity {Entity.objects.get().id} " in output
    assert ServiceProfile.objects.get().can_edit is None


@pytest.mark.usefixtures("transport")
def test_whatever_happens_the_test_entity_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("formation_portal.relay.probe.checks.ProbeChecks.replaces_documents", interrupted)
    with pytest.raises(KeyboardInterrupt):
        probe()
    assert Entity.objects.count() == 0
    assert not ServiceProfile.objects.exists()


def items() -> list[CatalogItem]:
    """Every product that we know."""
    return [one for one in parse_catalog([*read_catalog(), *USABLE, factories.ITEM]) if isinstance(one, CatalogItem)]


def test_every_required_question_gets_a_value_that_its_type_takes() -> None:
    for item in items():
        sections = item.form.sections
        for spec in (spec for section in sections for group in section.groups.values() for spec in group):
            if item.form.why_unanswerable(spec) is None and not spec.provided_by_agent:
                value = sample_value(spec)
                assert value is not None, spec
                assert spec.clean(value) is not None


def test_what_is_asked_only_sometimes_is_not_sent() -> None:
    (item,) = [one for one in items() if one.product.slug == "example"]
    payloads_ = payloads_for(item)
    assert payloads_.entity == {
        "jurisdiction_product_id": item.jurisdiction_product_id,
        "client_reference": "",
        "name": "Test",
    }
    assert payloads_.party == {
        "party_type": "person",
        "roles": ["shareholder", "director"],
        "first_name": "Test",
        "last_name": "Test",
        "email": "probe@example.com",
        "date_of_birth": "2000-01-01",
    }
    assert payloads_.slot == ("Passport", True)
