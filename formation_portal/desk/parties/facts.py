"""Rows for the facts of a party: each answer with the reason for its question and notes about its date, each document
with its findings.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import PurePath

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import age_on
from formation_portal.contract.localisation import format_number, long_date
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import DocumentSlot, Section
from formation_portal.documents.findings import FindingCode
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Fact, HolderChecklist
from formation_portal.reviews.checks import OpenedDocuments
from formation_portal.reviews.document_evidence import evidence_of_party
from formation_portal.reviews.models import Evidence
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.forms.controls import control_id
from formation_portal.ui.roles import capitalised, kind_with_article, role_reason, role_title, role_with_article

from ..case.history import NOT_ANSWERED, values_before
from ..case.query_panels import QueryPanel, QueryPanels
from ..case_urls import fact_id, party_url
from ..documents import ViewerState, opened_by
from ..masking import Mask, mask_of
from ..wording import numbered

_MARKS = {ACCEPTED: "met", QUERIED: "heed", CHANGED: "changed", OPEN: "open"}
# The digits of a keyboard that tick a fact.
_MAX_KEYS = 9
_FINDING_TEXTS: Mapping[FindingCode, str] = {
    FindingCode.UNREADABLE: "It cannot be opened. It may be damaged or incomplete.",
    FindingCode.PROTECTED: "It is protected by a password.",
    FindingCode.NO_PAGES: "It has no pages.",
    FindingCode.TOO_LARGE: "It has {width} × {height} pixels, too many to show.",
    FindingCode.TOO_HEAVY: "It took too long to open.",
    FindingCode.MISNAMED: "Its name ends in “{ending}”, but it is {type}.",
    FindingCode.FEW_PIXELS: "It has {width} × {height} pixels: small print may be unreadable.",
    FindingCode.BLURRED: "It looks blurred.",
    FindingCode.BLANK: "The first page looks nearly blank.",
    FindingCode.MANY_PAGES: "It has {pages} pages.",
    FindingCode.LOCATION: "It contains the location where it was taken.",
}


@dataclass(frozen=True, slots=True)
class RoleRule:
    """The requirements of the form for a party in one of its roles.

    `reason_against` says why the role does not count; `why` is the reason for the role, or for its minimum. `documents`
    are those that the role asks for, and whether each was uploaded.
    """

    section: Section
    title: str
    reason_against: str
    why: str
    count: str = ""
    documents: Sequence[tuple[DocumentSlot, bool]] = ()


def role_rules(draft: Draft, party: PartyRow) -> Iterator[RoleRule]:
    """Yield the rules of the party's roles, in the order of the form."""
    state = draft.form_state
    uploaded = draft.documents_of(party)
    for section in draft.schema.sections_of(party.roles):
        title = role_title(section)
        if not section.allows(party.kind):
            kind = capitalised(kind_with_article(party.kind))
            yield RoleRule(section, title, f"{kind} can’t be {role_with_article(section)} in this form.", "")
            continue
        why = _for_agents(role_reason(draft, section))
        if not state.section_activation(section).active:
            yield RoleRule(section, title, "Does not apply at the moment.", why)
            continue
        minimum = state.minimum_of(section).count
        added = sum(section.counts(row.kind, row.roles) for row in draft.parties)
        count = f"{f'At least {minimum} required' if minimum else 'Optional'}, {added} added."
        documents = [(slot, slot.name in uploaded) for slot in section.slots(party.kind)]
        yield RoleRule(section, title, "", why, count, documents)


def _for_agents(reason: str) -> str:
    """Reword a reason of the form, which addresses the customer, for agents."""
    return reason.replace("because you ", "because they ", 1)


