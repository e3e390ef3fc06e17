"""The facts of a party as rows of a checklist: each answer with why it was asked and what its date means today, each
document with what was found in it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import PurePath

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
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
# The digits of a keyboard.
_KEYS = 9
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


@dataclass(frozen=True)
class RoleRule:
    """What the form asks of a party in one of its roles."""

    draft: Draft
    party: PartyRow
    section: Section

    @property
    def title(self) -> str:
        return role_title(self.section)

    @cached_property
    def reason_against(self) -> str:
        """Why it counts nowhere; empty where it counts."""
        if not self.section.allows(self.party.kind):
            kind, role = capitalised(kind_with_article(self.party.kind)), role_with_article(self.section)
            return f"{kind} can’t be {role} in this form."
        is_active = self.draft.form_state.section_activation(self.section).active
        return "" if is_active else "Does not apply at the moment."

    @property
    def why(self) -> str:
        """What has led to the role, or to its minimum."""
        is_allowed = self.section.allows(self.party.kind)
        return for_agents(role_reason(self.draft, self.section)) if is_allowed else ""

    @property
    def count(self) -> str:
        """How many are needed, and how many there are."""
        if self.reason_against:
            return ""
        state = self.draft.form_state
        needed = state.minimum_of(self.section).count
        added = sum(self.section.counts(one.kind, one.roles) for one in self.draft.parties)
        return f"{f'At least {needed} required' if needed else 'Optional'}, {added} added."

    @cached_property
    def documents(self) -> list[tuple[DocumentSlot, bool]]:
        """The documents that the role asks for, and whether each is there."""
        there = self.draft.documents_of(self.party)
        slots = () if self.reason_against else self.section.slots(self.party.kind)
        return [(slot, slot.name in there) for slot in slots]


def for_agents(reason: str) -> str:
    """A reason of the form, which speaks to the customer, as agents read it: in English, and of somebody else."""
    return reason.replace("because you ", "because they ", 1)


@dataclass(frozen=True)
class FactRow:
    """One fact to check. `key` is the digit that ticks it, `before` what stood there when it was last looked at,
    `question` what was asked. `panel` holds what was said about it, `seen` who has opened the document, `evidence`
    where a document proves it, and `proof` that document, unless it was replaced since. `opened` are the documents that
    the reader has opened."""

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
        """The answer that has led to the question; empty where it is asked of everybody."""
        return for_agents(self.question.activation.reason) if self.question is not None else ""

    @cached_property
    def findings(self) -> list[tuple[str, bool]]:
        """What is said of it, and whether that speaks against it."""
        findings = [("Unreadable", True)] if self.fact.is_unreadable else []
        if self.question is not None:
            form_state = self.panel.panels.draft.form_state
            name, party = self.question.spec.name, self.party.record
            objection = form_state.objection(name, party)
            note = objection.message if objection else form_state.advice(name, party)
            findings += [(note, True)] if note else []
        return [*findings, *self._date_findings(), *((words, True) for words in self._document_findings())]

    def _date_findings(self) -> Iterator[tuple[str, bool]]:
        """What the date means today."""
        value = self.party.record.answers.values.get(self.question.spec.name) if self.question is not None else None
        if self.question is None or not isinstance(value, date):
            return
        named, today = self.question.spec.canonical_field, self.panel.panels.draft.today
        if canonical.is_date_of_birth(named):
            yield f"{age_on(today, born=value)} years old", False
        if canonical.expiring_document(named):
            days = (value - today).days
            yield ("This date has passed", True) if days < 0 else (f"{numbered(days, 'day')} left", False)

    def _document_findings(self) -> Iterator[str]:
        """Everything that speaks against the document."""
        document = self.fact.document
        if document is None:
            return
        found = findings_of(document)
        values = {
            "width": format_number(found.width),
            "height": format_number(found.height),
            "pages": format_number(found.pages),
            "ending": PurePath(document.name).suffix,
            "type": document.mime_type,
        }
        yield from (_FINDING_TEXTS[code].format_map(values) for code in found.codes)
        for label, until in expired_dates(self.panel.panels.draft, self.party, document.slot):
            yield f"“{label}”: expired on {long_date(until)}."

    @cached_property
    def roles(self) -> list[RoleRule]:
        """What the form asks of the party's roles, in the order of the form, where the roles are the fact."""
        draft, party = self.panel.panels.draft, self.party
        is_roles = self.fact.target.kind is TargetKind.PARTY
        return [RoleRule(draft, party, one) for one in draft.schema.sections_of(party.roles)] if is_roles else []

    @property
    def file_facts(self) -> str:
        """The document's size, pages and date."""
        return file_facts(self.fact.document) if self.fact.document else ""

    @property
    def look_url(self) -> str:
        """Where the document is looked at."""
        if self.fact.document is None:
            return ""
        url = party_url(self.panel.panels.draft.application.reference, self.party.token)
        return f"{url}{self.state.for_document(self.fact.document.pk).opening_query}"

    @property
    def evidence_url(self) -> str:
        """Where the page that proves it is looked at."""
        if self.evidence is None or self.proof is None:
            return ""
        url = party_url(self.panel.panels.draft.application.reference, self.party.token)
        return url + self.state.for_document(self.proof.pk).for_page(self.evidence.page).opening_query

    @property
    def is_evidence_replaced(self) -> bool:
        """Whether what was noted is of a document that is no longer there."""
        return self.evidence is not None and self.proof is None

    @property
    def said(self) -> str:
        """What the document says, with numbers masked as elsewhere on the page."""
        if self.evidence is None or self.panel.panels.shows_numbers or not self.evidence.text:
            return self.evidence.text if self.evidence else ""
        return (
            str(mask_of(self.evidence.text)) if self.is_masked else self.panel.panels.masking.masked(self.evidence.text)
        )

    @property
    def number_id(self) -> str:
        """The id of what stands there, where it is a number: by its place, which it keeps whatever else changes."""
        return f"number:{control_id(str(self.fact.target))}"

    @property
    def is_masked(self) -> bool:
        """Whether it is a number of which only the masks are to be shown."""
        return self.fact.is_identity_number and not self.panel.panels.shows_numbers

    @property
    def mask(self) -> Mask | None:
        """What is seen of a masked number."""
        return mask_of(self.fact.value) if self.is_masked else None

    @property
    def mask_before(self) -> Mask | None:
        """What is seen of the one that stood there before."""
        return mask_of(self.before) if self.is_masked and self.before != NOT_ANSWERED else None

    @property
    def has_changed_unseen(self) -> bool:
        """Whether its change is not to be seen by the masks."""
        return bool(self.before) and self.is_masked and self.mask == self.mask_before

    @property
    def status(self) -> str:
        """How it stands, in a word or two."""
        if self.fact.state == QUERIED:
            return "Changed since queried" if self.before else "Queried"
        return {ACCEPTED: "Accepted", CHANGED: "Changed since accepted"}.get(self.fact.state, "")

    @property
    def accepted_by(self) -> str:
        """Who has accepted it as it stands."""
        check = self.fact.check
        return check.by.called if self.fact.is_done and check is not None and check.by is not None else ""


