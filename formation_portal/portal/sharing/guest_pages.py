"""Build the page of a guest's part: only the questions and documents of one party of the application.

If a question depends on other people's answers, the page does not say why it is asked.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.locks import locks_of
from formation_portal.applications.models import Change, Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import restorable_choices
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.schema import Section
from formation_portal.invitations.models import Invitation
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui.formats import counted

from ..feedback import DeliverySummary, ReviewFeedback, answers_delivery, refused_answers
from ..parties.pages import PartyPage, party_form
from ..parties.progress import guest_needs
from ..slots import SlotRow


@dataclass(frozen=True, slots=True)
class OwnPart:
    """The party of an application that a guest was invited to fill in."""

    invitation: Invitation
    draft: Draft
    party: PartyRow

    def document(self, number: int) -> Document:
        """Return a document of the party, or raise 404: other documents are hidden."""
        document = self.draft.document(number)
        if document is None or document not in self.draft.documents_of(self.party).values():
            raise Http404
        return document

    def change(self, number: int) -> Change:
        """Return a change of a choice that the guest can undo, or raise 404."""
        change = self.draft.application.changes.filter(pk=number, holder=self.party.token, who=None).first()
        if change is None or not restorable_choices(self.draft, change):
            raise Http404
        return change


@dataclass(frozen=True, kw_only=True)
class PartPage(PartyPage):
    part: OwnPart
    # Set after the guest has tried to finish: the page begins with the missing items.
    is_finishing: bool = False

    template = "portal/sharing/part.html"
    read_only_template = "portal/sharing/part_read_only.html"
    is_guests = True

    @property
    def url(self) -> str:
        return self._part_url("part")

    def undo_url(self, change: Change) -> str:
        return self._part_url("part_choice_restoration", change.pk)

    def removal_of(self, document: Document) -> str:
        return self._part_url("part_document_removal", document.pk)

    @cached_property
    def unmet(self) -> tuple[Need, ...]:
        refused = DeliverySummary(self.draft, self.deliveries).refused
        return guest_needs(self.draft, self.party, refused=refused)

    @property
    def missing_words(self) -> str:
        missing = [need for need in self.unmet if not need.is_correction]
        document_count = sum(need.slot is not None for need in missing)
        answer_count = len(missing) - document_count
        sentence = counted(
            answer_count,
            "{count} answer is missing. Complete it to finish.",
            "{count} answers are missing. Complete them to finish.",
        ) or counted(
            document_count,
            "{count} document is missing. Upload it to finish.",
            "{count} documents are missing. Upload them to finish.",
        )
        if answer_count and document_count:
            sentence = gettext("{answers} and {documents} are missing. Complete them to finish.").format(
                answers=ngettext("{count} answer", "{count} answers", answer_count),
                documents=ngettext("{count} document", "{count} documents", document_count),
            )
        correction_count = len(self.unmet) - len(missing)
        correction = counted(correction_count, "Correct {count} item to finish.", "Correct {count} items to finish.")
        return f"{sentence} {correction}".strip()

    @cached_property
    def slots(self) -> tuple[SlotRow, ...]:
        """Return the slots, whose current files have URLs that guests may open. Earlier files are not shown."""
        documents = self.draft.documents_of(self.party)
        rows: list[SlotRow] = []
        for row in super().slots:
            if row.file:
                url = self._part_url("part_document", documents[row.spec.name].pk)
                row = replace(row, file=row.file | {"url": url, "picture_url": "", "file_url": ""})
            rows.append(replace(row, earlier=[]))
        return tuple(rows)

    def _note(self, section: Section) -> str:
        is_asked = self.draft.form_state.section_activation(section).active
        return "" if is_asked else gettext("Not needed at the moment.")

    def _part_url(self, view: str, *more: object) -> str:
        return reverse(f"portal:{view}", args=[self.part.invitation.reference, *more])


def part_page(part: OwnPart) -> PartPage:
    draft = part.draft
    party = draft.party(part.party.token) or part.party
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_party(party.token)
    delivery = answers_delivery(deliveries, status, party=party.token, changed_at=party.model.updated_at)
    # Our reviewer's queries are for the customer; answers that the reviewer has accepted are locked for guests too.
    feedback = ReviewFeedback(draft, locks=locks_of(draft))
    refused = refused_answers(delivery)
    form = party_form(draft, party, is_own=party.is_person, refused=refused, feedback=feedback, is_guests=True)
    return PartPage(
        draft=draft,
        party=party,
        form=form,
        delivery=delivery,
        deliveries=deliveries,
        part=part,
        feedback=feedback,
    )
