"""Drafts of any completeness, of any product of the catalog, as a customer could have left them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Party, ShareClass
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.number import NumberBounds
from formation_portal.contract.schema import Section
from tests.campaigns import rows
from tests.field_types import field_type_of

_KINDS = ("person", "person", "corporate", "foundation")
# How full a draft is: the chance of each thing that is asked. Most are nearly ready: there pages differ first.
_FULL = (1.0, 1.0, 0.97, 0.9, 0.5)
_SHARES = ("100", "2,500", "10000", "many", "0")
_NOT_READ = {"day": "31", "month": "2", "year": "x"}

# Where answers of one type differ in what they decide.
_VARIED: Mapping[str, Any] = {"boolean": ("true", "false"), "nationality": (["NO"], ["NO", "CH"])}


class Drafter:
    """Makes drafts for one customer; the same seed makes the same ones."""

    def __init__(self, chance: random.Random, owner: Any) -> None:
        self._chance = chance
        self._owner = owner
        self._fullness = 1.0
        self._names = 0
        self._shared_out: set[str] = set()

    def make(self, product: Any) -> Draft:
        self._fullness = self._chance.choice(_FULL)
        self._shared_out.clear()
        draft = open_draft(services.start(owner=self._owner, product=product))
        classes = self._share_classes(draft)
        rows.add_sections(draft, self._answers(draft.schema.entity_fields, classes))
        draft.reload()
        parties = self._parties(draft, classes)
        draft.reload()
        rows.add_holdings(draft, self._holdings(draft, parties, classes))
        draft.reload()
        rows.add_documents(draft, self._slots(draft), by=self._owner)
        draft = open_draft(Application.objects.get(pk=draft.application.pk))
        workflow.application_changed(draft)
        return draft

    def _happens(self) -> bool:
        return self._chance.random() < self._fullness

    def _share_classes(self, draft: Draft) -> list[ShareClass]:
        if draft.schema.share_section is None or not self._happens():
            return []
        count = self._chance.choice((1, 1, 2))
        return rows.add_share_classes(draft, [self._answers(draft.schema.share_class_fields, ()) for _ in range(count)])

    def _parties(self, draft: Draft, classes: list[ShareClass]) -> list[Party]:
        held = [roles for section in draft.schema.role_sections for roles in self._held(draft, section)]
        described = [(kind, roles, self._answers(draft.schema.fields_of(kind, roles), classes)) for kind, roles in held]
        return rows.add_parties(draft, described)

    def _held(self, draft: Draft, section: Section) -> Iterable[tuple[str, list[str]]]:
        """The kind and the roles of each that fills one role, as many as are needed or a little otherwise."""
        count = draft.form_state.minimum_of(section).count
        if not self._happens():
            count = max(0, count + self._chance.choice((-1, 1)))
        others = [str(one.role) for one in draft.schema.role_sections if one is not section]
        for _ in range(count):
            roles = [str(section.role)]
            if others and self._chance.random() < 0.3:
                roles.append(self._chance.choice(others))
            # A kind that can't have the role is a need of its own.
            allowed = [kind for kind in _KINDS if section.allows(kind)]
            yield self._chance.choice(allowed if self._happens() else _KINDS), roles

    def _holdings(
        self, draft: Draft, parties: list[Party], classes: list[ShareClass]
    ) -> Iterable[tuple[Party, ShareClass, str]]:
        holders = {row.token for row in draft.parties if draft.is_shareholder(row)}
        for party in parties:
            for share_class in classes:
                if party.token in holders and self._happens():
                    yield party, share_class, _SHARES[0] if self._happens() else self._chance.choice(_SHARES)

    def _slots(self, draft: Draft) -> Iterable[tuple[PartyRow | None, str]]:
        for row in (None, *draft.parties):
            for slot in draft.form_state.slots(row.record if row else None):
                if slot.required and self._happens():
                    yield row, slot.name

    def _answers(self, fields: Iterable[FieldSpec], classes: Iterable[ShareClass]) -> dict[str, Any]:
        tokens = [one.token for one in classes]
        raw = {}
        for spec in fields:
            if spec.provided_by_agent or not self._happens():
                continue
            answer = self._answer(spec, tokens)
            if answer is not None:
                raw[spec.name] = answer if self._chance.random() < 0.995 else _NOT_READ
        return raw

    def _answer(self, spec: FieldSpec, tokens: list[str]) -> Any:
        self._names += 1
        if spec.refers_to_share_class:
            return self._chance.choice(tokens) if tokens else None
        if spec.field_type == "currency_amount":
            currencies = spec.allowed_currencies or ("USD",)
            return {"amount": "50,000", "currency": self._chance.choice(currencies)}
        if isinstance(spec.bounds, NumberBounds):
            return self._number(spec, spec.bounds)
        if spec.options:
            option = self._chance.choice(spec.options)
            return [option] if spec.many else option
        if spec.field_type in _VARIED:
            return self._chance.choice(_VARIED[spec.field_type])
        if "email" in spec.name:
            return f"ada.{self._names}@example.com"
        return field_type_of(spec.field_type).answer(f"Words {self._names}")

    def _number(self, spec: FieldSpec, bounds: NumberBounds) -> str:
        """Return a number within the bounds. Of what has a whole, the first party gets all, so that it adds up."""
        if bounds.maximum is None:
            return self._chance.choice(("24", "3"))
        is_first = spec.name not in self._shared_out
        self._shared_out.add(spec.name)
        return str(bounds.maximum if is_first else bounds.minimum or 0)
