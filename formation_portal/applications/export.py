"""An application as JSON that its owner can keep. The README promises this format ("The record as JSON")."""

from collections.abc import Iterable, Iterator
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import Section

from .draft import Draft
from .models import Application
from .ownership_stakes import owners_of, typed_stakes
from .parties import PartyRow
from .readback import AnswerLine, DraftHolder
from .stored_rows import token_of
from .translation import product_text

FORMAT = "formation-portal/application"
VERSION = 1

Exported = dict[str, Any]


def export(draft: Draft) -> Exported:
    """Export the whole application, also inactive answers. Two SQL queries, for history and owners."""
    application, schema = draft.application, draft.schema
    return {
        "format": FORMAT,
        "version": VERSION,
        "reference": application.reference,
        "title": draft.title,
        "product": {
            "id": application.product_id,
            "name": product_text(application.product, "product", "name"),
            "jurisdiction": product_text(application.product, "jurisdiction", "name"),
            "price": application.product.get("price"),
        },
        "schema": {
            "id": schema.id,
            "version": schema.version,
            "name": schema.original.form_name,
            "digest": application.schema_version_id,
        },
        "state": {"code": application.state, "words": application.status.words},
        "times": {
            "started": application.created_at.isoformat(),
            "changed": application.updated_at.isoformat(),
            "submitted": application.submitted_at and application.submitted_at.isoformat(),
        },
        "declaration": application.declaration,
        "sections": [
            _section(draft, section, None, draft.form_state.questions(section)) for section in schema.entity_sections
        ],
        "parties": [_party(draft, row) for row in draft.parties],
        "share_classes": list(_share_classes(draft)),
        "holdings": list(_holdings(draft)),
        "stakes": list(_stakes(draft)),
        "documents": list(_documents(draft)),
        "history": list(_history(application)),
    }


def export_party(draft: Draft, token: str) -> Exported | None:
    """Export a party as it stands in the application; None if it was removed."""
    row = draft.party(token)
    return _party(draft, row) if row else None


def _party(draft: Draft, row: PartyRow) -> Exported:
    active = draft.form_state.active_roles(row.record)
    return {
        "id": row.token,
        "kind": row.kind,
        "label": row.label,
        "roles": [{"role": role, "words": canonical.role_word(role), "asked": role in active} for role in row.roles],
        "sections": list(_sections(draft, row, draft.form_state.party_questions(row.record))),
    }


def _share_classes(draft: Draft) -> Iterator[Exported]:
    section = draft.schema.share_section
    for row in draft.share_classes:
        questions = draft.form_state.questions(section, row.record) if section else ()
        yield {"id": row.token, "label": row.label, "sections": list(_sections(draft, row, questions))}


def _sections(draft: Draft, holder: DraftHolder, questions: Iterable[Question]) -> Iterator[Exported]:
    by_section: dict[str, list[Question]] = {}
    for question in questions:
        by_section.setdefault(question.section.key, []).append(question)
    for of_section in by_section.values():
        yield _section(draft, of_section[0].section, holder, of_section)


def _section(draft: Draft, section: Section, holder: DraftHolder, questions: Iterable[Question]) -> Exported:
    return {
        "key": section.key,
        "title": section.original.title,
        "asked": draft.form_state.section_activation(section).active,
        "answers": list(_answers(draft, holder, questions)),
    }


def _answers(draft: Draft, holder: DraftHolder, questions: Iterable[Question]) -> Iterator[Exported]:
    """Yield every given answer; the value of an unreadable one is None."""
    for question in questions:
        line = AnswerLine(draft, holder, question)
        spec = line.spec
        value = None if line.answer is None else spec.payload(line.answer)
        if value is not None or line.is_unreadable or line.is_incomplete or (spec.provided_by_agent and line.value):
            yield {
                "name": spec.name,
                "label": spec.original.label,
                "type": spec.field_type,
                "asked": question.activation.active,
                "given_by_agent": spec.provided_by_agent,
                "value": value,
                "words": line.value,
                "typed": line.typed,
            }


def _holdings(draft: Draft) -> Iterator[Exported]:
    labels = draft.labels
    for (party, share_class), holding in draft.holdings.items():
        yield {
            "party": party,
            "party_label": labels[party],
            "share_class": share_class,
            "share_class_label": labels[share_class],
            "shares": holding.shares,
            "typed": holding.typed,
        }


def _stakes(draft: Draft) -> Iterator[Exported]:
    """Yield each owner of each company, with the stake as typed and, if it can be parsed, as an exact fraction."""
    typed = typed_stakes(draft)
    for company in draft.parties:
        for owner in owners_of(draft, company, typed):
            yield {
                "company": company.token,
                "company_label": company.label,
                "owner": owner.party.token,
                "owner_label": owner.party.label,
                "part": str(owner.part) if owner.part is not None else None,
                "words": owner.words,
                "typed": owner.typed,
            }


def _history(application: Application) -> Iterator[Exported]:
    """Yield the history's entries, oldest first. `state` is the state that the application moved to, or None."""
    for change in application.changes.order_by("pk"):
        yield {
            "at": change.at.isoformat(),
            "what": change.text,
            "state": change.moved_to or None,
            "named": change.named,
            "changes": change.changes,
        }


def _documents(draft: Draft) -> Iterator[Exported]:
    labels = draft.labels
    for document in draft.documents:
        token = token_of(document.party)
        yield {
            "party": token,
            "party_label": labels.get(token or "", draft.title),
            "slot": document.slot,
            "name": document.name,
            "type": document.mime_type,
            "size": document.size,
            "sha256": document.sha256,
            "uploaded": document.uploaded_at.isoformat(),
        }
