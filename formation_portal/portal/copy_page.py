"""What the question whether to copy an application says: what is copied, in numbers, and what is not."""

from collections.abc import Iterable
from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.applications.transfer import content_of
from formation_portal.contract.language import say, say_count


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
    yield say_count(
        "{count} answer about the company or foundation",
        "{count} answers about the company or foundation",
        len(content.entity),
    )
    if content.parties:
        yield say_count(
            "{count} person or company, with their roles",
            "{count} people and companies, with their roles",
            len(content.parties),
        )
    if content.share_classes:
        classes = say_count("{count} share class", "{count} share classes", len(content.share_classes))
        yield say("{classes} and shareholdings", classes=classes) if content.holdings else classes
    if content.documents:
        yield say_count(
            "{count} document",
            "{count} documents",
            len(content.documents),
        )
