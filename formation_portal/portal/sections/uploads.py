"""Files that come with a page's answers, and slots that are to be emptied there.

Each file is taken by itself, whatever becomes of the answers or of the other files: no page can fill a file control in
again, so what was chosen is taken now or said to be lost.
"""

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import gettext
from formation_portal.ui.documents import advice
from formation_portal.ui.forms.controls import slot_id, slot_name, slot_name_of_control

from ..slots import SlotRow
from .pages import QuestionPage

UPLOAD, REMOVAL, AGAIN = "slot", "removal", "again"
# Says where the question whether to remove a file leads back to.
CAME_FROM_PAGE = "page"


def has_file_action(request: UserRequest) -> bool:
    """Whether a file came, or a button at a slot was pressed."""
    return bool(request.FILES) or not {UPLOAD, REMOVAL, AGAIN}.isdisjoint(request.POST)


def save_files(request: UserRequest, page: QuestionPage) -> dict[str, str]:
    """Put each file into its slot of the page; why some were not taken, by the key of the slot.

    What was taken is said in a message, and so is a file for a slot that the page does not have any more.
    """
    refused = {slot.key: why for slot in page.slots if (why := _refusal(request, page, slot))}
    here = {slot.id for slot in page.slots}
    for control in request.FILES:
        if control not in here:
            messages.error(
                request,
                gettext(
                    "“{slot}” was not uploaded, because it is no longer needed.", slot=slot_name_of_control(control)
                ),
            )
    return refused


def posted_removal_url(request: UserRequest, page: QuestionPage) -> str:
    """The address that asks whether to remove the file of the slot whose button was pressed; empty without a file."""
    slot = next((slot for slot in page.slots if slot.key == request.POST.get(REMOVAL)), None)
    document = page.draft.documents_of(page.party).get(slot.name) if slot else None
    return page.removal_of(document) if document else ""


def report_refused(request: UserRequest, refused: dict[str, str]) -> None:
    """For an answer that has no place at the slots themselves."""
    for key, why in refused.items():
        messages.error(request, gettext("“{slot}” was not uploaded. {why}.", slot=slot_name(key), why=why))


def pressed_slot_anchor(request: HttpRequest) -> str:
    """The part of the page where a button at a slot was pressed, as the end of an address."""
    key = request.POST.get(UPLOAD) or request.POST.get(REMOVAL) or posted_reuse(request)[1]
    return f"#{slot_id(key)}-slot" if key else ""


def posted_reuse(request: HttpRequest) -> tuple[str, str]:
    """Which file is to be used again, by its number, and in which slot, by its key; empty where none is."""
    number, _slash, key = request.POST.get(AGAIN, "").partition("/")
    return number, key


def reusable_file(earlier: EarlierFiles | None, party: PartyRow | None, slot: str, number: str) -> Document:
    """A file of the reader's own that can serve in the slot. Raises UploadRefused where it can't, or is gone."""
    fitting = earlier.fitting(party, slot) if earlier else ()
    found = next((one for one in fitting if str(one.pk) == number), None)
    if found is None:
        raise services.UploadRefused(_("Choose the file from your device. The earlier upload can’t be used here"))
    return found


def report_uploaded(request: HttpRequest, draft: Draft, party: PartyRow | None, document: Document) -> None:
    """That a file is in its slot, and whether there is something to read at it."""
    said = _("“%(slot)s” was uploaded.") % {"slot": document.slot}
    see = _("Check the note below.") if advice(draft, party, document) else ""
    messages.success(request, f"{said} {see}".strip())


def _refusal(request: UserRequest, page: QuestionPage, slot: SlotRow) -> str:
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
            return _("Choose a file first, then upload it") if request.POST.get(UPLOAD) == slot.key else ""
    except services.UploadRefused as refused:
        return refused.message
    except (services.Closed, services.Gone) as closed:
        return str(closed)
    report_uploaded(request, page.draft, page.party, document)
    return ""
