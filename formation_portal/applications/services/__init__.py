"""Every write to an application. Each call is one transaction: the change, its history, and those who listen to it.

The draft that is passed in is up to date afterwards, also with what others have changed in the meantime.
"""

from .concurrency import KeptTheirs, PageVersion
from .create_from import copied_from_entry, create_copy, create_from, created_from_entry
from .documents import add_document, remove_document, reuse_document
from .duplicates import keep_both, merge_parties
from .exceptions import (
    Closed,
    FormChanged,
    Gone,
    LockedByReview,
    NotCopied,
    NotReady,
    Overtaken,
    Stale,
    Unread,
    UploadRefused,
)
from .ownership_stakes import ALWAYS_COMPARE, add_owner, save_owners
from .parties import ROLES, add_party, remove_party, restore_party, save_party, set_roles
from .party_imports import apply_import, delete_import, import_rows, keep_import
from .sections import restorable_choices, restore_choices, save_section
from .shares import add_share_class, remove_share_class, save_holdings, save_share_class
from .transitions import adopt_form, advance, delete_draft, reopen, start, submit, withdraw

__all__ = [
    "ALWAYS_COMPARE",
    "ROLES",
    "Closed",
    "FormChanged",
    "Gone",
    "KeptTheirs",
    "LockedByReview",
    "NotCopied",
    "NotReady",
    "Overtaken",
    "PageVersion",
    "Stale",
    "Unread",
    "UploadRefused",
    "add_document",
    "add_owner",
    "add_party",
    "add_share_class",
    "adopt_form",
    "advance",
    "apply_import",
    "copied_from_entry",
    "create_copy",
    "create_from",
    "created_from_entry",
    "delete_draft",
    "delete_import",
    "import_rows",
    "keep_both",
    "keep_import",
    "merge_parties",
    "remove_document",
    "remove_party",
    "remove_share_class",
    "reopen",
    "restorable_choices",
    "restore_choices",
    "restore_party",
    "reuse_document",
    "save_holdings",
    "save_owners",
    "save_party",
    "save_section",
    "save_share_class",
    "set_roles",
    "start",
    "submit",
    "withdraw",
]
