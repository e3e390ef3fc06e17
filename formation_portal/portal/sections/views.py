"""Show and save pages of questions: answers, files and replies. Defines the page of a section, the simplest."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import Author
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.services import SaveResult
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.schema import Section
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
from ..pages import FormPage, next_step, return_url
from ..slots import SlotRow, posted_reuse, report_uploaded, reusable_file
from .changes import (
    Consequence,
    FieldConflict,
    accepted_words,
    conflict_words,
    consequence,
    field_conflicts,
    hidden_controls,
    kept_theirs_words,
    need_changes,
    page_update,
    unsaved_replies,
    unsaved_rows,
)
from .pages import QuestionPage, SectionPage, section_page

# The URL parameter that keeps every question open for editing.
_OPEN = "open"


class PageBefore:
    """A page before its post is saved; without `needs` if the application has changed since the page was drawn."""

    def __init__(self, page: QuestionPage, request: HttpRequest) -> None:
        self.page = page
        self.form_state = page.draft.form_state
        self.slots = _slots_of(page)
        self.entries = _entries_of(page)
        self.needs = page.needs if is_as_drawn(request.POST, page.draft) else ()

    def consequence(self, result: SaveResult) -> Consequence | None:
        page = self.page
        return consequence(page.draft, self.form_state, result.changes, page.party, is_guests=page.is_guests)


def _slots_of(page: QuestionPage) -> list[tuple[str, bool, tuple[str, ...]]]:
    """Return for each document slot of a page: its key, whether it is required, and the advice at it."""
    return [(slot.key, slot.spec.required, slot.advice) for slot in page.slots]


def _entries_of(page: QuestionPage) -> tuple[str, ...]:
    """Return the ids of a page's headings. On a party's page, a role's heading may have documents alone."""
    return tuple(entry.id for entry in page.entries)


