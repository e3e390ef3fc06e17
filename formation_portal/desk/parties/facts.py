"""The facts of a party as rows of a checklist: each answer with why it was asked and what its date means today, each
document with what was found in it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from formation_portal.applications.documents import expired_dates, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.localisation import format_number, long_date
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import Section
from formation_portal.documents.findings import FindingCode
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Fact, HolderChecklist
from formation_portal.reviews.checks import OpenedDocuments
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.forms.controls import control_id
from formation_portal.ui.roles import capitalised, kind_with_article, role_reason, role_title, role_with_article

from ..case.differences import NOT_ANSWERED, values_before
from ..case.query_panels import QueryPanel, QueryPanels
from ..case_urls import fact_id, party_url
from ..documents import ViewerState, opened_by
from ..masking import Mask, mask_of
from ..wording import numbered


def questions_by_target(draft: Draft, party: PartyRow) -> dict[Target, Question]:
    """The questions to a party, by their targets."""
    asked = draft.form_state.party_questions(party.record)
    return {Target.of_field(party.token, one.spec.name): one for one in asked}


def why_asked(question: Question | None) -> str:
    """The answer that has led to the question; empty where it is asked of everybody."""
    return for_agents(question.activation.reason) if question is not None else ""


def for_agents(reason: str) -> str:
    """A reason of the form, which speaks to the customer, as agents read it: in English, and of somebody else."""
    return reason.replace("because you ", "because they ", 1)


def date_findings(draft: Draft, party: PartyRow, question: Question | None) -> Iterator[tuple[str, bool]]:
    """What the date means today, and whether something is amiss with it."""
    value = party.record.answers.values.get(question.spec.name) if question is not None else None
    if question is None or not isinstance(value, date):
        return
    named, today = question.spec.canonical_field, draft.today
    if canonical.is_date_of_birth(named):
        age = today.year - value.year - ((today.month, today.day) < (value.month, value.day))
        yield f"{age} years old", False
    if canonical.expiring_document(named):
        days = (value - today).days
        yield ("This date has passed", True) if days < 0 else (f"{numbered(days, 'day')} left", False)


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


def document_findings(draft: Draft, party: PartyRow, document: Document) -> tuple[str, ...]:
    """Everything that speaks against the document of a party; nothing where nothing does."""
    past = (f"“{label}”: expired on {long_date(until)}." for label, until in expired_dates(draft, party, document.slot))
    return (*_found_in(document), *past)


def _found_in(document: Document) -> Iterator[str]:
    found = findings_of(document)
    values = {
        "width": format_number(found.width),
        "height": format_number(found.height),
        "pages": format_number(found.pages),
        "ending": PurePath(document.name).suffix,
        "type": document.mime_type,
    }
    yield from (_FINDING_TEXTS[code].format_map(values) for code in found.codes)


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """One document that the role asks for."""

    name: str
    is_required: bool
    is_there: bool


@dataclass(frozen=True, slots=True)
class RoleRule:
    """One role; `reason_against` says why it counts nowhere, `role_reason` what has led to the role or its minimum."""

    title: str
    help: str
    count: str
    why: str
    papers: tuple[DocumentRule, ...]
    reason_against: str = ""


def role_rules(draft: Draft, party: PartyRow) -> tuple[RoleRule, ...]:
    """The party's roles, in the order of the form."""
    there = draft.documents_of(party)
    return tuple(_rule(draft, party, one, there.keys()) for one in draft.schema.sections_of(party.roles))


def _rule(draft: Draft, party: PartyRow, section: Section, there: Collection[str]) -> RoleRule:
    if not section.allows(party.kind):
        reason_against = (
            f"{capitalised(kind_with_article(party.kind))} can’t be {role_with_article(section)} in this form."
        )
        return RoleRule(role_title(section), "", "", "", (), reason_against)
    if not draft.form_state.section_activation(section).active:
        return RoleRule(
            role_title(section), "", "", for_agents(role_reason(draft, section)), (), "Does not apply at the moment."
        )
    papers = tuple(DocumentRule(one.name, one.required, one.name in there) for one in section.slots(party.kind))
    needed, added = draft.form_state.minimum_of(section).count, len(draft.form_state.parties_in(section))
    count = f"{f'At least {needed} required' if needed else 'Optional'}, {added} added."
    return RoleRule(role_title(section), section.help, count, for_agents(role_reason(draft, section)), papers)


