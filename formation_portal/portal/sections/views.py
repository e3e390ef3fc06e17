"""The page of one section, and how every page with questions is rendered and saved: answers, files and replies."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.contract.localisation import ngettext
from formation_portal.relay.wake import wait_for
from formation_portal.reviews.customer_queries import store_replies
from formation_portal.ui.forms.controls import slot_id, slot_name, slot_name_of_control
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.form_data import (
    KEEP,
    RESTORE,
    THEIRS,
    UNSAVED,
    is_as_drawn,
    posted_answers,
    posted_page_version,
    posted_version,
    shown_regions,
)
from formation_portal.ui.forms.question import AnswerRow, QueryNote

from ..feedback import USE, posted_replies
from ..lookups import get_draft_or_404, get_section_or_404, party_not_found
from ..pages import Link, next_step, return_url
from ..slots import SlotRow, posted_reuse, report_uploaded, reusable_file
from .changes import (
    Consequence,
    FieldConflict,
    accepted_words,
    conflict_words,
    field_conflicts,
    hidden_controls,
    kept_theirs_words,
    need_changes,
    page_update,
    unsaved_replies,
    unsaved_rows,
)
from .pages import QuestionPage, section_page

# The parameter of an address whose page reads nothing back, since somebody works on it.
_OPEN = "open"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def section(request: UserRequest, reference: str, key: str) -> HttpResponse:
    """GET draws the questions. POST saves what is filled in and chosen; an unreadable answer stands as typed."""
    draft = get_draft_or_404(request, reference)
    asked = get_section_or_404(draft, key)
    page = partial(section_page, draft, asked, earlier=EarlierFiles(draft, request.user))
    before = page()
    if request.method != "POST":
        return render_page(request, before)
    raw = posted_answers(before.form, request.POST) | posted_proposal(request, before)
    version, page_version = posted_version(request.POST), posted_page_version(request.POST, draft)
    return save_page(
        request,
        before,
        page=page,
        keep=lambda: services.save_section(
            draft, asked, raw, version=version, by=request.user, page_version=page_version
        ),
        clashes=partial(field_conflicts, before.form),
        onwards=lambda: next_step(draft, "section", asked.key).url,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def replies(request: UserRequest, reference: str) -> HttpResponse:
    """Keep replies to our reviewer that stand beside no question, and go back to the page that they were written on.

    A GET only leads to the overview.
    """
    draft = get_draft_or_404(request, reference)
    page = request.POST.get("next", "")
    if request.method == "POST":
        try:
            kept = store_replies(draft, list(posted_replies(request.POST)), by=request.user)
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            if kept:
                messages.success(request, gettext("Reply saved. We will send it with your corrections."))
            else:
                messages.error(request, gettext("Our reviewer has withdrawn this query."))
    is_known = page in ("overview", "status", "documents", "shares")
    return redirect(f"portal:{page if is_known else 'overview'}", reference=reference)


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

    @property
    def folds(self) -> bool: ...


def render_page(
    request: HttpRequest, page: QuestionPage, *, status: int = 200, unsaved: Sequence[AnswerRow] = ()
) -> HttpResponse:
    """The page, or its answers read back where they can't be changed, with what was typed and could not be saved."""
    template = page.read_only_template if page.read_only_reason else page.template
    context = {"page": page, "problems": page.problems, "unsaved": unsaved, "folded": _folded(request, page)}
    return render(request, template, context, status=status)


def _folded(request: HttpRequest, page: QuestionPage) -> list[str]:
    """The headings of questions that are read back: what is complete, where somebody comes to the page.

    While they work on it nothing closes: of what script has drawn anew only what they haven't opened, else nothing.
    """
    if not page.folds:
        return []
    shut = request.POST.getlist("folded") if getattr(request, "htmx", False) else []
    is_visit = request.method != "POST" and _OPEN not in request.GET
    return [one.title for one in page.entries if (is_visit or one.title in shut) and one.is_complete]


