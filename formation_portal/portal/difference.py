"""What has to change on a page whose answers were saved, so that it shows what the rules say now."""

from collections.abc import Iterable
from dataclasses import dataclass

from formation_portal.contract.language import say_count

from .questions import Question
from .sheet import Region, Sheet


@dataclass(frozen=True, slots=True)
class Difference:
    """Regions that the page shows wrong, marks that have changed, and one sentence for those who hear it."""

    regions: tuple[Region, ...]
    marks: tuple[Question, ...]
    announcement: str
    # Other questions stand there than before, as after a change of roles: they are drawn anew.
    is_rebuilt: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether the page shows its questions right."""
        return not (self.regions or self.marks or self.is_rebuilt)


def difference(*, before: Sheet, after: Sheet, shown: Iterable[str]) -> Difference:
    """Compare what the page shows (`shown`, the posted markers) with what it has to show after saving."""
    if before.structure != after.structure:
        return _rebuilt(before, after)
    wrong = after.shown.symmetric_difference(shown)
    regions = tuple(region for region in after.regions if region.id in wrong)
    swapped = {question.name for region in regions for question in region.questions}
    earlier = {question.name: question.mark for question in before.questions}
    marks = tuple(
        question
        for question in after.questions
        if question.name not in swapped and question.mark != earlier.get(question.name) and not question.error
    )
    return Difference(regions, marks, _announcement(regions))


def _rebuilt(before: Sheet, after: Sheet) -> Difference:
    there, now = before.names_shown, after.names_shown
    return Difference((), (), announcement(added=len(now - there), removed=len(there - now)), is_rebuilt=True)


def _announcement(regions: tuple[Region, ...]) -> str:
    added = sum(len(region.questions) for region in regions if region.shown)
    removed = sum(len(region.questions) for region in regions if not region.shown)
    return announcement(added=added, removed=removed)


def announcement(*, added: int, removed: int) -> str:
    """One sentence for each of the two counts of questions; nothing for none."""
    said = []
    if added:
        said.append(say_count("{count} question added below.", "{count} questions added below.", added))
    if removed:
        said.append(
            say_count(
                "{count} question removed. We keep your answer until you submit.",
                "{count} questions removed. We keep your answers until you submit.",
                removed,
            )
        )
    return " ".join(said)
