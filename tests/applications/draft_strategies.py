"""Drafts of any content for any schema, made in memory for properties that need no database."""

from typing import Any

from hypothesis import strategies as st

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Document, Holding, Party, SectionAnswers, ShareClass
from formation_portal.applications.services.shares import parse_shares
from formation_portal.contract.schema import FormSchema
from tests.strategies import TODAY, raw_answers

KINDS = ("person", "person", "corporate")
SHARES = ("5", "1,000", "many", "0")


@st.composite
def drafts(draw: st.DrawFn, schema: FormSchema) -> Draft:
    """A draft of the schema, some of it unreadable, some of it parked."""
    application = Application(product={"product": {"name": "A product"}})
    draft = Draft(application, schema=schema, today=TODAY)
    raw = draw(raw_answers(schema.entity_fields))
    draft.sections = {"": SectionAnswers(application=application, section_key="", raw=raw)}
    roles = sorted({section.role for section in schema.role_sections if section.role})
    for number in range(draw(st.integers(0, 3))):
        draft.party_models.append(draw(_parties(application, schema, roles, f"party{number}")))
    for number in range(draw(st.integers(0, 2))):
        raw = draw(raw_answers(schema.share_class_fields))
        draft.share_class_models.append(ShareClass(application=application, token=f"class{number}", raw=raw))
    for party in draft.party_models:
        for share_class in draft.share_class_models:
            if draw(st.booleans()):
                typed = draw(st.sampled_from(SHARES))
                holding = Holding(party=party, share_class=share_class, typed=typed, shares=parse_shares(typed))
                draft.holdings[party.token, share_class.token] = holding
        if draw(st.booleans()):
            draft.documents.append(Document(party=party, slot="Passport", name="passport.pdf"))
    return draft


@st.composite
def _parties(draw: st.DrawFn, application: Application, schema: FormSchema, roles: list[str], token: str) -> Party:
    kind = draw(st.sampled_from(KINDS))
    held = draw(st.lists(st.sampled_from(roles), unique=True)) if roles else []
    raw: dict[str, Any] = draw(raw_answers(schema.fields_of(kind, held)))
    return Party(application=application, token=token, kind=kind, roles=held, raw=raw)