def save_page(
    request: UserRequest,
    before: QuestionPage,
    *,
    page: Callable[[], QuestionPage],
    keep: Callable[[], services.KeptTheirs],
    clashes: Callable[[services.Stale], tuple[FieldConflict, ...]],
    onwards: Callable[[], str],
    said: Callable[[], None] = lambda: None,
) -> HttpResponse:
    """Answer a post of questions: keep what was typed and every file, then go on, away, or stay, as the button says.

    `before` is the page as it stood; `page` gives it as the draft stands at the call, `keep` saves the answers and
    gives the names of those that stay as others have saved them, `clashes` tells what both have written, `onwards` is
    the address that follows, and `said` tells of a save that went well.
    """
    was = before.draft.form_state
    conflicts: tuple[FieldConflict, ...] = ()
    answer_change = partial(
        _answer_change,
        request,
        before=before.form,
        offered=_slots_of(before) if request.htmx else (),
        entries=_entries_of(before) if request.htmx else [],
        needed=before.needs if request.htmx and is_as_drawn(request.POST, before.draft) else (),
    )
    try:
        is_replied = False
        if not before.is_alone and (written := list(posted_replies(request.POST))):
            is_replied = bool(store_replies(before.draft, written, by=before.author(request.user)))
        kept_theirs = keep()
    except services.Gone as gone:
        raise party_not_found(before.draft, before.party.token if before.party else "") from gone
    except services.Stale as stale:
        conflicts, kept_theirs = clashes(stale), stale.kept_theirs
    except services.Closed:
        _report_refused(request, _save_files(request, page))
        unsaved = (
            *unsaved_rows(before.form, posted_answers(before.form, request.POST)),
            *unsaved_replies(request.POST),
        )
        return render_page(request, page(), status=409, unsaved=unsaved)
    if conflicts and not request.htmx:
        # The files go their own way: a slot has no version, and the next form can't carry them.
        _report_refused(request, _save_files(request, page))
        return render_conflict(request, page(), conflicts)
    found = before.consequence(was)
    asked = before.form.asked if kept_theirs else ()
    left_labels = dict.fromkeys(one.spec.label for one in asked if one.spec.name in kept_theirs)
    left = " ".join(filter(None, (kept_theirs_words(left_labels), accepted_words(before.draft.locked_labels))))
    if request.htmx:
        now = page()
        # Other problems wait for a save: this one says that there is none.
        overlong = (f"{one.message}." for one in before.draft.overlong.values())
        left = " ".join(filter(None, (conflict_words(conflicts), left, *overlong)))
        notes = _notes_of(now) if is_replied else ()
        return answer_change(now, found=found, left=left, has_conflict=bool(conflicts), notes=notes)
    if left:
        messages.info(request, left)
    if found and found.text:
        # The tag is where it can be undone (ui/messages.html).
        messages.warning(request, found.text, extra_tags=found.undo_url)
    refused = _save_files(request, page)
    wait_for(before.draft.application)
    now = replace(page(), refused=refused)
    if question := _removal_url(request, now):
        _report_refused(request, refused)
        return redirect(question)
    if (refused or now.form.has_new_problems(before.form)) and not chosen_in(request):
        return render_page(request, now, status=422)
    opened = now.form.opened_since(before.form, shown_regions(request.POST))
    same_page = _same_page_url(request, now)
    # Not where a choice was taken back, which leads to its page anyway.
    if opened and request.path == before.url and "later" not in request.POST and not same_page:
        words = ngettext(
            "Saved. Your answers lead to {count} more question on this page.",
            "Saved. Your answers lead to {count} more questions on this page.",
            len(opened),
        )
        messages.info(request, words)
        return redirect(_address(request, now, f"#{opened[0].id}"))
    said()
    if now.is_alone:
        return redirect(same_page or onwards())
    return redirect(url_after_save(request, now, onwards=onwards()))


def posted_proposal(request: UserRequest, page: QuestionPage) -> dict[str, Any]:
    """The answer that our reviewer proposes and whose button was pressed; a change presses none."""
    if request.htmx or page.feedback is None:
        return {}
    return page.feedback.proposed(page.holder, request.POST.get(USE, ""))


def url_after_save(request: HttpRequest, page: FormPage, *, onwards: str) -> str:
    """Where the pressed button leads after a save: away, the same page once more, back to the check, or onwards."""
    reference = page.draft.application.reference
    if "later" in request.POST:
        return reverse("portal:overview", args=[reference])
    if same := _same_page_url(request, page):
        return same
    back = return_url(request, reference)
    return back.url if back else onwards


def _same_page_url(request: HttpRequest, page: FormPage) -> str:
    """The address of the page once more, where the pressed button stays there; else nothing."""
    key = request.POST.get("slot") or request.POST.get("removal") or posted_reuse(request)[1]
    place = f"#{slot_id(key)}-slot" if key else ""
    if pressed := request.POST.get(USE):
        place = f"#note-{pressed}"
    if {"update", RESTORE}.isdisjoint(request.POST) and not chosen_in(request) and not place:
        return ""
    return _address(request, page, place, is_open=page.folds)


def _address(request: HttpRequest, page: FormPage, place: str, *, is_open: bool = False) -> str:
    """Of a place on the page. Not where the post went: what was new has an address of its own by now."""
    parameters = request.GET.copy()
    if is_open:
        parameters[_OPEN] = "1"
    query = parameters.urlencode()
    return f"{page.url}?{query}{place}" if query else f"{page.url}{place}"


