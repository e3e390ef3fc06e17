"""Every write to an application. Each call is one transaction: the change, its history, and those who listen to it.

The draft that is passed in is up to date afterwards, also with what others have changed in the meantime.
"""

from .create_from import COPIED_FROM, CREATED_FROM, create_copy, create_from
from .documents import add_document, remove_document, reuse_document
from .exceptions import (
    Closed,
    FormChanged,
    Gone,
    LockedByReview,
    NotCopied,
    NotReady,
    Overtaken,
    PaymentDue,
    SharesExceedWhole,
    Stale,
    Unread,
    UploadRefused,
)
from .parties import ROLES, add_party, keep_both, merge_parties, remove_party, restore_party, save_party, set_roles
from .party_imports import apply_import, delete_import, import_rows, keep_import
from .sections import restorable_choices, restore_choices, save_section
from .shares import (
    ALWAYS_COMPARE,
    add_owner,
    add_share_class,
    remove_share_class,
    save_holdings,
    save_owners,
    save_share_class,
)
from .transactions import KeptTheirs, PageVersion, lock_owner
from .transitions import (
    adopt_form,
    advance,
    delete_draft,
    keep_draft,
    record_service_incorporation,
    reopen,
    set_payment_due,
    start,
    submit,
    withdraw,
)

__all__ = [
    "ALWAYS_COMPARE",
    "COPIED_FROM",
    "CREATED_FROM",
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
    "PaymentDue",
    "SharesExceedWhole",
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
    "create_copy",
    "create_from",
    "delete_draft",
    "delete_import",
    "import_rows",
    "keep_both",
    "keep_draft",
    "keep_import",
    "lock_owner",
    "merge_parties",
    "record_service_incorporation",
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
    "set_payment_due",
    "set_roles",
    "start",
    "submit",
    "withdraw",
]
