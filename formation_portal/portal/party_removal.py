"""What goes with a party when it is removed."""

from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.rows import PartyRow

from .roles import role_words
from .words import number_of_shares


@dataclass(frozen=True, slots=True)
class RemovalPage:
    """The question whether to remove something, with what hangs on it."""

    company: str
    name: str
    facts: str
    consequences: tuple[str, ...]
    back_url: str
    back_label: str
    is_open: bool


def party_removal_page(draft: Draft, party: PartyRow) -> RemovalPage:
    """The party's roles, holdings and documents, each as a sentence."""
    gone = draft.references_to_party(party.token)
    classes = {row.model.pk: row.label for row in draft.share_classes}
    held = [
        f"Holds {number_of_shares(one)} “{classes[one.share_class_id]}” shares, which are then held by no one."
        for one in gone.holdings
    ]
    documents = [f"“{one.name}” ({one.slot}) is removed too." for one in gone.documents]
    return RemovalPage(
        company=draft.title,
        name=party.label,
        facts=role_words(party.roles),
        consequences=(*held, *documents),
        back_url=reverse("portal:people", args=[draft.application.reference]),
        back_label="People",
        is_open=draft.application.is_open,
    )
