"""How a page with questions is rendered and saved: what sections, parties and share classes have in common."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import ngettext

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.ui.forms.form import AnswerRow, QuestionForm
from formation_portal.ui.forms.form_data import RESTORE, posted_answers, posted_version
from formation_portal.ui.forms.question import QueryNote

from ..delivery_status import wait_for_delivery
from ..lookups import party_not_found
from ..navigation import return_url
from ..review_feedback import USE, has_replies, save_replies
from . import conflicts
from .changes import Consequence, page_update
from .conflicts import accepted_words, unsaved_replies, unsaved_rows
from .pages import QuestionPage
from .uploads import has_file_action, posted_removal_url, pressed_slot_anchor, report_refused, save_files

Slots = tuple[tuple[str, bool, tuple[str, ...]], ...]


class FormPage(Protocol):
    """A page of an application that saves what is typed on it."""

    @property
    def draft(self) -> Draft: ...

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> int: ...


def render_page(
    request: HttpRequest, page: QuestionPage, *, status: int = 200, unsaved: Sequence[AnswerRow] = ()
) -> HttpResponse:
    """The page, or its answers read back where they can't be changed, with what was typed and could not be saved."""
    template = page.read_only_template if page.read_only_reason else page.template
    return render(request, template, {"page": page, "problems": page.problems, "unsaved": unsaved}, status=status)


def save_page(
    request: UserRequest,
    before: QuestionPage,
    *,
    page: Callable[[], QuestionPage],
    keep: Callable[[], services.KeptTheirs],
    clashes: Callable[[services.Stale], tuple[conflicts.FieldConflict, ...]],
    onwards: Callable[[], str],
    said: Callable[[], None] = lambda: None,
) -> HttpResponse:
    """Answer a post of questions: keep what was typed and every file, then go on, away, or stay, as the button says.

    `before` is the page as it stood; `page` gives it as the draft stands at the call, `keep` saves the answers and
    gives the names of those that stay as others have saved them, `clashes` tells what both have written, `onwards` is
    the address that follows, and `said` tells of a save that went well.
    """
    offered = _slots_of(before) if request.htmx else ()
    was = before.draft.form_state
    try:
        is_replied = False
        if not before.is_alone and has_replies(request.POST):
            is_replied = bool(save_replies(before.draft, request.POST, by=before.author(request.user)))
        left = conflicts.kept_theirs_words(conflicts.kept_theirs_labels(before.form, keep()))
    except services.Gone as gone:
        raise party_not_found(before.draft, before.party.token if before.party else "") from gone
    except services.Stale as stale:
        # The files go their own way: a slot has no version, and the next form can't carry them.
        report_refused(request, _save_files(request, page))
        return render_conflict(request, page(), clashes(stale))
    except services.Closed:
        report_refused(request, _save_files(request, page))
        unsaved = (
            *unsaved_rows(before.form, posted_answers(before.form, request.POST)),
            *unsaved_replies(request.POST),
        )
        return render_page(request, page(), status=409, unsaved=unsaved)
    found = before.consequence(was)
    left = " ".join(filter(None, (left, accepted_words(before.draft.locked_labels))))
    if request.htmx:
        now = page()
        notes = _noted(now) if is_replied else ()
        # Other problems wait for a save: this one says that there is none.
        left = " ".join(filter(None, (left, *(f"{one.message}." for one in before.draft.overlong.values()))))
        return _answer_change(request, now, before=before.form, offered=offered, found=found, left=left, notes=notes)
    if left:
        messages.info(request, left)
    if found and found.text:
        # The tag is where it can be undone (ui/messages.html).
        messages.warning(request, found.text, extra_tags=found.undo_url)
    refused = _save_files(request, page)
    wait_for_delivery(before.draft.application)
    now = replace(page(), refused=refused)
    if question := posted_removal_url(request, now):
        report_refused(request, refused)
        return redirect(question)
    if (refused or now.form.has_new_problems(before.form)) and not chosen_in(request):
        return render_page(request, now, status=422)
    opened = now.form.opened_since(before.form, request.POST.getlist("shown"))
    # Not where a choice was taken back, which leads to its page anyway.
    goes_on = request.path == before.url and "later" not in request.POST and not same_page_url(request, now)
    if opened and goes_on:
        count = ngettext(
            "Saved. Your answers lead to %(count)d more question on this page.",
            "Saved. Your answers lead to %(count)d more questions on this page.",
            len(opened),
        )
        messages.info(request, count % {"count": len(opened)})
        return redirect(_address(request, now, f"#{opened[0].id}"))
    said()
    way = same_page_url(request, now) or onwards() if now.is_alone else url_after_save(request, now, onwards=onwards())
    return redirect(way)


