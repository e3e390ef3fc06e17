"""What pages of an application cost as its parties grow: those that show them all, and those that don't."""

import hashlib
import itertools
from collections.abc import Iterable
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import (
    Document,
    Holding,
    Party,
    SectionAnswers,
    ShareClass,
    document_subject,
)
from formation_portal.applications.services.shares import parse_shares
from formation_portal.applications.summaries import update_summaries
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.core import subscribers
from formation_portal.gateway.catalog import catalog
from formation_portal.relay.models import Delivery, DeliveryState

SLUG = "bvi-limited-company"
# Each party in turn.
_MIX = (
    ("person", ["director"]),
    ("person", ["shareholder", "ubo"]),
    ("corporate", ["shareholder"]),
    ("person", ["director", "shareholder", "ubo"]),
    ("person", ["ubo"]),
)
_FITTING: dict[str, Any] = {
    "boolean": "false",
    "date": {"day": "9", "month": "March", "year": "1984"},
    "number": "12",
    "address": {"street1": "Storgata 12", "city": "Tromsø", "country": "NO", "postcode": "9008"},
    "phone": "+44 20 7946 0123",
    "nationality": ["NO"],
}
_numbers = itertools.count()


def application_of(owner: Any, *, parties: int, classes: int = 1, unanswered: int = 0) -> Draft:
    """A company with so many people and companies, everything answered and at the service, each with its documents.

    The first `unanswered` parties have answered nothing but their name.
    """
    found = catalog().find(SLUG)
    assert found is not None
    assert found.item is not None
    draft = open_draft(services.start(owner=owner, product=found.item))
    application, schema = draft.application, draft.schema
    names = draft.schema.share_class_fields
    made = ShareClass.objects.bulk_create(
        ShareClass(
            application=application, token=f"class{number}", position=number, raw=_answers(names, f"Class {number}")
        )
        for number in range(classes)
    )
    kept: dict[str, dict[str, Any]] = {}
    for name, answer in _answers(schema.entity_fields, "Larkfield", made[0].token if made else "").items():
        kept.setdefault(draft.home_section(name), {})[name] = answer
    for key, raw in kept.items():
        SectionAnswers.objects.create(application=application, section_key=key, raw=raw, version=1)
    rows = []
    for number in range(parties):
        kind, roles = _MIX[number % len(_MIX)]
        fields = schema.fields_of(kind, roles)
        raw = _answers(fields, f"Given{number}", made[0].token if made else "")
        if number < unanswered:
            raw = {name: value for name, value in raw.items() if "name" in name}
        rows.append(
            Party(application=application, token=f"party{number}", position=number, kind=kind, roles=roles, raw=raw)
        )
    Party.objects.bulk_create(rows)
    Holding.objects.bulk_create(
        Holding(application=application, party=party, share_class=one, typed="5", shares=parse_shares("5"))
        for place, party in enumerate(rows)
        if "shareholder" in party.roles
        for one in made[place % classes : place % classes + 1]
    )
    draft.reload()
    name = Document._meta.get_field("file").storage.save("paper", ContentFile(b"%PDF-1.7\n"))
    Document.objects.bulk_create(
        Document(
            application=application,
            party=row.model if row else None,
            slot=slot.name,
            subject=document_subject(row.token if row else None, slot.name),
            file=name,
            name="paper.pdf",
            mime_type="application/pdf",
            size=9,
            sha256=hashlib.sha256(b"%PDF-1.7\n").hexdigest(),
            uploaded_by=owner,
        )
        for place, row in enumerate((None, *draft.parties))
        for slot in draft.form_state.slots(row.record if row else None)
        if place > unanswered or row is None
    )
    draft = open_draft(application)
    update_summaries(draft)
    subscribers.application_changed(draft)
    acknowledge(draft)
    return open_draft(application)


def acknowledge(draft: Draft) -> None:
    """As if the service had taken everything."""
    rows = list(Delivery.objects.filter(application=draft.application))
    for row in rows:
        row.acknowledged, row.state, row.next_at = row.wanted, DeliveryState.DONE, None
        row.remote_id = "" if row.resource_kind.is_csp else f"remote-{row.pk}"
        row.acknowledged_at = timezone.now() if hasattr(row, "acknowledged_at") else None
    Delivery.objects.bulk_update(rows, ["acknowledged", "state", "next_at", "remote_id"])


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
    if spec.field_type in _FITTING:
        return _FITTING[spec.field_type]
    if "email" in spec.name:
        return f"{name.casefold()}@example.com"
    return name if "name" in spec.name else f"Words {next(_numbers)}"
