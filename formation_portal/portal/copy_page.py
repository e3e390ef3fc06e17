"""What the question whether to copy an application says: what is copied, in numbers, and what is not."""

from collections.abc import Iterable
from dataclasses import dataclass

from formation_portal.applications.content import content_of
from formation_portal.applications.drafts import Draft


@dataclass(frozen=True, slots=True)
class CopyPage:
    """The question."""

    draft: Draft
    copied: tuple[str, ...]


def copy_page(draft: Draft) -> CopyPage:
    """The question about a draft, whatever its state."""
    return CopyPage(draft, tuple(_copied(draft)))


def _copied(draft: Draft) -> Iterable[str]:
    content = content_of(draft)
    yield _count(len(content.entity), "answer about the entity", "answers about the entity")
    if content.parties:
        yield f"{_count(len(content.parties), 'person or company', 'people and companies')}, with their roles"
    if content.share_classes:
        held = ", and who holds them" if content.holdings else ""
        yield f"{_count(len(content.share_classes), 'class of shares', 'classes of shares')}{held}"
    if content.documents:
        yield f"{_count(len(content.documents), 'document', 'documents')}, as files of their own"


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
