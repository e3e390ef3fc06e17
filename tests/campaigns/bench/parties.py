"""What pages of an application with many parties cost; the names of those that show all of them end in `_all`."""

import itertools
import re
import secrets
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django.test import Client
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.core.encrypted_fields import update_rows
from formation_portal.desk.queue.queue_index import update_case
from formation_portal.relay.models import Delivery, DeliveryState
from tests.campaigns import rows
from tests.field_types import field_type_of

from . import Measure
from .meter import Call, Meter, text_of, version_of
from .request_cost import SLUG
from .request_cost import product as bvi_company

__all__ = ["SLUG"]

PARTIES = 150
# Applications of one customer.
FEW, MANY = 20, 200
# Each party in turn.
_MIX = (
    ("person", ["director"]),
    ("person", ["shareholder", "ubo"]),
    ("corporate", ["shareholder"]),
    ("person", ["director", "shareholder", "ubo"]),
    ("person", ["ubo"]),
)
_REMOVALS = ("party_removal", "holding_removal", "document_removal")
_numbers = itertools.count()


def measures(client: Client, agent: Client, owner: Any, meter: Meter, *, share: int = 1) -> Iterator[Measure]:
    """How each page costs with many parties, and how the customer's pages grow with ten times the applications; with a
    share of both, such as 5 for a fifth."""
    parties = PARTIES // share
    draft = application_of(owner, parties=parties)
    for name, call in _calls(client, draft):
        yield f"parties_{name}_{parties}", meter.against_nothing(call)[0], "ms"
    stand_as(draft, State.IN_REVIEW)
    for name, call in _desk_calls(agent, draft):
        yield f"parties_desk_{name}_{parties}", meter.against_nothing(call)[0], "ms"
    stand_as(draft, State.RETURNED_FOR_CHANGES)
    for name, call in calls_of_returned(client, draft):
        yield f"parties_returned_{name}_{parties}", meter.against_nothing(call)[0], "ms"
    yield from _of_more_applications(client, owner, meter, (FEW // share, MANY // share))


def _calls(client: Client, draft: Draft) -> Iterator[tuple[str, Call]]:
    """Each page of an application, and each change, by its name; those that show all parties come first."""
    root, token = f"/applications/{draft.application.reference}/", draft.parties[3].token
    section, party = f"{root}sections/{draft.schema.entity_sections[0].key}/", f"{root}people/{token}/"
    yield "check_all", lambda: client.get(f"{root}check/")
    yield "people_all", lambda: client.get(f"{root}people/")
    yield "shares_all", lambda: client.get(f"{root}shares/")
    yield "documents_all", lambda: client.get(f"{root}documents/")
    yield "record_all", lambda: client.get(f"{root}record.json")
    yield "owners_all", lambda: client.get(f"{root}people/{draft.parties[2].token}/owners/")
    yield "overview", lambda: client.get(root)
    yield "section", lambda: client.get(section)
    yield "section_change", change(client, section, "q:")
    yield "party", lambda: client.get(party)
    yield "party_change", change(client, party, "q:person.last_name")
    yield "party_removal", lambda: client.get(f"{party}removal/")
    holding = "/".join(next(pair for pair in draft.holdings if pair[0] == token))
    yield "holding_removal", lambda: client.get(f"{root}shares/holdings/{holding}/removal/")
    document = next(one.pk for one in draft.documents if one.party and one.party.token == token)
    yield "document_removal", lambda: client.get(f"{root}documents/{document}/removal/")
    yield "party_new", lambda: client.get(f"{root}people/new/?role=director")
    yield "share_class", lambda: client.get(f"{root}shares/classes/{draft.share_classes[0].token}/")
    added: list[str] = []

    def add() -> Any:
        fields = {"kind": "person", "roles": ["director"], "token": secrets.token_hex(8)}
        answer = client.post(f"{root}people/new/", fields)
        added.append(answer["Location"])
        return answer

    yield "party_added", add
    yield "party_removed", lambda: client.post(f"{added.pop()}removal/") if added else add()


def change(client: Client, page: str, control: str) -> Call:
    """One answer typed again and again, as htmx posts it."""
    html = text_of(client.get(page))
    name = next(one for one in re.findall(r'<input[^>]*?name="(q:[^":]+)"', html) if one.startswith(control))
    state = {"version": version_of(html)}

    def change() -> Any:
        data = {"version": state["version"], name: f"Words {next(_numbers)}"}
        answer = client.post(page, data, headers={"HX-Request": "true"})
        state["version"] = version_of(text_of(answer)) or state["version"]
        return answer

    return change


def calls_of_returned(client: Client, draft: Draft) -> Iterator[tuple[str, Call]]:
    """Its customer's pages and changes that show no list of parties, once it was returned."""
    calls = dict(_calls(client, draft))
    for name in ("overview", "section", "section_change", "party", "party_change", *_REMOVALS, "party_added"):
        yield name, calls[name]
    yield "status", lambda: client.get(f"/applications/{draft.application.reference}/status/")


def stand_as(draft: Draft, state: State) -> None:
    row = Application.objects.filter(pk=draft.application.pk)
    row.update(state=state, submitted_at=timezone.now(), submissions=1)
    update_case(open_draft(row.get()))


def _desk_calls(agent: Client, draft: Draft) -> Iterator[tuple[str, Call]]:
    case = f"/desk/{draft.application.reference}/"
    yield "case_all", lambda: agent.get(case)
    yield "party", lambda: agent.get(f"{case}parties/{draft.parties[3].token}/")
    yield "decision_all", lambda: agent.get(f"{case}ruling/")


def _of_more_applications(client: Client, owner: Any, meter: Meter, sizes: tuple[int, int]) -> Iterator[Measure]:
    """The list of applications, and the pages of one of them whose people were in the others, with their documents."""
    product = bvi_company()
    draft = open_draft(services.start(owner=owner, product=product))
    kind, roles = _MIX[0]
    raw = _answers(draft.schema.fields_of(kind, roles), "Given0")
    party = services.add_party(draft, kind, roles, raw, by=owner)
    root = f"/applications/{draft.application.reference}/"
    pages = {
        "list": "/applications/",
        "overview": root,
        "section": f"{root}sections/{draft.schema.entity_sections[0].key}/",
        "party": f"{root}people/{party.token}/",
        "people": f"{root}people/",
        "documents": f"{root}documents/",
    }
    before: dict[str, float] = {}
    for count in sizes:
        for _ in range(count - Application.objects.filter(owner=owner, deleted_at=None).count()):
            application_of(owner, parties=2, is_sent=False)
        for name, page in pages.items():
            against_nothing = meter.against_nothing(partial(client.get, page))[1]
            if name in before:
                yield f"applications_{name}_growth", against_nothing / before[name], "x"
            before[name] = against_nothing


def application_of(
    owner: Any,
    *,
    parties: int,
    classes: int = 1,
    unanswered: int = 0,
    product: CatalogItem | None = None,
    is_sent: bool = True,
) -> Draft:
    """A company with so many parties, everything answered, each with its documents; at the service where it
    `is_sent`.

    The first `unanswered` parties have answered nothing but their name.
    """
    draft = open_draft(services.start(owner=owner, product=product or bvi_company()))
    schema = draft.schema
    raws = [_answers(schema.share_class_fields, f"Class {number}") for number in range(classes)]
    made = rows.add_share_classes(draft, raws)
    first_class = made[0].token if made else ""
    rows.add_sections(draft, _answers(schema.entity_fields, "Larkfield", first_class))
    described: list[tuple[str, list[str], dict[str, Any]]] = []
    for number in range(parties):
        kind, roles = _MIX[number % len(_MIX)]
        raw = _answers(schema.fields_of(kind, roles), f"Given{number}", first_class)
        if number < unanswered:
            raw = {name: value for name, value in raw.items() if "name" in name}
        described.append((kind, roles, raw))
    holders = enumerate(rows.add_parties(draft, described))
    if made:
        rows.add_holdings(
            draft,
            [(party, made[place % classes], "5") for place, party in holders if "shareholder" in party.roles],
        )
    draft.reload()
    slots = [
        (row, slot.name)
        for place, row in enumerate((None, *draft.parties))
        for slot in draft.form_state.slots(row.record if row else None)
        if place > unanswered or row is None
    ]
    rows.add_documents(draft, slots, by=owner)
    draft = open_draft(draft.application)
    if is_sent:
        workflow.application_changed(draft)
        acknowledge(draft)
    return open_draft(draft.application)


def acknowledge(draft: Draft) -> None:
    """As if the service had taken everything."""
    deliveries = list(Delivery.objects.filter(application=draft.application))
    for row in deliveries:
        row.acknowledged, row.state, row.next_at = row.wanted, DeliveryState.DONE, None
        row.remote_id = "" if row.resource_kind.is_csp else f"remote-{row.pk}"
    update_rows(deliveries, ["acknowledged", "state", "next_at", "remote_id"])


def _answers(fields: Iterable[FieldSpec], name: str, share_class: str = "") -> dict[str, Any]:
    return {
        spec.name: answer
        for spec in fields
        if not spec.provided_by_agent and (answer := _answer(spec, name, share_class)) is not None
    }


def _answer(spec: FieldSpec, name: str, share_class: str) -> Any:
    if spec.refers_to_share_class:
        return share_class or None
    if spec.field_type == "currency_amount":
        return {"amount": "50,000", "currency": (spec.allowed_currencies or ("USD",))[0]}
    if spec.options:
        return [spec.options[0]] if spec.many else spec.options[0]
    if "email" in spec.name:
        return f"{name.casefold()}@example.com"
    return field_type_of(spec.field_type).answer(name if "name" in spec.name else f"Words {next(_numbers)}")
