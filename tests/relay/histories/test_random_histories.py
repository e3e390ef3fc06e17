"""Whatever people do in whatever order: the service ends up with what the draft says, and is sent nothing twice."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay import service_profile
from formation_portal.relay.models import Attempt, Delivery
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities
from formation_portal.relay.sync import sync
from formation_portal.relay.worker import drain
from tests import factories, payloads
from tests.relay.conftest import RETURNED, advance, save, submit
from tests.relay.flaky_transport import FlakyTransport, answers, lost_after, lost_before, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SUPPRESSED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
TOKENS = ("one", "two")

entity_edits = st.one_of(
    st.tuples(st.just("entity.name"), st.sampled_from(["Larkfield", "Larkspur", ""])),
    st.tuples(st.just("xy.activity"), st.sampled_from(["Trading", "Holding company", "", "Smuggling"])),
    st.tuples(st.just("xy.goods"), st.sampled_from(["Timber", ""])),
    st.tuples(st.just("charter.purpose"), st.sampled_from(["Ships", ""])),
)
party_edits = st.one_of(
    st.tuples(st.just("person.last_name"), st.sampled_from(["Lovelace", "King", ""])),
    st.tuples(st.just("xy.person.is_pep"), st.sampled_from(["true", "false", ""])),
    st.tuples(st.just("xy.person.pep_office"), st.sampled_from(["Minister", ""])),
    st.tuples(st.just("xy.person.appointed_by"), st.sampled_from([*TOKENS, ""])),
)
class_edits = st.one_of(
    st.tuples(st.just("share_class.par_value"), st.sampled_from(["1", "2.5", ""])),
    st.tuples(st.just("xy.class_rights"), st.sampled_from(["None", ""])),
)
tokens = st.sampled_from(TOKENS)
roles = st.lists(st.sampled_from(["director", "shareholder", "manager"]), unique=True)
actions = st.one_of(
    st.tuples(st.just("entity"), entity_edits),
    st.tuples(st.just("party"), tokens, party_edits),
    st.tuples(st.just("roles"), tokens, roles),
    st.tuples(st.just("remove_party"), tokens),
    st.tuples(st.just("class"), tokens, class_edits),
    st.tuples(st.just("remove_class"), tokens),
    st.tuples(st.just("holding"), tokens, tokens, st.sampled_from(["5", "12", "some", "0", ""])),
    st.tuples(st.just("drain")),
)


def do(draft: Draft, action: Any, by: Any) -> None:
    """One action of a customer, or of the worker."""
    match action:
        case ("entity", (name, text)):
            save(draft, "the-company", {name: text})
        case ("party", token, (name, text)):
            if row := draft.party(token):
                services.save_party(draft, row, {name: text}, version=row.version, by=by)
            elif any(row.token == token for row in draft.removed_parties):
                services.restore_party(draft, token, by=by)
            else:
                services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=by, token=token)
        case ("roles", token, some):
            if row := draft.party(token):
                services.set_roles(draft, row, some, by=by)
        case ("remove_party", token):
            if row := draft.party(token):
                services.remove_party(draft, row, by=by)
        case ("class", token, (name, text)):
            if one := draft.share_class(token):
                services.save_share_class(draft, one, {name: text}, version=one.version, by=by)
            else:
                services.add_share_class(draft, factories.ORDINARY | {"share_class.name": token}, by=by, token=token)
        case ("remove_class", token):
            if one := draft.share_class(token):
                services.remove_share_class(draft, one, by=by)
        case ("holding", party, share_class, text):
            services.save_holdings(draft, {(party, share_class): text}, by=by)
        case ("drain",):
            drain()


def assert_a_whole_sync_changes_nothing(draft: Draft) -> None:
    """A change syncs only those that it concerns: all the others were right as they were."""
    rows = Delivery.objects.filter(application=draft.application).order_by("pk")
    names = ("kind", "subject", "wanted", "needs", "position", "state")
    after_the_change = list(rows.values(*names))
    with transaction.atomic():
        sync(open_draft(Application.objects.get(pk=draft.application.pk)))
    assert list(rows.values(*names)) == after_the_change


def ids(draft: Draft, kind: str) -> dict[str, str]:
    """The remote ids of one kind that are there, by subject."""
    rows = Delivery.objects.filter(application=draft.application, kind=kind).exclude(remote_id="")
    return {row.subject: row.remote_id for row in rows}


def assert_the_service_holds(draft: Draft, service: FormationService) -> None:
    entity_id = ids(draft, "entity")[""]
    entity = service.entity(entity_id)
    assert {name: entity[name] for name in ("name", "charter") if entity.get(name)} == payloads.entity_properties(
        draft.form_state
    )
    answers = service.csp_data(entity_id)["csp_data"]
    # The agent's own answer, which the service gives itself.
    assert answers.pop("xy.office") == factories.SCHEMA["agent_address"]
    assert answers == payloads.csp_data(draft.form_state)
    parties, classes = ids(draft, "party"), ids(draft, "share_class")
    assert {party["party_id"] for party in service.records(entity_id, Collection.PARTIES)} == set(parties.values())
    assert {one["id"] for one in service.records(entity_id, Collection.SHARE_CLASSES)} == set(classes.values())
    for row in draft.parties:
        if not draft.form_state.active_roles(row.record):
            assert row.token not in parties
        elif row.token in parties:
            wanted = {
                name: classes.get(value) if name == "xy.person.appointed_by" else value
                for name, value in payloads.csp_data(draft.form_state, row.record).items()
            }
            held = service.csp_data(entity_id, party_id=parties[row.token])["csp_data"]
            assert held == {name: value for name, value in wanted.items() if value is not None}
    held_shares = {
        (holding["party_id"], holding["share_class_id"]): holding["shares_held"]
        for holding in service.records(entity_id, Collection.SHAREHOLDINGS)
    }
    wanted_shares = {
        (parties[party], classes[share_class]): holding.shares
        for (party, share_class), holding in draft.holdings.items()
        if party in parties and share_class in classes and draft.is_shareholder(draft.party(party))
    }
    assert held_shares.keys() <= wanted_shares.keys()
    for pair, shares in wanted_shares.items():
        assert shares is None or held_shares.get(pair, 0) == shares


def assert_nothing_was_said_twice(transport: FlakyTransport) -> None:
    """Every edit changes each thing that it names, and no create is made again."""
    keys = [call.key for call in transport.calls if call.key]
    assert len(keys) == len(set(keys))
    there: dict[tuple[str, str], dict[str, Any]] = {}
    for call in transport.calls:
        if call.endpoint == "POST entities/csp-data":
            holder = call.body.get("party_id") or call.body.get("share_class_id") or ""
            before = there.setdefault((call.path, holder), {})
            csp_data = call.body["csp_data"]
            assert csp_data
            assert not {name for name, value in csp_data.items() if before.get(name, None) == value}
            before |= csp_data


@settings(max_examples=25, suppress_health_check=SUPPRESSED)
# An answer about the entity decides whether a party's role counts.
@example(
    history=[
        ("party", "one", ("person.last_name", "King")),
        ("roles", "one", ["manager"]),
        ("entity", ("xy.activity", "Trading")),
        ("entity", ("xy.activity", "Holding company")),
    ]
)
@given(history=st.lists(actions, min_size=3, max_size=14))
def test_the_service_ends_up_with_what_the_draft_says(
    history: list[Any], owner: Any, transport: FlakyTransport, service: FormationService
) -> None:
    transport.clear()
    draft = factories.new_draft(owner)
    for action in history:
        do(draft, action, owner)
        assert_a_whole_sync_changes_nothing(draft)
    drain()
    unfinished = Delivery.objects.filter(application=draft.application).exclude(state__in=("done", "queued"))
    assert not unfinished.exists(), list(unfinished)
    assert_the_service_holds(draft, service)
    assert drain() == 0
    assert_nothing_was_said_twice(transport)


@settings(max_examples=6, suppress_health_check=SUPPRESSED)
@given(history=st.lists(actions, min_size=3, max_size=14))
def test_a_correction_syncs_all_that_it_concerns(
    history: list[Any], owner: Any, agent: Any, transport: FlakyTransport
) -> None:
    """The same of what was submitted and came back twice, of which nothing leaves until it is sent again."""
    draft = factories.complete_draft(owner)
    for _ in range(2):
        submit(draft)
        drain()
        advance(draft, *RETURNED, by=agent)
        drain()
    transport.clear()
    for action in history:
        do(draft, action, owner)
        assert_a_whole_sync_changes_nothing(draft)
    assert transport.calls == []


SOMEBODY_ELSE = {
    "id": "ent_foreign",
    "party_id": "pty_foreign",
    "client_reference": "FP-FOREIGN",
    "name": "Somebody else's",
    "first_name": "Grace",
    "document_key": "Another slot",
}
FAULTS = {
    "unreachable": unreachable,
    "lost before": lost_before,
    "lost after": lost_after,
    "busy": answers(429, Retry_After="1"),
    "broken": answers(500),
    "no JSON": answers(201, "<html>"),
    "somebody else": answers(201, {"data": SOMEBODY_ELSE}),
}
# One fault, then the worker's turn: what meets three in a row is an agent's by design.
storms = st.tuples(st.just("storm"), st.sampled_from(sorted(FAULTS)), st.integers(0, 6))


def storm(transport: FlakyTransport, fault: str, sunny_calls: int) -> None:
    """So many calls go well; the next meets the fault."""
    transport.fail_on("", lambda here, request, more: here._within.send(request), times=sunny_calls)
    transport.fail_on("", FAULTS[fault], times=1)
    drain()
    transport.failures.clear()


@pytest.mark.parametrize(
    "capabilities",
    [EMBEDDED_CAPABILITIES, Capabilities(lists=EMBEDDED_CAPABILITIES.lists)],
    ids=["keys", "lists-and-whole-answers"],
)
@settings(
    max_examples=12,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[*SUPPRESSED, HealthCheck.filter_too_much],
)
@given(history=st.lists(st.one_of(actions, storms), min_size=4, max_size=16))
def test_the_service_ends_up_with_what_the_draft_says_after_any_storm(
    history: list[Any], owner: Any, transport: FlakyTransport, service: FormationService, capabilities: Capabilities
) -> None:
    transport.clear()
    transport.forgets_keys = not capabilities.honours_keys
    service_profile.update_profile(capabilities=capabilities, can_edit=True)
    draft = factories.new_draft(owner)
    for action in history:
        if action[0] == "storm":
            storm(transport, *action[1:])
        else:
            do(draft, action, owner)
    for _ in range(8):
        drain()
    rows = Delivery.objects.filter(application=draft.application)
    assume(not rows.filter(state="held").exists())
    assert not rows.exclude(state__in=("done", "queued")).exists(), list(rows)
    assert_the_service_holds(draft, service)
    assert len(service.entities(client_reference=draft.application.reference)) == 1
    assert not Attempt.objects.filter(ended_at=None).exists()
