"""Two people at the same page, in any order: nobody writes over what they haven't seen, and nothing typed is lost."""

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.fields import new_token
from formation_portal.applications.models import Application
from tests import factories

pytestmark = pytest.mark.django_db

Typed = Mapping[Any, Any]
COMPANY, FUNDS, GRID = "the-company", "funds", "share-classes"
TEXTS = ("", "a", "b", "Trading")
ROLES = (["director"], ["shareholder"], ["director", "shareholder"])


@dataclass(frozen=True)
class Sheet:
    """What a page shows: how it is read, how it is saved, and what can be typed in each of its places."""

    read: Callable[[Draft], Typed]
    version: Callable[[Draft], int]
    save: Callable[..., services.SaveResult]
    inputs: Mapping[Any, tuple[Any, ...]]


def section_sheet(key: str, *names: str) -> Sheet:
    def section(draft: Draft) -> Any:
        return draft.schema.section(key)

    return Sheet(
        read=lambda draft: {name: draft.raw(section(draft)).get(name, "") for name in names},
        version=lambda draft: draft.version(key),
        save=lambda draft, typed, **more: services.save_section(draft, section(draft), typed, **more),
        inputs=dict.fromkeys(names, TEXTS),
    )


def party_sheet(token: str) -> Sheet:
    names = ("person.first_name", "person.last_name")

    def read(draft: Draft) -> Typed:
        row = draft.party(token)
        return {name: row.raw.get(name, "") for name in names} | {services.ROLES: list(row.roles)}

    def save(draft: Draft, typed: Typed, **more: Any) -> services.SaveResult:
        answers = {name: text for name, text in typed.items() if name != services.ROLES}
        return services.save_party(draft, draft.party(token), answers, roles=typed.get(services.ROLES), **more)

    inputs = dict.fromkeys(names, TEXTS) | {services.ROLES: ROLES}
    return Sheet(read, lambda draft: draft.party(token).version, save, inputs)


def class_sheet(token: str) -> Sheet:
    names = ("share_class.name", "xy.class_rights")
    return Sheet(
        read=lambda draft: {name: draft.share_class(token).raw.get(name, "") for name in names},
        version=lambda draft: draft.share_class(token).version,
        save=lambda draft, typed, **more: services.save_share_class(draft, draft.share_class(token), typed, **more),
        inputs=dict.fromkeys(names, TEXTS),
    )


def grid_sheet(*pairs: tuple[str, str]) -> Sheet:
    return Sheet(
        read=lambda draft: {pair: draft.typed_holdings().get(pair, "") for pair in pairs},
        version=lambda draft: draft.version(GRID),
        save=services.save_holdings,
        inputs=dict.fromkeys(pairs, ("", "1", "2", "lots")),
    )


SHEETS: dict[str, tuple[Sheet, ...]] = {
    # The two ask one question in common.
    "sections": (section_sheet(COMPANY, "entity.name", "xy.activity"), section_sheet(FUNDS, "xy.activity")),
    "party": (party_sheet("first"),),
    "share-class": (class_sheet("shares"),),
    "shareholdings": (grid_sheet(("first", "shares"), ("second", "shares")),),
}


@dataclass
class Page:
    """One window: what it shows, what whoever sits there has seen, and what they have typed and not yet saved."""

    sheet: Sheet
    shows: dict[Any, Any]
    version: int
    seen: services.PageVersion
    known: dict[Any, Any]
    touched: set[Any] = field(default_factory=set)
    # Where both have written, and this window has chosen to keep the other's.
    kept: set[Any] = field(default_factory=set)
    # What the page with the two versions asks about: one or the other, and nothing is typed there.
    asked: frozenset[Any] = frozenset()
    is_asked: bool = False

    @classmethod
    def opened(cls, sheet: Sheet, draft: Draft) -> "Page":
        shown = dict(sheet.read(draft))
        seen = services.PageVersion(draft.application.revision, new_token())
        return cls(sheet, shown, sheet.version(draft), seen, dict(shown))


