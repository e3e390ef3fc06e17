"""People at the same application, each with a page that may be old, and an account of who knew what when they wrote."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partialmethod
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
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN, refuse_proposal
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
        page, own_dice = self.page, random.Random(dice.random())
        action = getattr(self, dice.choices(list(self.actions), list(self.actions.values()))[0])
        return lambda: action(present(number), page, own_dice)

    def written(self, *about: tuple[str, Any], **more: Any) -> Written:
        return Written(self.who, frozenset(about), **more)

    def accept(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        return self._accept(draft, page, [_one(page, dice)])

    def accept_all(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        undone = [fact.target for fact in page.facts if not fact.is_done and not (fact.query and fact.query.is_draft)]
        return self._accept(draft, page, undone)

    def _accept(self, draft: Draft, page: Page, targets: list[Target]) -> Written | None:
        undone = [target for target in targets if (fact := load_checklist(draft).at(target)) and not fact.is_done]
        if not accept(draft, targets, by=self.account, version=page.review_version):
            return None
        return self.written(*(("accepted", target) for target in undone))

    def reopen(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        target = _one(page, dice)
        is_done = reopen(draft, target, by=self.account, version=page.review_version)
        return self.written(("check", target)) if is_done else None

    def ask(self, draft: Draft, page: Page, dice: random.Random) -> Written:
        target = _one(page, dice)
        text = f"{self.who} {dice.random()}"
        draft_query(draft, target, text=text, by=self.account, version=page.review_version)
        return self.written(("query", target))

    def _end(self, is_draft: bool, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        queries = [query for query in page.facts.queries if query.is_draft is is_draft]
        if not queries:
            return None
        query, end = dice.choice(queries), delete_draft if is_draft else resolve
        is_done = end(draft, query.pk, by=self.account, version=page.review_version)
        return self.written(("ended", query.target)) if is_done else None

    delete, resolve = partialmethod(_end, True), partialmethod(_end, False)

    def note(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        own = list(Note.objects.filter(application=draft.application, by=self.account))
        note = write_note(draft, WHOLE_APPLICATION, text="Known to us", by=self.account)
        return None if note in own else self.written(("note", note.pk))

    def _decide(self, decision: str, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        made = self._made(draft)
        case = Case.objects.select_related("claimed_by", "application").get(pk=draft.application.pk)
        if case.is_claimed and case.claimed_by_id != self.account.pk:
            claims.take_over(case, by=self.account, reason="Covering")
        decided = decide(draft, decision, text="A word", by=self.account, version=page.review_version)
        return self._decided(decision, decided, made)

    return_, approve = partialmethod(_decide, RETURN), partialmethod(_decide, APPROVE)
    decline, incorporate = partialmethod(_decide, DECLINE), partialmethod(_decide, INCORPORATE)

    def confirm(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        made = self._made(draft)
        decided = confirm_proposal(draft, by=self.account, version=page.review_version)
        return self._decided("confirm", decided, made)

    def _made(self, draft: Draft) -> list[ReviewDecision]:
        """What this agent has decided before: who decides the same once more is told so, and writes nothing."""
        own = Q(by=self.account) | Q(proposed_by=self.account)
        return list(ReviewDecision.objects.filter(own, application=draft.application))

    def _decided(self, name: str, decided: ReviewDecision, made: list[ReviewDecision]) -> Written | None:
        if decided in made:
            return None
        moved = [("state", name)] if decided.outcome == DecisionOutcome.DONE else []
        return self.written(("decision", name), *moved, is_decision=True)

    def refuse(self, draft: Draft, page: Page, dice: random.Random) -> Written:
        refuse_proposal(draft, why="It is fine", by=self.account, version=page.review_version)
        return self.written(("decision", "refuse"), is_decision=True)

    def rename(self, draft: Draft, page: Page, dice: random.Random) -> Written | None:
        name, party = f"{self.who} {dice.randrange(4)}", draft.party("ada")
        assert party is not None
        result = services.save_party(
            draft, party, {NAME: name}, version=page.version, by=self.account, page_version=page.seen
        )
        if not result.changes:
            # What was accepted stays, as does what others wrote where the page says nothing new; and it is told.
            return None
        before = str(result.changes[-1].changes[0]["before"])
        is_own = before == page.name or before.startswith(f"{self.who} ")
        return self.written(("name", ""), name=name, is_blind=not is_own)

    def submit(self, draft: Draft, page: Page, dice: random.Random) -> Written:
        services.submit(draft, by=self.account, revision=page.seen.revision)
        return self.written(("state", "submitted"))

    def withdraw(self, draft: Draft, page: Page, dice: random.Random) -> Written:
        services.withdraw(draft, by=self.account, revision=page.seen.revision)
        return self.written(("state", "withdrawn"))


def _one(page: Page, dice: random.Random) -> Target:
    """Choose one of a few facts, so that people meet at it."""
    return dice.choice([fact.target for fact in page.facts][-3:])


# How often each is pressed.
AGENT_ACTIONS = {
    "accept": 20,
    "accept_all": 40,
    "reopen": 4,
    "ask": 12,
    "delete": 6,
    "resolve": 10,
    "note": 4,
    "return_": 8,
    "approve": 20,
    "decline": 1,
    "confirm": 10,
    "refuse": 2,
    "incorporate": 4,
}
CUSTOMER_ACTIONS = {"rename": 40, "submit": 20, "withdraw": 1}