def posted_proposal(request: UserRequest, page: QuestionPage) -> dict[str, Any]:
    """The answer that our reviewer proposes and whose button was pressed; a change presses none."""
    if request.htmx:
        return {}
    return page.feedback.proposed(page.holder, request.POST.get(USE, "")) if page.feedback else {}


def _noted(page: QuestionPage) -> tuple[QueryNote, ...]:
    """Every note that the page shows."""
    asked = (slot.asked for slot in page.slots)
    return (*page.notes, *page.form.notes.values(), *(note for note in asked if note))


def _save_files(request: UserRequest, page: Callable[[], QuestionPage]) -> dict[str, str]:
    """Take the files, if there are any; why some were not taken, by the key of the slot."""
    return save_files(request, page()) if has_file_action(request) else {}


def url_after_save(request: HttpRequest, page: FormPage, *, onwards: str) -> str:
    """Where the pressed button leads after a save: away, the same page once more, back to the check, or onwards."""
    reference = page.draft.application.reference
    if "later" in request.POST:
        return reverse("portal:overview", args=[reference])
    if same := same_page_url(request, page):
        return same
    back = return_url(request, reference)
    return back.url if back else onwards


def same_page_url(request: HttpRequest, page: FormPage) -> str:
    """The address of the page once more, where the pressed button stays there; else nothing."""
    place = pressed_slot_anchor(request)
    if pressed := request.POST.get(USE):
        place = f"#note-{pressed}"
    if {"update", RESTORE}.isdisjoint(request.POST) and not chosen_in(request) and not place:
        return ""
    return _address(request, page, place)


def _address(request: HttpRequest, page: FormPage, place: str) -> str:
    """Of a place on the page. Not where the post went: what was new has an address of its own by now."""
    query = request.GET.urlencode()
    return f"{page.url}?{query}{place}" if query else f"{page.url}{place}"


def _slots_of(page: QuestionPage) -> Slots:
    """Which documents the page asks for and what it advises at them, as far as an answer or a role can change it."""
    return tuple((slot.key, slot.optional, slot.advice) for slot in page.slots)


def _answer_change(
    request: HttpRequest,
    page: QuestionPage,
    *,
    before: QuestionForm,
    offered: Slots,
    found: Consequence | None,
    left: str,
    notes: tuple[QueryNote, ...],
) -> HttpResponse:
    """After a change was saved: only what the page shows wrong, out of band; never a control that may be in use.

    204 where it shows nothing wrong, not even its version. While it shows something that others have changed since, it
    goes on as the page that it was drawn as.
    """
    changed = page_update(before=before, after=page.form, shown=request.POST.getlist("shown"))
    has_other_slots = _slots_of(page) != offered
    is_right = changed.is_nothing and not has_other_slots and not notes and not left
    if is_right and posted_version(request.POST) == page.version:
        return HttpResponse(status=204)
    context = {
        "page": page,
        "changed": changed,
        "has_other_slots": has_other_slots,
        "consequence": found,
        "place": page.form.control_id_of(found.name) if found else "",
        "left_words": left,
        "notes": notes,
    }
    return render(request, "portal/sections/_update.html", context)


def render_conflict(request: UserRequest, page: FormPage, clashes: tuple[conflicts.FieldConflict, ...]) -> HttpResponse:
    """409: what stands there now beside what was typed, and a form that sends it once more.

    A change that script posts in the background is only told of; the page with what was typed stays.
    """
    if getattr(request, "htmx", False):
        return render(request, "portal/sections/_stale.html")
    found = conflicts.conflict_page(
        page.draft,
        clashes,
        request.POST,
        title=page.title,
        url=request.get_full_path(),
        version=page.version,
        reader=request.user,
    )
    return render(request, "portal/sections/conflict.html", {"page": found}, status=409)
