"""Describe the facts of a party (answers, roles, documents), each with its evidence and objections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from django.utils.text import capfirst

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.date import age_on
from formation_portal.contract.localisation import format_number, long_date
from formation_portal.contract.schema import DocumentSlot
from formation_portal.documents.findings import FindingCode
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, QUERIED, Fact, HolderChecklist
from formation_portal.reviews.checks import OpenedDocuments
from formation_portal.reviews.document_evidence import evidence_of_party
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.forms.controls import control_id
from formation_portal.ui.roles import kind_with_article, role_reason, role_title, role_with_article

from ..case.entries import FACT_STATES
from ..case.history import NOT_ANSWERED, values_before
from ..case.query_panels import QueryPanel, QueryPanels
from ..case_urls import fact_id, party_url
from ..documents import ViewerState, opened_by
from ..masking import mask_of
from ..wording import numbered

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
    """The rules of the form about a party in one of its roles.

    `objection` says why the role does not count, else is ""; `documents` are required, each with whether it is there.
    """

    title: str
    objection: str
    text: str = ""
    documents: Sequence[tuple[DocumentSlot, bool]] = ()


def role_rules(draft: Draft, party: PartyRow) -> Iterator[RoleRule]:
    state = draft.form_state
    uploaded = draft.documents_of(party)
    for section in draft.schema.sections_of(party.roles):
        title = role_title(section)
        if not section.allows(party.kind):
            kind = capfirst(kind_with_article(party.kind))
            yield RoleRule(title, f"{kind} can’t be {role_with_article(section)} in this form.")
            continue
        reason = _for_agents(role_reason(draft, section))
        if reason:
            reason += "."
        if not state.section_activation(section).active:
            yield RoleRule(title, "Does not apply at the moment.", reason)
            continue
        minimum = state.minimum_of(section).count
        required = f"At least {minimum} required" if minimum else "Optional"
        added = sum(section.counts(row.kind, row.roles) for row in draft.parties)
        text = " ".join(filter(None, (f"{required}, {added} added.", reason, section.help)))
        yield RoleRule(title, "", text, [(slot, slot.name in uploaded) for slot in section.slots(party.kind)])


def _for_agents(reason: str) -> str:
    """Reword for agents a reason that the form gives to customers."""
    return reason.replace("because you ", "because they ", 1)


class FactRow:
    """A fact to check.

    `key` is the digit key that ticks the fact, `before` the value when last checked ("": unchanged). `evidence` is the
    note of a page that proves the fact, `proof` the document with that page (None: replaced). `mask` hides a number.
    """

    def __init__(self, fact: Fact, facts: "PartyFacts", *, number: int, key: str, can_be_ticked: bool) -> None:
        self.fact = fact
        self.facts = facts
        self.id = fact_id(number)
        self.number_id = f"number:{control_id(str(fact.target))}"
        self.key = key
        self.can_be_ticked = can_be_ticked
        self.mark, _ = FACT_STATES[fact.state]
        self.panel = QueryPanel(facts.panels, fact.target)
        self.before = facts.before.get(fact.target, "")
        self.question = facts.questions.get(fact.target)
        self.evidence = facts.evidence.get(fact.target)
        self.roles: list[RoleRule] = []
        if fact.target.kind is TargetKind.PARTY:
            self.roles = list(role_rules(facts.panels.draft, facts.party))
        self.proof: Document | None = None
        self.seen = self.look_url = self.evidence_url = ""
        if fact.document is not None:
            self.seen = opened_by(facts.opened.names_of(fact.document.pk))
            self.look_url = facts.viewer_url(fact.document)
        if self.evidence is not None:
            self.proof = facts.documents.get(self.evidence.sha256)
        if self.evidence is not None and self.proof is not None:
            self.evidence_url = facts.viewer_url(self.proof, self.evidence.page)
        self.mask = self.mask_before = None
        if fact.is_identity_number and not facts.panels.shows_numbers:
            self.mask = mask_of(fact.value)
            if self.before != NOT_ANSWERED:
                self.mask_before = mask_of(self.before)

    @property
    def is_settled(self) -> bool:
        """Tell whether the fact is accepted, has no note, and its evidence was not replaced."""
        return self.fact.is_done and not self.panel.notes and (self.evidence is None or self.proof is not None)

    @property
    def why(self) -> str:
        """Return the answer that opened the question; "" if always asked."""
        return _for_agents(self.question.activation.reason) if self.question is not None else ""

    @property
    def status(self) -> str:
        if self.fact.state == QUERIED:
            return "Changed since queried" if self.before else "Queried"
        return {ACCEPTED: "Accepted", CHANGED: "Changed since accepted"}.get(self.fact.state, "")

    @property
    def evidence_text(self) -> str:
        """Return the text that an agent noted from the document, with numbers masked as elsewhere on the page."""
        panels = self.facts.panels
        text = self.evidence.text if self.evidence else ""
        if not text or panels.shows_numbers:
            return text
        return str(mask_of(text)) if self.fact.is_identity_number else panels.masking.masked(text)

    @property
    def findings(self) -> Iterator[tuple[str, bool]]:
        """Yield remarks on the fact, each with whether it is an objection."""
        record = self.facts.party.record
        form_state = self.facts.panels.draft.form_state
        if self.fact.is_unreadable:
            yield "Unreadable", True
        if self.question is not None:
            name = self.question.spec.name
            objection = form_state.objection(name, record)
            note = objection.message if objection else form_state.advice(name, record)
            if note:
                yield note, True
            yield from self._date_findings(self.question.spec)
        if self.fact.document is not None:
            for finding in self._document_findings(self.fact.document):
                yield finding, True

    def _date_findings(self, spec: FieldSpec) -> Iterator[tuple[str, bool]]:
        value = self.facts.party.record.answers.values.get(spec.name)
        if not isinstance(value, date):
            return
        today = self.facts.panels.draft.today
        if canonical.property_of(spec.canonical_field) == "date_of_birth":
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
        for label, expired_on in expired_dates(self.facts.panels.draft, self.facts.party, document.slot):
            yield f"“{label}”: expired on {long_date(expired_on)}."


class PartyFacts:
    """The rows of a party's facts, in the order of the form, with their shared data. Up to four SQL queries."""

    def __init__(
        self,
        party: PartyRow,
        checklist: HolderChecklist,
        panels: QueryPanels,
        state: ViewerState,
        opened: OpenedDocuments,
        *,
        can_be_ticked: bool,
    ) -> None:
        draft = panels.draft
        self.party = party
        self.panels = panels
        self.state = state
        self.opened = opened
        self.opened_by_reader = [number for number in opened.accounts if opened.has_opened(number, panels.reader)]
        self.evidence = evidence_of_party(draft, party.token)
        self.documents = {document.sha256: document for document in draft.documents_of(party).values()}
        self.before = values_before(draft, party, checklist)
        self.questions = {}
        for question in draft.form_state.party_questions(party.record):
            self.questions[Target.of_field(party.token, question.spec.name)] = question
        self.url = party_url(draft.application.reference, party.token)
        self.rows = []
        keys = iter("123456789")
        for number, fact in enumerate(checklist.facts, 1):
            is_ticked = can_be_ticked and fact.is_to_do
            key = next(keys, "") if is_ticked else ""
            self.rows.append(FactRow(fact, self, number=number, key=key, can_be_ticked=is_ticked))

    def viewer_url(self, document: Document, page: int = 1) -> str:
        return self.url + self.state.for_document(document.pk).for_page(page).query(opens=True)
