"""The facts of a party as rows of a checklist."""

from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.rules import Question
from formation_portal.reviews.checklist import ACCEPTED, CHANGED, OPEN, QUERIED, Fact, HolderChecklist
from formation_portal.reviews.opened_documents import OpenedDocuments
from formation_portal.reviews.targets import TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.forms.controls import control_id

from .answer_words import dated, questions_of, why_asked
from .coming_from import party_url
from .looks import Look
from .masks import Mask, mask_of
from .paper_words import said_of
from .remark_panels import Panel, Panels
from .role_rules import RoleRule, role_rules
from .unseen_documents import seen_words
from .values_before import NOT_ANSWERED, values_before

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
    panel: Panel
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
    panels: Panels,
    look: Look,
    seen: OpenedDocuments,
    *,
    can_be_ticked: bool,
) -> tuple[FactRow, ...]:
    """The rows, in the order of the form. Two queries, and one more where something has changed."""
    before, questions = values_before(draft, party, sheet), questions_of(draft, party)
    boxes = [fact.target for fact in sheet.facts if can_be_ticked and fact.is_to_do]
    keys = {place: str(number) for number, place in enumerate(boxes[:_KEYS], 1)}
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
            look=look,
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
    panel: Panel,
    look: Look,
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
        look_url=f"{url}{look.of(fact.document.pk).query}" if fact.document else "",
        seen=seen_words(seen.names_of(fact.document.pk)) if fact.document else "",
        panel=panel,
        is_masked=fact.is_identity_number and not shows_numbers,
    )


def _findings(draft: Draft, party: PartyRow, fact: Fact, question: Question | None) -> list[Finding]:
    unreadable = [Finding("Unreadable", is_amiss=True)] if fact.is_unreadable else []
    dates = [Finding(words, is_amiss) for words, is_amiss in dated(draft, party, question)]
    said = [Finding(words, is_amiss=True) for words in said_of(draft, party, fact.document)] if fact.document else []
    return [*unreadable, *dates, *said]


def fact_id(number: int) -> str:
    """The id of a fact on its party's page, by its place in the sheet; the first is 1."""
    return f"fact-{number}"