_MARKS = {ACCEPTED: "met", QUERIED: "heed", CHANGED: "changed", OPEN: "open"}
# The digits of a keyboard.
_KEYS = 9


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is said of a fact; `is_amiss` where it speaks against it."""

    words: str
    is_amiss: bool


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact to check. `key` is the digit that ticks it, `before` what stood there when it was last looked at.

    `panel` holds what was asked and noted about it, and the form to ask. `is_masked` where it is a number of which only
    the masks are to be shown.
    """

    id: str
    fact: Fact
    key: str
    can_be_ticked: bool
    before: str
    why: str
    findings: tuple[Finding, ...]
    roles: tuple[RoleRule, ...]
    file_facts: str
    look_url: str
    # Who has opened the document.
    seen: str
    panel: QueryPanel
    is_masked: bool

    @property
    def mark(self) -> str:
        """The glyph on the spine."""
        return _MARKS[self.fact.state]

    @property
    def number_id(self) -> str:
        """The id of what stands there, where it is a number: by its place, which it keeps whatever else changes."""
        return f"number:{control_id(str(self.fact.target))}"

    @property
    def seen_id(self) -> str:
        """The id of the line that says who has opened the document."""
        return f"seen-{self.fact.document.pk}" if self.fact.document else ""

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
    draft: Draft,
    party: PartyRow,
    sheet: HolderChecklist,
    panels: QueryPanels,
    state: ViewerState,
    seen: OpenedDocuments,
    *,
    can_be_ticked: bool,
) -> tuple[FactRow, ...]:
    """The rows, in the order of the form. Two queries, and one more where something has changed."""
    before, questions = values_before(draft, party, sheet), questions_by_target(draft, party)
    boxes = [fact.target for fact in sheet.facts if can_be_ticked and fact.is_to_do]
    keys = {target: str(number) for number, target in enumerate(boxes[:_KEYS], 1)}
    return tuple(
        _row(
            draft,
            party,
            fact,
            id_=fact_id(number),
            key=keys.get(fact.target, ""),
            can_be_ticked=fact.target in boxes,
            before=before.get(fact.target, ""),
            question=questions.get(fact.target),
            panel=panels.at(fact.target),
            state=state,
            seen=seen,
            shows_numbers=panels.shows_numbers,
        )
        for number, fact in enumerate(sheet.facts, 1)
    )


def _row(
    draft: Draft,
    party: PartyRow,
    fact: Fact,
    *,
    id_: str,
    key: str,
    can_be_ticked: bool,
    before: str,
    question: Question | None,
    panel: QueryPanel,
    state: ViewerState,
    seen: OpenedDocuments,
    shows_numbers: bool,
) -> FactRow:
    url = party_url(draft.application.reference, party.token)
    return FactRow(
        id=id_,
        fact=fact,
        key=key,
        can_be_ticked=can_be_ticked,
        before=before,
        why=why_asked(question),
        findings=tuple(_findings(draft, party, fact, question)),
        roles=role_rules(draft, party) if fact.target.kind is TargetKind.PARTY else (),
        file_facts=file_facts(fact.document) if fact.document else "",
        look_url=f"{url}{state.for_document(fact.document.pk).query}" if fact.document else "",
        seen=opened_by(seen.names_of(fact.document.pk)) if fact.document else "",
        panel=panel,
        is_masked=fact.is_identity_number and not shows_numbers,
    )


def _findings(draft: Draft, party: PartyRow, fact: Fact, question: Question | None) -> list[Finding]:
    unreadable = [Finding("Unreadable", is_amiss=True)] if fact.is_unreadable else []
    dates = [Finding(words, is_amiss) for words, is_amiss in date_findings(draft, party, question)]
    said = (
        [Finding(words, is_amiss=True) for words in document_findings(draft, party, fact.document)]
        if fact.document
        else []
    )
    return [*unreadable, *dates, *said]
