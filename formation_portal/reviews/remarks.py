"""Asking a customer to mend something: drafted, changed and dropped here; sent with a return (rulings.py)."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.contract.validation import validate

from .models import LABEL_LIMIT, TEXT_LIMIT, Reason, Remark
from .naming import label_of, spec_at
from .places import Place
from .refusals import Refused
from .reviewing import Work, reviewing
from .since import Sight


def ask(
    draft: Draft,
    place: Place,
    *,
    text: str,
    reason: str = Reason.OTHER,
    proposal: Any = None,
    by: AbstractBaseUser,
    sight: Sight,
) -> Remark:
    """Draft a remark at a place, or change the one that is drafted there. What was sent there stays open until this
    one is sent.

    `proposal` is an answer as it would be typed. Raises Overtaken where somebody else has asked there, or ended a
    question, since the page was drawn; Refused; Closed.
    """
    words = " ".join(text.split("\x00")).strip()
    label = label_of(draft, place)
    _look(draft, place, label=label, text=words, reason=reason, proposal=proposal)
    with reviewing(draft, by=by, sight=sight) as work:
        kept = {"label": (label or "")[:LABEL_LIMIT], "reason": reason, "text": words, "proposal": proposal}
        remark = drafted_at(draft, place) or Remark(application=draft.application, **place.columns)
        if _touched_by_others(work, place):
            raise work.overtaken()
        work.write(remark, "ask", **kept)
        return remark


def drop(draft: Draft, remark_id: int, *, by: AbstractBaseUser, sight: Sight) -> bool:
    """Drop a drafted remark; False where there is none. Raises Overtaken where somebody else has changed it since the
    page was drawn; Closed."""
    with reviewing(draft, by=by, sight=sight) as work:
        remark = _open(draft).filter(pk=remark_id, sent_at=None).first()
        if remark is None:
            return False
        if work.is_news(remark):
            raise work.overtaken()
        work.write(remark, "drop", dropped_at=timezone.now())
        return True


def settle(draft: Draft, remark_id: int, *, by: AbstractBaseUser, sight: Sight) -> bool:
    """Say that a remark that was sent is answered; False where there is none. Raises Overtaken and Closed."""
    with reviewing(draft, by=by, sight=sight) as work:
        remark = _open(draft).filter(pk=remark_id).exclude(sent_at=None).first()
        if remark is None:
            return False
        if work.is_news(remark):
            raise work.overtaken()
        settle_in(work, remark)
        return True


def settle_in(work: Work, remark: Remark) -> None:
    """The same within a transaction that does more."""
    work.write(remark, "settle", settled_at=timezone.now())


def send_in(work: Work) -> list[Remark]:
    """Send everything that is drafted, within the transaction that returns the application. What was sent about the
    same places before is settled by it."""
    asked = list(_open(work.draft))
    drafted = [remark for remark in asked if remark.is_draft]
    again = {remark.place for remark in drafted}
    for remark in asked:
        if remark.is_draft:
            work.write(remark, "send", sent_at=timezone.now(), round=work.draft.application.submissions)
        elif remark.place in again:
            settle_in(work, remark)
    return drafted


def _look(draft: Draft, place: Place, *, label: str | None, text: str, reason: str, proposal: Any) -> None:
    if label is None:
        raise Refused("This is no longer part of the application.")
    if not text:
        raise Refused("Enter what needs to change.", field="text")
    if len(text) > TEXT_LIMIT:
        raise Refused(f"Use {TEXT_LIMIT:,} characters or fewer.", field="text")
    if reason not in Reason.values:
        raise Refused("Select a reason.", field="reason")
    if proposal is not None:
        _look_at_proposal(draft, place, proposal)


def _look_at_proposal(draft: Draft, place: Place, proposal: Any) -> None:
    spec = spec_at(draft, place)
    if spec is None or spec.provided_by_agent or spec.refers_to_share_class:
        raise Refused("You cannot propose an answer here.", field="proposal")
    answers = validate((spec,), {spec.name: proposal}, today=draft.today)
    if problem := answers.problems.get(spec.name):
        raise Refused(problem.message, field="proposal")
    if spec.name not in answers.values:
        raise Refused("Enter the answer you propose, or remove it.", field="proposal")


def _open(draft: Draft) -> Any:
    return Remark.objects.filter(application=draft.application, dropped_at=None, settled_at=None)


def _touched_by_others(work: Work, place: Place) -> bool:
    newer = Remark.objects.filter(application=work.draft.application, version__gt=work.sight.version, **place.columns)
    return newer.exclude(by=work.by.pk).exists()


def drafted_at(draft: Draft, place: Place) -> Remark | None:
    """The remark that is drafted at a place: one query."""
    found: Remark | None = _open(draft).filter(sent_at=None, **place.columns).first()
    return found
