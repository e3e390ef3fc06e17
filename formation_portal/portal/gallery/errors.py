"""The pages for what went wrong, as the gallery shows them: by the name of their template, with what they are given."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from formation_portal.accounts.signing_in import Unsent

from ..words import AnswerRow

_POSTED = (("q:name", ("Larkfield Holdings",)), ("version", ("3",)))

ERRORS: Mapping[str, Mapping[str, Any]] = {
    "400": {},
    "403": {},
    "403_csrf": {"posted": QueryDict("q:name=Larkfield+Holdings&version=3")},
    "404": {},
    "405": {},
    "410": {},
    "413": {},
    "429": {},
    "500": {},
    "503": {
        "unsent": Unsent("/", _POSTED, had_files=True),
        "typed": (AnswerRow("Name", "Larkfield Holdings", is_name=True, note=""),),
        "path": "/",
    },
}