def _save_files(request: UserRequest, page: Callable[[], QuestionPage]) -> dict[str, str]:
    """Put each file that came into its slot of the page; why some were not taken, by the key of the slot.

    Each is taken by itself, whatever becomes of the answers or of the other files: no page can fill a file control in
    again. What was taken is said in a message, and so is a file for a slot that the page does not have any more.
    """
    if not request.FILES and {"slot", "removal", "again"}.isdisjoint(request.POST):
        return {}
    now = page()
    refused = {slot.key: why for slot in now.slots if (why := _save_file(request, now, slot))}
    here = {slot.id for slot in now.slots}
    for control in request.FILES:
        if control not in here:
            slot = slot_name_of_control(control)
            said = gettext("“{slot}” was not uploaded, because it is no longer needed.").format(slot=slot)
            messages.error(request, said)
    return refused


def _save_file(request: UserRequest, page: QuestionPage, slot: SlotRow) -> str:
    """Take the slot's file, or use one again; why it was not taken, or nothing."""
    upload, (number, key) = request.FILES.get(slot.id), posted_reuse(request)
    by = page.author(request.user)
    try:
        if upload is not None:
            document = services.add_document(page.draft, page.party, slot.name, upload, by=by)
        elif key == slot.key:
            source = reusable_file(page.earlier, page.party, slot.name, number)
            document = services.reuse_document(page.draft, page.party, slot.name, source, by=by)
        else:
            return gettext("Choose a file first, then upload it") if request.POST.get("slot") == slot.key else ""
    except services.UploadRefused as refused:
        return refused.message
    except (services.Closed, services.Gone) as closed:
        return str(closed)
    report_uploaded(request, page.draft, page.party, document)
    return ""


def _report_refused(request: UserRequest, refused: dict[str, str]) -> None:
    """For an answer that has no place at the slots themselves."""
    for key, why in refused.items():
        messages.error(request, gettext("“{slot}” was not uploaded. {why}.").format(slot=slot_name(key), why=why))


def _removal_url(request: UserRequest, page: QuestionPage) -> str:
    """The address that asks whether to remove the file of the slot whose button was pressed; empty without a file."""
    slot = next((slot for slot in page.slots if slot.key == request.POST.get("removal")), None)
    document = page.draft.documents_of(page.party).get(slot.name) if slot else None
    return page.removal_of(document) if document else ""


# Of each document that a page asks for its key, whether it is optional, and the advice at it.
_Slots = tuple[tuple[str, bool, tuple[str, ...]], ...]


def _slots_of(page: QuestionPage) -> _Slots:
    """Which documents the page asks for and what it advises at them, as far as an answer or a role can change it."""
    return tuple((slot.key, slot.optional, slot.advice) for slot in page.slots)


def _entries_of(page: QuestionPage) -> list[str]:
    """The headings under which a party's page asks: a role's stands there for its documents, too."""
    return [entry.id for entry in page.entries] if page.party else []


def _notes_of(page: QuestionPage) -> tuple[QueryNote, ...]:
    """Every note that the page shows."""
    asked = (slot.asked for slot in page.slots)
    return (*page.notes, *page.form.notes.values(), *(note for note in asked if note))


def _answer_change(
    request: HttpRequest,
    page: QuestionPage,
    *,
    before: QuestionForm,
    offered: _Slots,
    entries: list[str],
    needed: tuple[Link, ...],
    found: Consequence | None,
    left: str,
    has_conflict: bool,
    notes: tuple[QueryNote, ...],
) -> HttpResponse:
    """After a change was saved: only what the page shows wrong, out of band; never a control that may be in use.

    204 where it shows nothing wrong, not even its version. While it shows something that others have changed since, it
    goes on as the page that it was drawn as. `left` says what of the post is not saved.
    """
    changed = page_update(before=before, after=page.form, shown=shown_regions(request.POST))
    has_other_slots = _slots_of(page) != offered
    # A role may bring documents alone, and with them a heading.
    if has_other_slots and _entries_of(page) != entries:
        changed = replace(changed, is_rebuilt=True)
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
        "has_conflict": has_conflict,
        "notes": notes,
        "needs": need_changes(needed, page.needs),
        "folded": _folded(request, page),
    }
    response = render(request, "portal/sections/_update.html", context)
    if left:
        response.headers[UNSAVED] = "1"
    return response


def render_conflict(request: UserRequest, page: FormPage, clashes: Sequence[FieldConflict]) -> HttpResponse:
    """409: what stands there now beside what was typed, and a form that sends it once more."""
    left = [clash for clash in clashes if clash.is_left]
    context = {
        "page": page,
        "choices": [(clash, clash.said_to(request.user)) for clash in clashes if not clash.is_left],
        "left": left,
        # What the page shows of these is old, so that it must not be sent as if it were meant.
        "hidden_controls": (*hidden_controls(request.POST), *((f"{KEEP}{clash.control}", THEIRS) for clash in left)),
    }
    return render(request, "portal/sections/conflict.html", context, status=409)
