"""Fills an application with rows all at once, past the services: campaigns need thousands of them."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document, Holding, Party, SectionAnswers, ShareClass, document_subject
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services.shares import parse_shares
from tests import factories

Raw = Mapping[str, Any]


def add_share_classes(draft: Draft, raws: Iterable[Raw]) -> list[ShareClass]:
    return ShareClass.objects.bulk_create(
        ShareClass(application=draft.application, token=f"class{number}", position=number, raw=raw)
        for number, raw in enumerate(raws)
    )


def add_sections(draft: Draft, answers: Raw) -> None:
    by_section: dict[str, dict[str, Any]] = {}
    for name, answer in answers.items():
        by_section.setdefault(draft.home_section(name), {})[name] = answer
    SectionAnswers.objects.bulk_create(
        SectionAnswers(application=draft.application, section_key=key, raw=raw, version=1)
        for key, raw in by_section.items()
    )


def add_parties(draft: Draft, parties: Iterable[tuple[str, list[str], Raw]]) -> list[Party]:
    """Add parties with a kind, roles and answers each."""
    return Party.objects.bulk_create(
        Party(application=draft.application, token=f"party{number}", position=number, kind=kind, roles=roles, raw=raw)
        for number, (kind, roles, raw) in enumerate(parties)
    )


def add_holdings(draft: Draft, holdings: Iterable[tuple[Party, ShareClass, str]]) -> None:
    Holding.objects.bulk_create(
        Holding(
            application=draft.application,
            party=party,
            share_class=share_class,
            typed=typed,
            shares=parse_shares(typed),
        )
        for party, share_class, typed in holdings
    )


def add_documents(draft: Draft, slots: Iterable[tuple[PartyRow | None, str]], *, by: Any) -> None:
    """Add one and the same file: what is in it decides nothing, and to look into each would take most of the time."""
    name = Document._meta.get_field("file").storage.save("paper", factories.upload())
    digest = hashlib.sha256(factories.PDF).hexdigest()
    Document.objects.bulk_create(
        Document(
            application=draft.application,
            party=row.model if row else None,
            slot=slot,
            subject=document_subject(row.token if row else None, slot),
            file=name,
            name="paper.pdf",
            mime_type="application/pdf",
            size=len(factories.PDF),
            sha256=digest,
            uploaded_by=by,
        )
        for row, slot in slots
    )
