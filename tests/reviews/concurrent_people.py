"""People at the same application, each with a page that may be old, and an account of who knew what when they wrote."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import new_token
from formation_portal.applications.models import Application
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.reviews.checklist import Checklist, load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.decisions import (
    APPROVE,
    DECLINE,
    INCORPORATE,
    RETURN,
    refuse_proposal,
)
from formation_portal.reviews.models import DecisionOutcome, Note, ReviewDecision
from formation_portal.reviews.queries import delete_draft, draft_query, resolve, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import (
    ClaimedByColleague,
    NotApprovable,
    ReviewChanged,
    ReviewRefused,
    ReviewVersion,
    current_version,
)
from tests.reviews.deciding import confirm_proposal, decide

REFUSALS = (
    ReviewChanged,
    ReviewRefused,
    NotApprovable,
    services.Closed,
    ClaimedByColleague,
    services.NotReady,
    services.Gone,
    services.Unread,
)
NAME = "person.first_name"
TOKEN = "ada"
MET_AT = 3


def present(number: int) -> Draft:
    """The application as it stands."""
    return open_draft(Application.objects.get(pk=number))


@dataclass(frozen=True)
class Page:
    """What somebody sees, and since when: `opened_at` is the place in the account of all that was written."""

    facts: Checklist
    review_version: ReviewVersion
    name: str
    version: int
    seen: services.PageVersion
    opened_at: int

    @classmethod
    def opened(cls, number: int, *, at: int) -> "Page":
        draft = present(number)
        (party,) = draft.party_models
        seen = services.PageVersion(draft.application.revision, new_token())
        name = str(party.raw.get(NAME, ""))
        return cls(load_checklist(draft), current_version(draft.application), name, party.version, seen, at)


@dataclass(frozen=True)
class Written:
    """One thing that somebody did: `about` is what it changed; `is_decision`, that it was about all.

    Of a name there is also what was typed, and whether it took the place of another than its page had shown.
    """

    who: str
    about: frozenset[Any] = frozenset()
    is_decision: bool = False
    name: str = ""
    is_blind: bool = False

    @property
    def closes(self) -> bool:
        """Whether no name is written after it."""
        return not self.about.isdisjoint({("state", "submitted"), ("state", "withdrawn")})

    def overlooks(self, other: "Written") -> bool:
        """Whether it would be a silent overwrite, had the other been done since its page was drawn."""
        if other.who == self.who:
            return False
        if self.is_decision:
            return True
        if any(what == "state" for what, _ in self.about):
            # Submitting and withdrawing are about what the customer can see.
            return any(what in ("state", "name") for what, _ in other.about)
        clashes = set() if self.name else set(self.about)
        for what, target in self.about:
            if what == "accepted":
                # What nobody asks any more says nothing against it.
                clashes |= {("query", target), ("check", target)}
            elif what in ("query", "ended"):
                clashes |= {("query", target), ("ended", target)}
        return any(one in clashes and one[0] != "accepted" for one in other.about)


@dataclass
class Person:
    """Somebody with one page open. A customer's two windows are two of these."""

    who: str
    account: Any
    actions: Mapping[str, int]
    page: Page | None = None

    def does(self, dice: random.Random, number: int) -> Callable[[], Written | None]:
        """What they press next on the page that they have."""
        assert self.page is not None
        action = dice.choices(list(self.actions), list(self.actions.values()))[0]
        press: Callable[[Draft], Written | None] = _ACTIONS[action](self, self.page, dice)
        return lambda: press(present(number))


AGENT_ACTIONS = {
    "accept": 20,
    "accept_all": 40,
    "reopen": 4,
    "ask": 12,
    "delete": 6,
    "resolve": 10,
    "note": 4,
    "return": 8,
    "approve": 20,
    "decline": 1,
    "confirm": 10,
    "refuse": 2,
    "incorporate": 4,
}
CUSTOMER_ACTIONS = {"rename": 40, "submit": 20, "withdraw": 1}


Press = Callable[[Draft], Written | None]


def _accepting(chosen: Callable[[Page, random.Random], list[Target]]) -> Callable[..., Press]:
    def build(person: Person, page: Page, dice: random.Random) -> Press:
        targets = chosen(page, dice)

        def press(draft: Draft) -> Written | None:
            undone = [target for target in targets if (fact := load_checklist(draft).at(target)) and not fact.is_done]
            if not accept(draft, targets, by=person.account, version=page.review_version):
                return None
            return Written(person.who, frozenset(("accepted", target) for target in undone))

        return press

    return build


def _one(page: Page, dice: random.Random) -> list[Target]:
    """One of a few, so that people meet at it."""
    return [dice.choice([fact.target for fact in page.facts][-MET_AT:])]


def _all(page: Page, _: random.Random) -> list[Target]:
    return [fact.target for fact in page.facts if not fact.is_done and not (fact.query and fact.query.is_draft)]


def _reopen(person: Person, page: Page, dice: random.Random) -> Press:
    (target,) = _one(page, dice)

    def press(draft: Draft) -> Written | None:
        is_done = reopen(draft, target, by=person.account, version=page.review_version)
        return Written(person.who, frozenset({("check", target)})) if is_done else None

    return press