class QuestionPageView(View):
    """Show and save one page of questions. Subclasses define the page, the saving and the next page.

    Every answer and file that can be saved is saved; `SaveResult` has the others.
    """

    request: UserRequest

    @cached_property
    def draft(self) -> Draft:
        return get_draft_or_404(self.request, self.kwargs["reference"])

    @property
    def author(self) -> Author:
        return self.request.user

    def get_page(self) -> QuestionPage:
        raise NotImplementedError

    def get_posted_form(self, page: QuestionPage) -> QuestionForm:
        """Return the form with every question that a post may answer."""
        return page.form

    def save(self, page: QuestionPage, answers: dict[str, Any]) -> SaveResult:
        post = self.request.POST
        return services.save_answers(
            self.draft,
            page.holder,
            answers,
            version=posted_version(post),
            by=self.author,
            page_version=posted_page_version(post, self.draft),
        )

    def get_conflicts(self, form: QuestionForm, result: SaveResult) -> tuple[FieldConflict, ...]:
        """Return the answers that others have changed, if any of them needs a choice."""
        return field_conflicts(form, result) if result.conflicts else ()

    def finish(self, page: QuestionPage) -> HttpResponse:
        """Return the response to a save after which the page needs no attention."""
        return redirect(url_after_save(self.request, page, onwards=self.get_success_url(page)))

    def get_success_url(self, page: QuestionPage) -> str:
        raise NotImplementedError

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return render_page(request, self.get_page())

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        page = self.get_page()
        before = PageBefore(page, request)
        form = self.get_posted_form(page)
        answers = posted_answers(form, request.POST)
        try:
            has_replied = self.save_replies(page)
            result = self.save(page, answers | self.accepted_proposal(page))
        except services.Gone as gone:
            raise party_not_found(self.draft, page.holder) from gone
        except services.Closed:
            return self.render_unsaved(form, answers)
        conflicts = self.get_conflicts(form, result)
        if request.htmx:
            return self.render_changes(before, form, result, conflicts, has_replied=has_replied)
        if conflicts:
            self.report_refused(self.save_files(result))
            return render_conflict(request, self.get_page(), conflicts)
        self.add_messages(before, form, result)
        result = self.save_files(result)
        wait_for(self.draft.application)
        after = self.get_page().after(result)
        if removal_url := _removal_url(request, after):
            self.report_refused(result)
            return redirect(removal_url)
        has_problems = bool(result.refused_files) or after.form.has_new_problems(page.form)
        if has_problems and not chosen_in(request):
            return render_page(request, after, status=422)
        return self.show_opened(page, after) or self.finish(after)

    def save_replies(self, page: QuestionPage) -> bool:
        replies = list(posted_replies(self.request.POST))
        if page.is_guests or not replies:
            return False
        return store_replies(self.draft, replies, by=self.author) > 0

    def accepted_proposal(self, page: QuestionPage) -> dict[str, Any]:
        """Return our reviewer's proposed answer if its button was pressed; a save by script presses none."""
        if self.request.htmx:
            return {}
        return page.feedback.proposed(page.holder, self.request.POST.get(USE, ""))

    def render_unsaved(self, form: QuestionForm, answers: dict[str, Any]) -> HttpResponse:
        """Save the files that can be saved, and show the typed answers, since the page has become read-only."""
        self.report_refused(self.save_files(SaveResult()))
        unsaved = (*unsaved_rows(form, answers), *unsaved_replies(self.request.POST))
        return render_page(self.request, self.get_page(), status=409, unsaved=unsaved)

    def add_messages(self, before: PageBefore, form: QuestionForm, result: SaveResult) -> None:
        """Add messages about answers that others have changed, and about those that the save has made inactive."""
        if unsaved_words := _skipped_words(form, result):
            messages.info(self.request, unsaved_words)
        consequence = before.consequence(result)
        if consequence and consequence.text:
            # The tag is the URL that undoes the choice (ui/messages.html).
            messages.warning(self.request, consequence.text, extra_tags=before.page.undo_url(consequence.change))

    def show_opened(self, before: QuestionPage, after: QuestionPage) -> HttpResponse | None:
        """Redirect to the first required question that a save by button opened and the browser lacks; else None."""
        request = self.request
        stays = "later" in request.POST or same_page_url(request, after)
        # A restored choice redirects to its page anyway.
        if stays or request.path != before.url:
            return None
        opened = after.form.opened_since(before.form, shown_regions(request.POST))
        if not opened:
            return None
        message = ngettext(
            "Saved. Your answers lead to {count} more question on this page.",
            "Saved. Your answers lead to {count} more questions on this page.",
            len(opened),
        )
        messages.info(request, message)
        return redirect(_address(request, after, f"#{opened[0].id}"))

    def render_changes(
        self,
        before: PageBefore,
        form: QuestionForm,
        result: SaveResult,
        conflicts: Sequence[FieldConflict],
        *,
        has_replied: bool,
    ) -> HttpResponse:
        """Return the parts that are out of date in the browser after a save by script; never a control in use.

        While the browser shows answers that others have changed since, it keeps its version number.
        """
        request = self.request
        page = self.get_page().after(result)
        changed = page_update(before=before.page.form, after=page.form, shown_regions=shown_regions(request.POST))
        has_other_slots = _slots_of(page) != before.slots
        # A role that only asks for documents adds a heading too.
        if has_other_slots and _entries_of(page) != before.entries:
            changed = replace(changed, is_rebuilt=True)
        notes: list[QueryNote] = []
        if has_replied:
            notes = [*page.notes, *page.form.notes.values(), *(slot.query for slot in page.slots if slot.query)]
        overlong = [f"{answer.message}." for answer in result.overlong.values()]
        unsaved_words = " ".join(filter(None, (conflict_words(conflicts), _skipped_words(form, result), *overlong)))
        has_new_parts = not changed.is_empty or has_other_slots or bool(notes or unsaved_words)
        if not has_new_parts and posted_version(request.POST) == page.version:
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        consequence = before.consequence(result)
        context = {
            "page": page,
            "changed": changed,
            "has_other_slots": has_other_slots,
            "consequence": consequence,
            "unsaved_words": unsaved_words,
            "has_conflict": bool(conflicts),
            "notes": notes,
            "needs": need_changes(before.needs, page.needs),
            "folded": _folded(request, page),
        }
        if consequence:
            context["undo_url"] = page.undo_url(consequence.change)
            context["place"] = page.form.control_id_of(consequence.name)
        response = render(request, "portal/sections/_update.html", context)
        if unsaved_words:
            response.headers[UNSAVED] = "1"
        return response

    def save_files(self, result: SaveResult) -> SaveResult:
        """Put each posted file into its slot, even if answers are not saved: no page can refill a file control."""
        request = self.request
        if not request.FILES and {"slot", "removal", "again"}.isdisjoint(request.POST):
            return result
        page = self.get_page()
        documents: list[Document] = []
        refused: dict[str, str] = {}
        for slot in page.slots:
            before = page.draft.documents_of(page.party).get(slot.spec.name)
            try:
                document = self.save_file(page, slot)
            except services.UploadRefused as error:
                refused[slot.key] = error.message
            except (services.Closed, services.Gone) as error:
                refused[slot.key] = str(error)
            else:
                if document and document != before:
                    documents.append(document)
        controls = {slot.id for slot in page.slots}
        for control in request.FILES:
            if control not in controls:
                text = gettext("“{slot}” was not uploaded, because it is no longer needed.")
                messages.error(request, text.format(slot=slot_name_of_control(control)))
        return replace(result, refused_files=refused, documents=tuple(documents))

    def save_file(self, page: QuestionPage, slot: SlotRow) -> Document | None:
        """Store the slot's posted file, or reuse an earlier one, if any. Raises UploadRefused, Closed, Gone."""
        request = self.request
        upload = request.FILES.get(slot.id)
        number, key = posted_reuse(request)
        if upload is not None:
            document = services.add_document(page.draft, page.party, slot.spec.name, upload, by=self.author)
        elif key == slot.key:
            source = reusable_file(page.earlier, page.party, slot.spec.name, number)
            document = services.reuse_document(page.draft, page.party, slot.spec.name, source, by=self.author)
        elif request.POST.get("slot") == slot.key:
            raise services.UploadRefused(gettext("Choose a file first, then upload it"))
        else:
            return None
        report_uploaded(request, page.draft, page.party, document)
        return document

    def report_refused(self, result: SaveResult) -> None:
        """Add messages about refused files to a response that does not show their slots."""
        for key, reason in result.refused_files.items():
            text = gettext("“{slot}” was not uploaded. {why}.").format(slot=slot_name(key), why=reason)
            messages.error(self.request, text)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer], name="dispatch")
