"""Drafts of any completeness, of any product of the catalog, as a customer could have left them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import (
    Application,
    Document,
    Holding,
    Party,
    SectionAnswers,
    ShareClass,
    document_subject,
)
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services.shares import parse_shares
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.number import NumberBounds
from formation_portal.contract.schema import Section
from tests import factories
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
        """A new draft of a product, filled in somehow."""
        self._fullness = self._chance.choice(_FULL)
        self._shared_out.clear()
        draft = open_draft(services.start(owner=self._owner, product=product))
        application = draft.application
        classes = self._share_classes(draft)
        SectionAnswers.objects.bulk_create(self._sections(draft, classes))
        draft.reload()
        parties = self._parties(draft, classes)
        draft.reload()
        Holding.objects.bulk_create(self._holdings(draft, application, parties, classes))
        draft.reload()
        Document.objects.bulk_create(self._documents(draft))
        draft = open_draft(Application.objects.get(pk=application.pk))
        workflow.application_changed(draft)
        return draft

    def _happens(self) -> bool:
        return self._chance.random() < self._fullness

    def _share_classes(self, draft: Draft) -> list[ShareClass]:
        if draft.schema.share_section is None or not self._happens():
            return []
        count = self._chance.choice((1, 1, 2))
        rows = [
            ShareClass(
                application=draft.application,
                token=f"class{number}",
                position=number,
                raw=self._answers(draft.schema.share_class_fields, ()),
            )
            for number in range(count)
        ]
        return ShareClass.objects.bulk_create(rows)

    def _sections(self, draft: Draft, classes: list[ShareClass]) -> Iterable[SectionAnswers]:
        kept: dict[str, dict[str, Any]] = {}
        for name, answer in self._answers(draft.schema.entity_fields, classes).items():
            kept.setdefault(draft.home_section(name), {})[name] = answer
        for key, raw in kept.items():
            yield SectionAnswers(application=draft.application, section_key=key, raw=raw, version=1)

    def _parties(self, draft: Draft, classes: list[ShareClass]) -> list[Party]:
        held = [roles for section in draft.schema.role_sections for roles in self._held(draft, section)]
        rows = []
        for number, (kind, roles) in enumerate(held):
            raw = self._answers(draft.schema.fields_of(kind, roles), classes)
            row = Party(application=draft.application, token=f"party{number}", position=number, kind=kind)
            row.roles, row.raw = roles, raw
            rows.append(row)
        return Party.objects.bulk_create(rows)

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
        self, draft: Draft, application: Application, parties: list[Party], classes: list[ShareClass]
    ) -> Iterable[Holding]:
        holders = {row.token for row in draft.parties if draft.is_shareholder(row)}
        for party in parties:
            for share_class in classes:
                if party.token in holders and self._happens():
                    typed = _SHARES[0] if self._happens() else self._chance.choice(_SHARES)
                    yield Holding(
                        application=application,
                        party=party,
                        share_class=share_class,
                        typed=typed,
                        shares=parse_shares(typed),
                    )

    def _documents(self, draft: Draft) -> Iterable[Document]:
        for row in (None, *draft.parties):
            for slot in draft.form_state.slots(row.record if row else None):
                if slot.required and self._happens():
                    yield self._document(draft, row, slot.name)

    def _document(self, draft: Draft, row: PartyRow | None, slot: str) -> Document:
        """One and the same file: what is in it decides nothing, and to look into each would take most of the time."""
        return Document(
            application=draft.application,
            party=row.model if row else None,
            slot=slot,
            subject=document_subject(row.token if row else None, slot),
            file=self._stored,
            name="paper.pdf",
            mime_type="application/pdf",
            size=len(factories.PDF),
            sha256=hashlib.sha256(factories.PDF).hexdigest(),
            uploaded_by=self._owner,
        )

    @cached_property
    def _stored(self) -> str:
        return str(Document._meta.get_field("file").storage.save("paper", factories.upload()))

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