@dataclass(frozen=True)
class FactRow:
    """A fact to check.

    `key` is the digit that ticks it, `before` its value when it was last checked, `question` the question that it
    answers. `seen` says who has opened the document. `evidence` is the note of a document that proves the fact, and
    `proof` that document, unless it was replaced since. `opened` are the documents that the reader has opened.
    """

    party: PartyRow
    fact: Fact
    id: str
    key: str
    can_be_ticked: bool
    before: str
    question: Question | None
    panel: QueryPanel
    state: ViewerState
    seen: str
    evidence: Evidence | None
    proof: Document | None
    opened: Collection[int]

    @property
    def draft(self) -> Draft:
        return self.panel.panels.draft

    @property
    def is_document_open(self) -> bool:
        return self.fact.document is not None and self.fact.document.pk in self.opened

    @property
    def is_proof_open(self) -> bool:
        return self.proof is not None and self.proof.pk in self.opened

    @property
    def mark(self) -> str:
        return _MARKS[self.fact.state]

    @property
    def why(self) -> str:
        """Return the answer that has led to the question; "" where everybody is asked."""
        return _for_agents(self.question.activation.reason) if self.question is not None else ""

    @cached_property
    def findings(self) -> list[tuple[str, bool]]:
        """Return notes about the fact, each with whether it is an objection."""
        findings = []
        if self.fact.is_unreadable:
            findings.append(("Unreadable", True))
        if self.question is not None:
            form_state = self.draft.form_state
            name = self.question.spec.name
            objection = form_state.objection(name, self.party.record)
            note = objection.message if objection else form_state.advice(name, self.party.record)
            if note:
                findings.append((note, True))
            findings += self._date_findings(self.question.spec)
        if self.fact.document is not None:
            findings += [(finding, True) for finding in self._document_findings(self.fact.document)]
        return findings

    def _date_findings(self, spec: FieldSpec) -> Iterator[tuple[str, bool]]:
        value = self.party.record.answers.values.get(spec.name)
        if not isinstance(value, date):
            return
        today = self.draft.today
        if canonical.is_date_of_birth(spec.canonical_field):
            yield f"{age_on(today, born=value)} years old", False
        if canonical.expiring_document(spec.canonical_field):
            days = (value - today).days
            yield ("This date has passed", True) if days < 0 else (f"{numbered(days, 'day')} left", False)

    def _document_findings(self, document: Document) -> Iterator[str]:
        findings = findings_of(document)
        values = {
            "width": format_number(findings.width),
            "height": format_number(findings.height),
            "pages": format_number(findings.pages),
            "ending": PurePath(document.name).suffix,
            "type": document.mime_type,
        }
        for code in findings.codes:
            yield _FINDING_TEXTS[code].format_map(values)
        for label, expired_on in expired_dates(self.draft, self.party, document.slot):
            yield f"“{label}”: expired on {long_date(expired_on)}."

    @cached_property
    def roles(self) -> list[RoleRule]:
        """Return the rules of the party's roles, where the roles are the fact."""
        return list(role_rules(self.draft, self.party)) if self.fact.target.kind is TargetKind.PARTY else []

    @property
    def file_facts(self) -> str:
        """Return the document's size, pages and date."""
        return file_facts(self.fact.document) if self.fact.document else ""

    @property
    def look_url(self) -> str:
        """Return the URL that opens the document in the viewer."""
        return self._viewer_url(self.fact.document, page=1) if self.fact.document else ""

    @property
    def evidence_url(self) -> str:
        """Return the URL that opens the page that proves it."""
        return self._viewer_url(self.proof, page=self.evidence.page) if self.evidence and self.proof else ""

    def _viewer_url(self, document: Document, *, page: int) -> str:
        url = party_url(self.draft.application.reference, self.party.token)
        return url + self.state.for_document(document.pk).for_page(page).opening_query

    @property
    def is_evidence_replaced(self) -> bool:
        """Report that the evidence is of a document that was removed or replaced."""
        return self.evidence is not None and self.proof is None

    @property
    def evidence_text(self) -> str:
        """Return what the document says, with numbers masked as elsewhere on the page."""
        if self.evidence is None or not self.evidence.text:
            return ""
        if self.is_masked:
            return str(mask_of(self.evidence.text))
        panels = self.panel.panels
        return self.evidence.text if panels.shows_numbers else panels.masking.masked(self.evidence.text)

    @property
    def number_id(self) -> str:
        """Return the id of a number on the page, which depends on its target alone."""
        return f"number:{control_id(str(self.fact.target))}"

    @property
    def is_masked(self) -> bool:
        return self.fact.is_identity_number and not self.panel.panels.shows_numbers

    @property
    def mask(self) -> Mask | None:
        return mask_of(self.fact.value) if self.is_masked else None

    @property
    def mask_before(self) -> Mask | None:
        return mask_of(self.before) if self.is_masked and self.before != NOT_ANSWERED else None

    @property
    def has_changed_unseen(self) -> bool:
        """Report that the masks do not show the change of a number."""
        return bool(self.before) and self.is_masked and self.mask == self.mask_before

    @property
    def status(self) -> str:
        if self.fact.state == QUERIED:
            return "Changed since queried" if self.before else "Queried"
        return {ACCEPTED: "Accepted", CHANGED: "Changed since accepted"}.get(self.fact.state, "")

    @property
    def accepted_by(self) -> str:
        check = self.fact.check
        return check.by.called if self.fact.is_done and check is not None and check.by is not None else ""


def fact_rows(
    party: PartyRow,
    checklist: HolderChecklist,
    panels: QueryPanels,
    state: ViewerState,
    opened: OpenedDocuments,
    *,
    can_be_ticked: bool,
) -> list[FactRow]:
    """Return the rows of a party's facts, in the order of the form. Three queries, and one more where a fact has
    changed."""
    draft = panels.draft
    evidence_by_target = evidence_of_party(draft, party.token)
    documents_by_digest = {document.sha256: document for document in draft.documents_of(party).values()}
    before = values_before(draft, party, checklist)
    questions = {}
    for question in draft.form_state.party_questions(party.record):
        questions[Target.of_field(party.token, question.spec.name)] = question
    opened_by_reader = [document for document in opened.accounts if opened.has_opened(document, panels.reader)]
    ticked = 0
    rows = []
    for number, fact in enumerate(checklist.facts, 1):
        evidence = evidence_by_target.get(fact.target)
        is_ticked = can_be_ticked and fact.is_to_do
        ticked += is_ticked
        rows.append(
            FactRow(
                party,
                fact,
                id=fact_id(number),
                key=str(ticked) if is_ticked and ticked <= _MAX_KEYS else "",
                can_be_ticked=is_ticked,
                before=before.get(fact.target, ""),
                question=questions.get(fact.target),
                panel=QueryPanel(panels, fact.target),
                state=state,
                seen=opened_by(opened.names_of(fact.document.pk)) if fact.document else "",
                evidence=evidence,
                proof=documents_by_digest.get(evidence.sha256) if evidence else None,
                opened=opened_by_reader,
            )
        )
    return rows