class SectionView(QuestionPageView):
    @cached_property
    def section(self) -> Section:
        return get_section_or_404(self.draft, self.kwargs["key"])

    def get_page(self) -> SectionPage:
        return section_page(self.draft, self.section, earlier=EarlierFiles(self.draft, self.request.user))

    def get_success_url(self, page: QuestionPage) -> str:
        return next_step(self.draft, "section", self.section.key).url


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def replies(request: UserRequest, reference: str) -> HttpResponse:
    """Save replies that belong to no question, and return to their page. A GET redirects to the overview."""
    draft = get_draft_or_404(request, reference)
    page = request.POST.get("next")
    if page not in ("overview", "status", "documents", "shares"):
        page = "overview"
    if request.method == "POST":
        try:
            count = store_replies(draft, list(posted_replies(request.POST)), by=request.user)
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            if count:
                messages.success(request, gettext("Reply saved. We will send it with your corrections."))
            else:
                messages.error(request, gettext("Our reviewer has withdrawn this query."))
    return redirect(f"portal:{page}", reference=reference)


def render_page(
    request: HttpRequest, page: QuestionPage, *, status: int = 200, unsaved: Sequence[AnswerRow] = ()
) -> HttpResponse:
    """Render the page, as text if it is read-only, with the answers and replies that could not be saved."""
    template = page.read_only_template if page.read_only_reason else page.template
    context = {"page": page, "problems": page.problems, "unsaved": unsaved, "folded": _folded(request, page)}
    return render(request, template, context, status=status)


