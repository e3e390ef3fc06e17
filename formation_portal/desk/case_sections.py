"""The answers of a case by section, with the state of each section's check and what changed in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from formation_portal.applications.readback import AnswerLine, SectionReadback, ShareClassReadback, ShareTable
from formation_portal.reviews.checklist import Fact
from formation_portal.reviews.targets import Target, TargetKind

from .case_reading import Reading, Standing
from .counts import if_any, together
from .differences import Difference
from .remark_panels import Panel


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, as desk/_review_row.html draws it; with a difference the old one stands beside it."""

    term: str
    value: str
    is_name: bool
    note: str
    mark: str
    difference: Difference | None
    panel: Panel


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """Answers under one heading in the margin. `hidden` is how many are as they were, and left out; `more` is what was
    said about answers that are no longer there."""

    id: str
    title: str
    is_name: bool
    note: str
    rows: tuple[AnswerRow, ...]
    hidden: int = 0
    standing: Standing | None = None
    panel: Panel | None = None
    more: tuple[Panel, ...] = ()


@dataclass(frozen=True, slots=True)
class ShareEntry:
    """The share section: its classes, who holds how many, and what changed of that."""

    classes: tuple[CaseEntry, ...]
    table: ShareTable | None
    changes: tuple[Difference, ...]
    standing: Standing | None
    panel: Panel
    more: tuple[Panel, ...]


def sections_of(reading: Reading) -> tuple[CaseEntry, ...]:
    """Every section about the entity; where only what changed is asked for, those with something of it."""
    return tuple(entry for entry in (_section(reading, one) for one in reading.told.sections) if entry is not None)


def _section(reading: Reading, told: SectionReadback) -> CaseEntry | None:
    key = told.section.key
    place = Target(TargetKind.SECTION, key)
    fact = reading.facts.at(place)
    rows = (*_rows(reading, key, "", told.lines), *_no_longer_asked(reading, told))
    changed, panel = sum(row.difference is not None for row in rows), reading.panel(place)
    more = reading.leftovers(key)
    if _is_to_be_read(reading, fact):
        shown = rows
    else:
        shown = tuple(row for row in rows if row.difference or row.panel.standing)
        if not shown and not panel.standing and not more:
            return None
    return CaseEntry(
        id=f"section-{key}",
        title=told.section.title,
        is_name=False,
        note=f"{changed} changed" if changed else "",
        rows=shown,
        hidden=len(rows) - len(shown),
        standing=reading.standing(fact, questions=reading.open_at(key)) if fact else None,
        panel=panel,
        more=more,
    )


def _is_to_be_read(reading: Reading, fact: Fact | None) -> bool:
    """Whether all of it is shown: nobody should accept what nobody has read."""
    return not reading.only_changed or fact is None or fact.check is None or not fact.check.digest


def _rows(reading: Reading, holder: str, changes_of: str, lines: Iterable[AnswerLine]) -> Iterator[AnswerRow]:
    for line in lines:
        place = Target.of_field(holder, line.spec.name)
        changed = reading.differences.at(changes_of, line.spec.name)
        yield _row(line, changed, reading.panel(place))


def _row(line: AnswerLine, changed: Difference | None, panel: Panel) -> AnswerRow:
    note = "Provided by the registered agent" if line.is_given else "Unreadable" if line.is_unreadable else ""
    mark = "stop" if line.is_unreadable else "changed" if changed else "heed" if panel.standing else ""
    return AnswerRow(line.spec.label, line.value, line.is_name, note, mark, changed, panel)


def _no_longer_asked(reading: Reading, told: SectionReadback) -> Iterator[AnswerRow]:
    """What was answered before and is not asked any more, since another answer has changed."""
    shown = {line.spec.name for line in told.lines}
    for spec in told.section.fields:
        changed = reading.differences.at("", spec.name)
        if changed is not None and spec.name not in shown:
            panel = reading.panel(Target.of_field(told.section.key, spec.name))
            yield AnswerRow(changed.label, changed.after, False, "No longer asked", "changed", changed, panel)


def shares_of(reading: Reading) -> ShareEntry | None:
    """Classes and holdings, as far as they are asked for; where only what changed is asked for, if they did."""
    section = reading.draft.schema.share_section
    if section is None or not reading.draft.holds_shares:
        return None
    place = Target(TargetKind.SECTION, section.key)
    classes = tuple(_share_class(reading, one) for one in reading.told.share_classes)
    fact, changes = reading.facts.at(place), reading.differences.of(section.key)
    tokens = [one.token for one in reading.draft.share_classes]
    more = tuple(panel for holder in (section.key, *tokens) for panel in reading.leftovers(holder))
    panel = reading.panel(place)
    has_news = changes or more or panel.standing or any(_has_news(reading, one) for one in classes)
    if not (has_news or _is_to_be_read(reading, fact)):
        return None
    asked = (*reading.open_at(section.key), *(one for token in tokens for one in reading.open_at(token)))
    standing = reading.standing(fact, questions=asked) if fact else None
    return ShareEntry(classes, reading.told.shares, changes, standing, panel, more)


def _share_class(reading: Reading, told: ShareClassReadback) -> CaseEntry:
    row = told.share_class
    rows = tuple(_rows(reading, row.token, row.token, told.lines))
    changed = sum(one.difference is not None for one in rows)
    is_new = row.token in reading.differences.added
    note = together("New", if_any(changed, "change")) if is_new else if_any(changed, "change")
    return CaseEntry(f"class-{row.token}", row.label, True, note, rows)


def _has_news(reading: Reading, entry: CaseEntry) -> bool:
    is_new = entry.id.removeprefix("class-") in reading.differences.added
    return is_new or any(row.difference or row.panel.standing for row in entry.rows)