def fact_rows(
    party: PartyRow,
    checklist: HolderChecklist,
    panels: QueryPanels,
    state: ViewerState,
    seen: OpenedDocuments,
    *,
    can_be_ticked: bool,
) -> list[FactRow]:
    """The rows, in the order of the form. Three queries, and one more where something has changed."""
    evidence = evidence_of_party(panels.draft, party.token)
    documents = {one.sha256: one for one in panels.draft.documents_of(party).values()}
    before = values_before(panels.draft, party, checklist)
    asked = panels.draft.form_state.party_questions(party.record)
    questions = {Target.of_field(party.token, one.spec.name): one for one in asked}
    boxes = [fact.target for fact in checklist.facts if can_be_ticked and fact.is_to_do]
    opened = [document for document in seen.accounts if seen.has_opened(document, panels.reader)]
    keys = {target: str(number) for number, target in enumerate(boxes[:_KEYS], 1)}
    return [
        FactRow(
            party,
            fact,
            id=fact_id(number),
            key=keys.get(fact.target, ""),
            can_be_ticked=fact.target in boxes,
            before=before.get(fact.target, ""),
            question=questions.get(fact.target),
            panel=QueryPanel(panels, fact.target),
            state=state,
            seen=opened_by(seen.names_of(fact.document.pk)) if fact.document else "",
            evidence=(noted := evidence.get(fact.target)),
            proof=documents.get(noted.sha256) if noted else None,
            opened=opened,
        )
        for number, fact in enumerate(checklist.facts, 1)
    ]