def _folded(request: HttpRequest, page: QuestionPage) -> list[str]:
    """Return the headings of complete questions to fold. None that the reader has open is folded."""
    if not page.folds:
        return []
    closed = request.POST.getlist("folded") if getattr(request, "htmx", False) else []
    is_visit = request.method != "POST" and _OPEN not in request.GET
    return [entry.title for entry in page.entries if (is_visit or entry.title in closed) and entry.is_complete]


def _skipped_words(form: QuestionForm, result: SaveResult) -> str:
    """Name the posted answers that were not saved: others have changed them, or a reviewer has accepted them."""
    skipped = dict.fromkeys(question.spec.label for question in form.asked if question.spec.name in result.skipped)
    return " ".join(filter(None, (kept_theirs_words(skipped), accepted_words(result.locked))))


def url_after_save(request: HttpRequest, page: FormPage, *, onwards: str) -> str:
    """Return the URL for the pressed button: the overview, this page again, the page to return to, or `onwards`."""
    reference = page.draft.application.reference
    if "later" in request.POST:
        return reverse("portal:overview", args=[reference])
    if same := same_page_url(request, page):
        return same
    back = return_url(request, reference)
    return back.url if back else onwards


def same_page_url(request: HttpRequest, page: FormPage) -> str:
    """Return the URL of the page itself if the pressed button stays there; "" otherwise."""
    place = ""
    if key := request.POST.get("slot") or request.POST.get("removal") or posted_reuse(request)[1]:
        place = f"#{slot_id(key)}-slot"
    if pressed := request.POST.get(USE):
        place = f"#note-{pressed}"
    if {"update", RESTORE}.isdisjoint(request.POST) and not chosen_in(request) and not place:
        return ""
    return _address(request, page, place, is_open=page.folds)


def _address(request: HttpRequest, page: FormPage, place: str, *, is_open: bool = False) -> str:
    """Return the URL of a place on the page. It may differ from the posted URL: a new share class gets its own."""
    parameters = request.GET.copy()
    if is_open:
        parameters[_OPEN] = "1"
    if query := parameters.urlencode():
        return f"{page.url}?{query}{place}"
    return f"{page.url}{place}"


def _removal_url(request: HttpRequest, page: QuestionPage) -> str:
    """Return the URL that asks whether to remove the file of the slot whose button was pressed; "" without a file."""
    documents = page.draft.documents_of(page.party)
    for slot in page.slots:
        if slot.key == request.POST.get("removal") and slot.spec.name in documents:
            return page.removal_of(documents[slot.spec.name])
    return ""


def render_conflict(request: UserRequest, page: FormPage, conflicts: Sequence[FieldConflict]) -> HttpResponse:
    """Render both versions of each answer in conflict, and a form that posts the chosen ones."""
    choices: list[tuple[FieldConflict, str]] = []
    skipped: list[FieldConflict] = []
    hidden = list(hidden_controls(request.POST))
    for conflict in conflicts:
        if conflict.is_left:
            skipped.append(conflict)
            # The posted answer is old and was not changed by the reader: keep the stored one.
            hidden.append((f"{KEEP}{conflict.control}", THEIRS))
        else:
            choices.append((conflict, conflict.author_words(request.user)))
    context = {"page": page, "choices": choices, "left": skipped, "hidden_controls": hidden}
    return render(request, "portal/sections/conflict.html", context, status=409)