def _ask(person: Person, page: Page, dice: random.Random) -> Press:
    (target,), words = _one(page, dice), f"{person.who} {dice.random()}"

    def press(draft: Draft) -> Written:
        draft_query(draft, target, text=words, by=person.account, version=page.review_version)
        return Written(person.who, frozenset({("query", target)}))

    return press


def _about_a_query(action: Callable[..., bool], *, drafted: bool) -> Callable[..., Press]:
    def build(person: Person, page: Page, dice: random.Random) -> Press:
        found = [query for query in page.facts.queries if query.is_draft is drafted]
        query = dice.choice(found) if found else None

        def press(draft: Draft) -> Written | None:
            if query is None or not action(draft, query.pk, by=person.account, version=page.review_version):
                return None
            return Written(person.who, frozenset({("ended", query.target)}))

        return press

    return build


def _note(person: Person, page: Page, _: random.Random) -> Press:
    def press(draft: Draft) -> Written | None:
        own = list(Note.objects.filter(application=draft.application, by=person.account))
        note = write_note(draft, WHOLE_APPLICATION, text="Known to us", by=person.account)
        if note in own:
            return None
        return Written(person.who, frozenset({("note", note.pk)}))

    return press


def _made_by(person: Person, draft: Draft) -> list[ReviewDecision]:
    """What this agent has decided before: who decides the same once more is told so, and writes nothing."""
    own = Q(by=person.account) | Q(proposed_by=person.account)
    return list(ReviewDecision.objects.filter(own, application=draft.application))


def _take_over(draft: Draft, person: Person) -> None:
    """Take the case over from a colleague, as it takes to decide it."""
    case = Case.objects.select_related("claimed_by", "application").get(pk=draft.application.pk)
    if case.is_claimed and case.claimed_by_id != person.account.pk:
        claims.take_over(case, by=person.account, reason="Covering")


def _decision(action: str) -> Callable[..., Press]:
    def build(person: Person, page: Page, _: random.Random) -> Press:
        def press(draft: Draft) -> Written | None:
            made = _made_by(person, draft)
            _take_over(draft, person)
            decision = decide(draft, action, text="A word", by=person.account, version=page.review_version)
            if decision in made:
                return None
            moved = {("state", action)} if decision.outcome == DecisionOutcome.DONE else set()
            return Written(person.who, frozenset({("decision", action), *moved}), is_decision=True)

        return press

    return build


def _confirm(person: Person, page: Page, _: random.Random) -> Press:
    def press(draft: Draft) -> Written | None:
        made = _made_by(person, draft)
        decision = confirm_proposal(draft, by=person.account, version=page.review_version)
        if decision in made:
            return None
        moved = {("state", "confirm")} if decision.outcome == DecisionOutcome.DONE else set()
        return Written(person.who, frozenset({("decision", "confirm"), *moved}), is_decision=True)

    return press


def _refuse(person: Person, page: Page, _: random.Random) -> Press:
    def press(draft: Draft) -> Written:
        refuse_proposal(draft, why="It is fine", by=person.account, version=page.review_version)
        return Written(person.who, frozenset({("decision", "refuse")}), is_decision=True)

    return press


def _rename(person: Person, page: Page, dice: random.Random) -> Press:
    name = f"{person.who} {dice.randrange(4)}"

    def press(draft: Draft) -> Written | None:
        party = draft.party(TOKEN)
        assert party is not None
        result = services.save_party(
            draft, party, {NAME: name}, version=page.version, by=person.account, page_version=page.seen
        )
        if not result.changes:
            # What was accepted stays, as does what others wrote where the page says nothing new; and it is told.
            return None
        before = str(result.changes[-1].changes[0]["before"])
        is_own = before == page.name or before.startswith(f"{person.who} ")
        return Written(person.who, frozenset({("name", "")}), name=name, is_blind=not is_own)

    return press


def _submit(person: Person, page: Page, _: random.Random) -> Press:
    def press(draft: Draft) -> Written:
        services.submit(draft, by=person.account, revision=page.seen.revision)
        return Written(person.who, frozenset({("state", "submitted")}))

    return press


def _withdraw(person: Person, page: Page, _: random.Random) -> Press:
    def press(draft: Draft) -> Written:
        services.withdraw(draft, by=person.account, revision=page.seen.revision)
        return Written(person.who, frozenset({("state", "withdrawn")}))

    return press


_ACTIONS: Mapping[str, Any] = {
    "accept": _accepting(_one),
    "accept_all": _accepting(_all),
    "reopen": _reopen,
    "ask": _ask,
    "delete": _about_a_query(delete_draft, drafted=True),
    "resolve": _about_a_query(resolve, drafted=False),
    "note": _note,
    "return": _decision(RETURN),
    "approve": _decision(APPROVE),
    "decline": _decision(DECLINE),
    "incorporate": _decision(INCORPORATE),
    "confirm": _confirm,
    "refuse": _refuse,
    "rename": _rename,
    "submit": _submit,
    "withdraw": _withdraw,
}
