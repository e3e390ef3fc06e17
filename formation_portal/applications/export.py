"""An application as a JSON document that its owner can keep: every answer as a value, with its label and its words.

The shape is part of what we promise (README.md of this package, "The record as JSON"): members are added without
notice, and `version` goes up when one is renamed, removed or takes another meaning. Costs two queries, for the history
and the owners.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import Section
from formation_portal.contract.validation import Answers

from .draft import Draft
from .history import entry_text
from .models import Document
from .ownership_stakes import owners_of, typed_stakes
from .parties import PartyRow, ShareClassRow
from .readback import answer_line

FORMAT = "formation-portal/application"
VERSION = 1

Exported = dict[str, Any]


def export(draft: Draft) -> Exported:
    """The whole application, including inactive answers, which are marked as not asked."""
    application = draft.application
    return {
        "format": FORMAT,
        "version": VERSION,
        "reference": application.reference,
        "title": draft.title,
        "product": _product(draft),
        "schema": _schema(draft),
        "state": {"code": application.state, "words": application.status.words},
        "times": {
            "started": _time(application.created_at),
            "changed": _time(application.updated_at),
            "submitted": _time(application.submitted_at),
        },
        "declaration": application.declaration,
        "sections": [_section(draft, section) for section in draft.schema.entity_sections],
        "parties": [_party(draft, row) for row in draft.parties],
        "share_classes": [_share_class(draft, row) for row in draft.share_classes],
        "holdings": list(_holdings(draft)),
        "stakes": list(_stakes(draft)),
        "documents": [_document(draft, document) for document in draft.documents],
        # The state of an entry is the one that the application moved to with it.
        "history": [
            {"at": _time(change.at), "what": entry_text(change), "state": change.moved_to or None}
            for change in application.changes.order_by("pk")
        ],
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _product(draft: Draft) -> Exported:
    application = draft.application
    return {
        "id": application.product_id,
        "name": application.product_name,
        "jurisdiction": application.jurisdiction_name,
        "price": application.product.get("price"),
    }


def _schema(draft: Draft) -> Exported:
    schema = draft.schema
    return {
        "id": schema.id,
        "version": schema.version,
        "name": schema.form_name,
        "digest": draft.application.schema_version_id,
    }


def _section(draft: Draft, section: Section) -> Exported:
    questions = draft.form_state.questions(section)
    return {
        "key": section.key,
        "title": section.title,
        "asked": draft.form_state.section_activation(section).active,
        "answers": list(_answers(draft, questions, draft.record.answers, draft.entity_raw)),
    }


def _party(draft: Draft, row: PartyRow) -> Exported:
    active = draft.form_state.active_roles(row.record)
    questions = draft.form_state.party_questions(row.record)
    return {
        "id": row.token,
        "kind": row.kind,
        "label": row.label,
        "roles": [{"role": role, "words": canonical.role_word(role), "asked": role in active} for role in row.roles],
        "sections": list(_by_section(draft, questions, row.record.answers, row.raw)),
    }


def _share_class(draft: Draft, row: ShareClassRow) -> Exported:
    section = draft.schema.share_section
    questions = draft.form_state.questions(section, row.record) if section else ()
    return {
        "id": row.token,
        "label": row.label,
        "sections": list(_by_section(draft, questions, row.record.answers, row.raw)),
    }


def _by_section(
    draft: Draft, questions: Iterable[Question], answers: Answers, raw: Mapping[str, Any]
) -> Iterator[Exported]:
    grouped: dict[str, list[Question]] = {}
    for question in questions:
        grouped.setdefault(question.section.key, []).append(question)
    for some in grouped.values():
        section = some[0].section
        yield {
            "key": section.key,
            "title": section.title,
            "asked": draft.form_state.section_activation(section).active,
            "answers": list(_answers(draft, some, answers, raw)),
        }


def _answers(
    draft: Draft, questions: Iterable[Question], answers: Answers, raw: Mapping[str, Any]
) -> Iterator[Exported]:
    """Each question that has an answer. One that cannot be parsed has no value, only what was typed."""
    for question in questions:
        spec, line = question.spec, answer_line(draft, question, answers=answers, raw=raw)
        is_answered = spec.name in answers.values
        if not (is_answered or line.is_unreadable or (line.is_given and line.value)):
            continue
        yield {
            "name": spec.name,
            "label": spec.label,
            "type": spec.field_type,
            "asked": question.activation.active,
            "given_by_agent": line.is_given,
            "value": spec.payload(answers.values[spec.name]) if is_answered else None,
            "words": line.value,
            "typed": raw.get(spec.name),
        }


def _holdings(draft: Draft) -> Iterator[Exported]:
    for (party_token, class_token), holding in draft.holdings.items():
        party, share_class = draft.party(party_token), draft.share_class(class_token)
        yield {
            "party": party_token,
            "party_label": party.label if party else "",
            "share_class": class_token,
            "share_class_label": share_class.label if share_class else "",
            "shares": holding.shares,
            "typed": holding.typed,
        }


def _stakes(draft: Draft) -> Iterator[Exported]:
    """Who owns which part of a company: an exact fraction of it, where what was typed can be read."""
    typed = typed_stakes(draft)
    for company in draft.parties:
        for one in owners_of(draft, company, typed):
            yield {
                "company": company.token,
                "company_label": company.label,
                "owner": one.party.token,
                "owner_label": one.party.label,
                "part": str(one.part) if one.part is not None else None,
                "words": one.words,
                "typed": one.typed,
            }


def _document(draft: Draft, document: Document) -> Exported:
    row = draft.party(document.party.token) if document.party else None
    return {
        "party": row.token if row else None,
        "party_label": row.label if row else draft.title,
        "slot": document.slot,
        "name": document.name,
        "type": document.mime_type,
        "size": document.size,
        "sha256": document.sha256,
        "uploaded": _time(document.uploaded_at),
    }
