"""What whoever was invited sees of an application: the questions and the documents of their own part, nothing else.

A rule may hang on what others have answered. Then the page says that something is asked, and not why.
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
from formation_portal.contract.record import Party
from formation_portal.contract.rules import Question, find_field
from formation_portal.contract.schema import Section
from formation_portal.invitations.models import Invitation
from formation_portal.relay.delivery_status import deliveries_for_customer
from formation_portal.ui import roles
from formation_portal.ui.formats import day
from formation_portal.ui.forms.controls import Suggestions

from ..feedback import DeliverySummary, ReviewFeedback, answers_delivery, refused_answers
from ..pages import Link, need_rows
from ..parties.guest_parts import guest_needs
from ..parties.pages import PartyForm, PartyPage, questions_by_entry
from ..sections.changes import InactiveWarnings
from ..slots import FileRow, SlotRow


@dataclass(frozen=True, slots=True)
class OwnPart:
    """One party of an application, for whoever was invited to fill it in."""

    invitation: Invitation
    draft: Draft
    party: PartyRow

    @property
    def documents(self) -> tuple[Document, ...]:
        """Its documents, and no others."""
        return tuple(self.draft.documents_of(self.party).values())

    def document(self, number: int) -> Document:
        """One of them; 404 for any other of the application."""
        found = next((one for one in self.documents if one.pk == number), None)
        if found is None:
            raise Http404
        return found

    def change(self, number: int) -> Change:
        """A choice that was made here and can be taken back; 404 for whatever else the history holds."""
        found = self.draft.application.changes.filter(pk=number, holder=self.party.token, who=None).first()
        if found is None or not restorable_choices(self.draft, found):
            raise Http404
        return found


class GuestForm(PartyForm):
    """Questions to one party that say why they are asked only where its own answers decide."""

    def why(self, asked: Question) -> str:
        holder, rule = self.holder, asked.spec.depends_on
        assert isinstance(holder, Party)
        place = find_field(self.schema, rule, asked.section, holder.kind, holder) if rule else None
        is_own = place is not None and place.group == holder.kind and place.section.counts(holder.kind, holder.roles)
        return super().why(asked) if is_own else ""


@dataclass(frozen=True, kw_only=True)
class PartPage(PartyPage):
    """One party's part, ready to draw for whoever was invited."""

    part: OwnPart
    # Whether the guest has just tried to finish, so that the page begins with what is missing.
    is_finishing: bool = False

    template = "portal/sharing/part.html"
    read_only_template = "portal/sharing/part_read_only.html"
    is_alone = True

    @property
    def url(self) -> str:
        return self._own("part")

    @property
    def done_url(self) -> str:
        return self._own("part_completion")

    @property
    def leave_url(self) -> str:
        return self._own("part_leave")

    @property
    def until(self) -> str:
        """The last day of the link."""
        return day(self.part.invitation.expires_at)

    @property
    def role_words(self) -> str:
        return roles.role_words(self.party.roles)

    @property
    def inviter(self) -> str:
        """Who asked for it: the application's owner, who alone invites. Nothing where they gave no name."""
        return str(self.draft.application.owner.get_full_name())

    def undo_url(self, change: Change) -> str:
        return self._own("part_choice_restoration", change.pk)

    def removal_of(self, document: Document) -> str:
        return self._own("part_document_removal", document.pk)

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        return need_rows(self._guest_needs, self.form, about=self._named)

    @cached_property
    def _guest_needs(self) -> tuple[Need, ...]:
        refused = DeliverySummary(self.draft, self.deliveries).refused
        return guest_needs(self.draft, self.party, refused=refused)

    @property
    def missing_words(self) -> str:
        """Say how much the guest has to complete and to correct before they can finish."""
        missing = [need for need in self._guest_needs if not need.is_correction]
        documents = sum(need.slot is not None for need in missing)
        answers = len(missing) - documents
        corrections = len(self._guest_needs) - len(missing)
        sentences = []
        if answers and documents:
            sentences.append(
                gettext("{answers} and {documents} are missing. Complete them to finish.").format(
                    answers=ngettext("{count} answer", "{count} answers", answers),
                    documents=ngettext("{count} document", "{count} documents", documents),
                )
            )
        elif answers:
            sentences.append(
                ngettext(
                    "{count} answer is missing. Complete it to finish.",
                    "{count} answers are missing. Complete them to finish.",
                    answers,
                )
            )
        elif documents:
            sentences.append(
                ngettext(
                    "{count} document is missing. Upload it to finish.",
                    "{count} documents are missing. Upload them to finish.",
                    documents,
                )
            )
        if corrections:
            sentences.append(
                ngettext("Correct {count} item to finish.", "Correct {count} items to finish.", corrections)
            )
        return " ".join(sentences)

    @cached_property
    def slots(self) -> tuple[SlotRow, ...]:
        """Each with the file of the moment, to be had at an address of the part; what was there before is not shown."""
        return tuple(replace(row, file=self._file(row), earlier=(), offers=tuple) for row in super().slots)

    def _file(self, row: SlotRow) -> FileRow | None:
        document = self.draft.documents_of(self.party).get(row.name)
        if row.file is None or document is None:
            return None
        return replace(row.file, url=self._own("part_document", document.pk), picture_url="", file_url="")

    def _note(self, section: Section) -> str:
        is_asked = self.draft.form_state.section_activation(section).active
        return "" if is_asked else gettext("Not needed at the moment.")

    def _own(self, view: str, *more: object) -> str:
        return reverse(f"portal:{view}", args=[self.part.invitation.reference, *more])


def part_page(part: OwnPart) -> PartPage:
    """The page as the draft stands. Classes of shares are not theirs to see, and so not theirs to choose."""
    draft, party = part.draft, part.draft.party(part.party.token) or part.party
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_party(party.token)
    delivery = answers_delivery(deliveries, status, party=party.token, changed_at=party.model.updated_at)
    asked = draft.form_state.party_questions(party.record)
    # What our reviewer asks is for whoever forms the company; what they have accepted is so for everybody.
    feedback = ReviewFeedback(draft, locks=locks_of(draft))
    form = GuestForm(
        schema=draft.schema,
        asked=questions_by_entry(one for one in asked if not one.spec.refers_to_share_class),
        raw=party.raw,
        answers=party.record.answers,
        impossible=draft.form_state.impossible_answers(party.record),
        advice=draft.form_state.advised_answers(party.record),
        refused=refused_answers(delivery),
        is_own=party.kind == "person",
        holder=party.record,
        warnings=InactiveWarnings(draft, [question.spec for question in asked], party.record, only_of=party.token),
        record=draft.record,
        # Where others come from is not theirs to know.
        suggestions=Suggestions(draft, only=party.record),
        locked=feedback.locks.answers_of(party.token),
    )
    return PartPage(
        draft=draft,
        party=party,
        form=form,
        delivery=delivery,
        deliveries=deliveries,
        part=part,
        feedback=feedback,
    )
