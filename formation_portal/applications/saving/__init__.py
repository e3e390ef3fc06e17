"""Every way to change an application. Each call is one transaction: the change, its history, and `signals.changed`.

The draft that is handed in is up to date afterwards, also with what others have changed meanwhile.
"""

from .deeds import advance, delete_draft, reopen, start, submit, withdraw
from .documents import add_document, remove_document, use_again
from .doubles import keep_both, unite_parties
from .elsewhere import Left, Seen
from .new_form import take_form
from .parties import ROLES, add_party, save_party, set_roles
from .party_imports import forget_import, keep_import, rows_of, take_import
from .planting import carried_from, carry_over, copied_from, copy
from .refusals import Accepted, Closed, FormChanged, Gone, NotCopied, NotReady, Overtaken, Stale, Unread, UploadRefused
from .removed_parties import remove_party, restore_party
from .restoring import choices_of, restore_choices
from .sections import save_section
from .shares import add_share_class, remove_share_class, save_holdings, save_share_class
from .stakes import ALWAYS_LOOK, add_owner, save_owners

__all__ = [
    "ALWAYS_LOOK",
    "ROLES",
    "Accepted",
    "Closed",
    "FormChanged",
    "Gone",
    "Left",
    "NotCopied",
    "NotReady",
    "Overtaken",
    "Seen",
    "Stale",
    "Unread",
    "UploadRefused",
    "add_document",
    "add_owner",
    "add_party",
    "add_share_class",
    "advance",
    "carried_from",
    "carry_over",
    "choices_of",
    "copied_from",
    "copy",
    "delete_draft",
    "forget_import",
    "keep_both",
    "keep_import",
    "remove_document",
    "remove_party",
    "remove_share_class",
    "reopen",
    "restore_choices",
    "restore_party",
    "rows_of",
    "save_holdings",
    "save_owners",
    "save_party",
    "save_section",
    "save_share_class",
    "set_roles",
    "start",
    "submit",
    "take_form",
    "take_import",
    "unite_parties",
    "use_again",
    "withdraw",
]