@dataclass
class Story:
    """Two windows, and whose every stored answer is."""

    application: Application
    sheets: tuple[Sheet, ...]
    owner: Any
    pages: dict[int, Page] = field(default_factory=dict)
    writers: dict[Any, str] = field(default_factory=dict)
    conflicts: int = 0

    def open(self, who: int, number: int) -> None:
        self.pages[who] = Page.opened(self.sheets[number % len(self.sheets)], open_draft(self.application))

    def type(self, who: int, number: int) -> None:
        page = self.pages[who]
        name = list(page.sheet.inputs)[number % len(page.sheet.inputs)]
        if page.is_asked:
            page.kept ^= {name} & page.asked
            return
        texts = page.sheet.inputs[name]
        page.shows[name] = texts[number // 7 % len(texts)]
        page.touched.add(name)
        page.kept.discard(name)

    def post(self, who: int, number: int) -> None:
        """Save; every other answer to it never reaches the page."""
        page, draft = self.pages[who], open_draft(self.application)
        before = page.sheet.read(draft)
        posted = {name: value for name, value in page.shows.items() if name not in page.kept}
        result = page.sheet.save(draft, posted, version=page.version, by=self.owner, page_version=page.seen)
        after = page.sheet.read(open_draft(self.application))
        self._check_step(page, before, after, waiting=result.conflicts)
        if result.conflicts:
            self._ask(page, result, number)
            return
        if page.is_asked:
            # The page with the two versions leads to a new one.
            self.pages[who] = Page.opened(page.sheet, open_draft(self.application))
        elif number % 2 and not result.skipped:
            page.version = page.sheet.version(draft)
            page.seen = services.PageVersion(draft.application.revision, page.seen.page)
            # What the other has typed alike by chance is what this page shows.
            page.known |= {name: after[name] for name in page.shows if after[name] == page.shows[name]}

    def _check_step(self, page: Page, before: Typed, after: Typed, waiting: Collection[Any] = ()) -> None:
        """Nothing was overwritten unseen, and nothing is lost of all that does not wait for a choice."""
        for name in page.shows:
            if before[name] != after[name]:
                assert before[name] == page.known[name], "overwritten unseen"
                self.writers[name] = page.seen.page
                page.known[name] = after[name]
        meant = {name for name in page.touched - page.kept - set(waiting) if page.shows[name] != page.known[name]}
        assert [name for name in meant if after[name] != page.shows[name]] == [], "lost"
        page.touched.clear()

    def _ask(self, page: Page, result: services.SaveResult, number: int) -> None:
        """Both texts are shown, and each is chosen; the next post is made by that page."""
        self.conflicts += 1
        draft = open_draft(self.application)
        assert [name for name in result.conflicts if self.writers.get(name) == page.seen.page] == [], "a false clash"
        assert not result.conflicts.keys() & result.skipped.keys()
        stored = page.sheet.read(draft)
        # What both have typed alike is what stands, and neither is asked about it.
        page.known |= {name: stored[name] for name in page.shows if stored[name] == page.shows[name]}
        for index, name in enumerate((*result.conflicts, *result.skipped)):
            page.known[name] = stored[name]
            if name in result.skipped or (number >> index) % 2:
                page.kept.add(name)
        page.version = page.sheet.version(draft)
        page.seen = services.PageVersion(draft.application.revision, new_token())
        page.asked = frozenset(result.conflicts)
        page.is_asked = True


ACTIONS = (*[Story.type] * 6, *[Story.post] * 6, Story.open)
STEPS = 40


def story(owner: Any, kind: str) -> Story:
    draft = factories.new_draft(owner)
    services.add_party(draft, "person", ["director"], {}, by=owner, token="first")
    services.add_party(draft, "person", ["shareholder"], {}, by=owner, token="second")
    services.add_share_class(draft, {}, by=owner, token="shares")
    made = Story(draft.application, SHEETS[kind], owner)
    for who in (0, 1):
        made.open(who, who)
    return made


@pytest.mark.parametrize("stories", [4, pytest.param(250, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", SHEETS)
def test_nothing_is_overwritten_unseen_nothing_is_lost_and_nobody_clashes_with_themselves(
    owner: Any, kind: str, stories: int
) -> None:
    conflicts = 0
    for number in range(stories):
        chance = random.Random(f"{kind} {number}")
        made = story(owner, kind)
        for _ in range(STEPS):
            chance.choice(ACTIONS)(made, chance.randrange(2), chance.randrange(10_000))
        conflicts += made.conflicts
    assert conflicts, "no two of them ever met"
