"""What the page of one class of shares shows, a new one or one that is there."""

from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import ShareClassRow
from formation_portal.contract import record
from formation_portal.contract.language import say
from formation_portal.contract.needs import needs_of_share_class
from formation_portal.contract.schema import Section
from formation_portal.portal.read_back import share_class_choices

from . import moments
from .answers_page import AnswersPage, accepted_words
from .arrivals import arrivals
from .came_back import came_back
from .closed import reason
from .likely import likely
from .lists import NeedRow, need_rows
from .sheet import Sheet


@dataclass(frozen=True, kw_only=True)
class ShareClassPage(AnswersPage):
    """One class, ready to draw. `token` names a new one too, so that posting twice makes one class."""

    share_class: ShareClassRow | None
    token: str

    template = "portal/share_class.html"
    closed_template = "portal/_share_class_closed.html"

    @property
    def title(self) -> str:
        return self.share_class.label if self.share_class else say("New share class")

    @property
    def is_named(self) -> bool:
        return bool(self.share_class and self.share_class.record.label)

    @property
    def url(self) -> str:
        return self._url("share_class", self.token) if self.share_class else self._url("share_class_new")

    @property
    def shares_url(self) -> str:
        return self._url("shares")

    @property
    def holder(self) -> str:
        return self.token

    @property
    def closed(self) -> str:
        """Why nothing can be changed, also where the shares were accepted."""
        is_locked = self.came_back is not None and self.came_back.locks.has_shares(self.draft)
        return reason(self.draft.application) or accepted_words(is_locked)

    @property
    def version(self) -> int:
        return self.share_class.version if self.share_class else 0

    @property
    def saved_at(self) -> str:
        return moments.moment(self.share_class.model.updated_at) if self.share_class else ""

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """What the class still needs, a new one too."""
        share_class = self.share_class.record if self.share_class else record.ShareClass(self.token)
        ours = needs_of_share_class(self.draft.form_state, share_class)
        return need_rows(ours, self.sheet, about=share_class.label or say("Unnamed share class"))


def share_class_page(draft: Draft, section: Section, *, token: str) -> ShareClassPage:
    """The page of the class with the token as the draft stands; where there is none, that of a new one."""
    share_class = draft.share_class(token)
    changed_at = share_class.model.updated_at if share_class else None
    arrival = arrivals(draft.application).of_share_class(token, changed_at=changed_at)
    holder = share_class.record if share_class else record.ShareClass(token)
    returned = came_back(draft)
    sheet = Sheet(
        schema=draft.schema,
        asked=draft.form_state.questions(section, holder),
        raw=share_class.raw if share_class else {},
        answers=holder.answers,
        refused=arrival.refused,
        overlong=draft.overlong,
        share_classes=share_class_choices(draft),
        holder=holder,
        record=draft.record,
        likely=likely(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        notes=returned.at_answers(token),
    )
    return ShareClassPage(
        draft=draft,
        sheet=sheet,
        arrival=arrival,
        share_class=share_class,
        token=token,
        came_back=returned,
    )
