"""The desired state is a pure function of a draft, and nothing inactive is ever in it."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import document_subject
from formation_portal.contract.record import Holder
from formation_portal.contract.schema import FormSchema
from formation_portal.relay.calls import bodies
from formation_portal.relay.models import ResourceKind
from formation_portal.relay.sync import DesiredResource, desired_state
from tests import payloads, strategies
from tests.applications.draft_strategies import drafts as drafts_of


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """A draft of any schema and any completeness, in memory."""
    draft = draw(drafts_of(FormSchema.model_validate(draw(strategies.schemas()))))
    draft.application.product_id, draft.application.reference = "product", "FP-TEST"
    for document in draft.documents:
        document.subject = document_subject(document.party.token, document.slot)
        document.sha256 = document.party.token
    return draft


def holder_of(draft: Draft, resource: DesiredResource) -> Holder:
    if resource.kind in (ResourceKind.PARTY, ResourceKind.PARTY_CSP):
        return draft.party(resource.subject).record
    if resource.kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP):
        return draft.share_class(resource.subject).record
    return None


def active_names(draft: Draft, holder: Holder) -> set[str]:
    """Straight from the rules, section by section, without the wire's help."""
    sections = draft.schema.sections
    if holder is not None and hasattr(holder, "roles"):
        sections = draft.schema.sections_of(holder.roles)
    return {
        question.spec.name
        for section in sections
        for question in draft.form_state.questions(section, holder)
        if question.activation.active and draft.form_state.section_activation(section).active
    }


slowly = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slowly
@given(drafts())
def test_what_is_desired_of_any_draft(draft: Draft) -> None:
    """Three properties of the same drafts, since making a draft takes longer than checking it."""
    assert_nothing_is_inactive(draft)
    assert_creates_send_the_contracts_bodies(draft)
    assert_asking_again_gives_the_same(draft)


def assert_nothing_is_inactive(draft: Draft) -> None:
    for resource in desired_state(draft):
        if resource.payload is None:
            continue
        answers = resource.payload.get("answers", {})
        holder = holder_of(draft, resource)
        assert answers.keys() <= active_names(draft, holder)
        assert all(name in (holder.answers if holder else draft.record.answers).values for name in answers)
        if resource.kind is ResourceKind.PARTY:
            for section in draft.schema.role_sections:
                if section.role in resource.payload["roles"]:
                    assert draft.form_state.section_activation(section).active
        if resource.kind is ResourceKind.DOCUMENT:
            party = draft.party(resource.subject.partition("/")[0])
            assert "Passport" in {slot.name for slot in draft.form_state.slots(party.record)}
        if resource.kind in (ResourceKind.SHARE_CLASS, ResourceKind.SHAREHOLDING):
            assert draft.holds_shares
        if resource.kind is ResourceKind.SHAREHOLDING:
            holder_row = draft.party(resource.subject.partition("/")[0])
            assert draft.is_shareholder(holder_row)


def assert_creates_send_the_contracts_bodies(draft: Draft) -> None:
    for resource in desired_state(draft):
        if resource.payload is None or _refers(resource.payload):
            continue
        holder = holder_of(draft, resource)
        body = bodies.full_body(resource.kind, resource.payload)
        if resource.kind is ResourceKind.ENTITY:
            assert body.pop("jurisdiction_product_id") == "product"
            assert body.pop("client_reference") == "FP-TEST"
            assert body == payloads.entity_properties(draft.form_state)
        elif resource.kind is ResourceKind.PARTY:
            assert body == payloads.party_body(draft.form_state, holder)
        elif resource.kind is ResourceKind.SHARE_CLASS:
            assert body == {"par_value": 0} | payloads.properties(draft.form_state, holder)
        elif resource.kind.is_csp:
            assert body == payloads.csp_data(draft.form_state, holder)


def _refers(payload: Any) -> bool:
    return "$ref" in str(payload)


def assert_asking_again_gives_the_same(draft: Draft) -> None:
    first = desired_state(draft)
    draft.invalidate()
    assert desired_state(draft) == first
    assert len({resource.name for resource in first}) == len(first)


@slowly
@given(drafts(), st.data())
def test_an_edit_brings_any_record_to_the_desired_state(draft: Draft, data: st.DataObject) -> None:
    """Laying the difference over what is there gives what is wanted, nulls cleared."""
    before = {resource.name: resource.payload for resource in desired_state(draft) if resource.payload}
    for row in draft.sections.values():
        names = data.draw(st.sets(st.sampled_from(sorted(row.raw)))) if row.raw else set()
        row.raw = {name: value for name, value in row.raw.items() if name not in names}
    draft.invalidate()
    after = {resource.name: resource.payload for resource in desired_state(draft) if resource.payload}
    for name in (ResourceKind.ENTITY, ""), (ResourceKind.ENTITY_CSP, ""):
        old, new = (payloads[name] for payloads in (before, after))
        there = bodies.full_body(name[0], old)
        _lay(there, bodies.changed_members(name[0], old, new))
        assert there == bodies.full_body(name[0], new)


def _lay(record: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        if value is None:
            record.pop(key, None)
        else:
            record[key] = value
