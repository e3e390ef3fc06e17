"""Whether to delete a draft: everything that goes with it, and what its formation service makes of that."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.reading import is_blank
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.resources import ResourceKind


@dataclass(frozen=True, slots=True)
class DraftRemovalPage:
    """The question. `goes` says how much there is of what, `stays` what is beyond our reach; either may be empty."""

    draft: Draft
    goes: tuple[str, ...]
    stays: str

    @property
    def reference(self) -> str:
        return self.draft.application.reference


def draft_removal_page(draft: Draft) -> DraftRemovalPage:
    """The page as the draft stands: two queries, for what the service has."""
    stays = deliveries_of(draft.application).cannot_be_removed(ResourceKind.ENTITY, "")
    return DraftRemovalPage(draft, tuple(_goes(draft)), _stays() if stays else "")


def _stays() -> str:
    return gettext(
        "The formation service may already have some of this and can’t delete it automatically. Our "
        "team will ask for it to be removed."
    )


def _goes(draft: Draft) -> Iterator[str]:
    people = (*draft.parties, *draft.removed_parties)
    holders = (draft.entity_raw, *(row.raw for row in people), *(row.raw for row in draft.share_classes))
    answers = sum(not is_blank(value) for raw in holders for value in raw.values())
    # Those of removed parties too: they could still be restored.
    documents = draft.application.documents.count()
    if answers:
        yield ngettext("%(count)d answer", "%(count)d answers", answers) % {"count": answers}
    if people:
        count = len(people)
        yield ngettext("%(count)d person or company", "%(count)d people and companies", count) % {"count": count}
    if draft.share_classes:
        count = len(draft.share_classes)
        yield ngettext("%(count)d share class", "%(count)d share classes", count) % {"count": count}
    if documents:
        yield ngettext("%(count)d document, with its file", "%(count)d documents, with their files", documents) % {
            "count": documents
        }
