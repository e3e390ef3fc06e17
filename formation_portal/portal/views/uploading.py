"""Files that come with a page's answers, and slots that are to be emptied there.

Each file is taken by itself, whatever becomes of the answers or of the other files: no page can fill a file control in
again, so what was chosen is taken now or said to be lost.
"""

from django.contrib import messages
from django.http import HttpRequest

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import saving
from formation_portal.contract.language import say

from ..answers_page import AnswersPage
from ..slots import SlotRow, name_in, name_of, slot_id

UPLOAD, REMOVAL = "slot", "removal"
# Says where the question whether to remove a file leads back to.
CAME_FROM_PAGE = "page"


def is_about_files(request: UserRequest) -> bool:
    """Whether a file came, or a button at a slot was pressed."""
    return bool(request.FILES) or UPLOAD in request.POST or REMOVAL in request.POST


def take_files(request: UserRequest, page: AnswersPage) -> dict[str, str]:
    """Put each file into its slot of the page; why some were not taken, by the key of the slot.

    What was taken is said in a message, and so is a file for a slot that the page does not have any more.
    """
    refused = {slot.key: why for slot in page.slots if (why := _refusal(request, page, slot))}
    here = {slot.id for slot in page.slots}
    for control in request.FILES:
        if control not in here:
            messages.error(
                request, say("“{slot}” is not uploaded: it is not asked for any more.", slot=name_of(control))
            )
    return refused


def removal_asked(request: UserRequest, page: AnswersPage) -> str:
    """The address that asks whether to remove the file of the slot whose button was pressed; empty without a file."""
    slot = next((slot for slot in page.slots if slot.key == request.POST.get(REMOVAL)), None)
    document = page.draft.documents_of(page.party).get(slot.name) if slot else None
    return page.removal_of(document) if document else ""


def say_refused(request: UserRequest, refused: dict[str, str]) -> None:
    """For an answer that has no place at the slots themselves."""
    for key, why in refused.items():
        messages.error(request, say("“{slot}” is not uploaded. {why}.", slot=name_in(key), why=why))


def place_pressed(request: HttpRequest) -> str:
    """The part of the page where a button at a slot was pressed, as the end of an address."""
    key = request.POST.get(UPLOAD) or request.POST.get(REMOVAL)
    return f"#{slot_id(key)}-slot" if key else ""


def _refusal(request: UserRequest, page: AnswersPage, slot: SlotRow) -> str:
    """Take the slot's file; why it was not taken, or nothing."""
    upload = request.FILES.get(slot.id)
    if upload is None:
        return "Choose a file first, then upload it" if request.POST.get(UPLOAD) == slot.key else ""
    try:
        saving.add_document(page.draft, page.party, slot.name, upload, by=page.author(request.user))
    except saving.UploadRefused as refused:
        return refused.message
    except (saving.Closed, saving.Gone) as closed:
        return str(closed)
    messages.success(request, f"“{slot.name}” is uploaded.")
    return ""
