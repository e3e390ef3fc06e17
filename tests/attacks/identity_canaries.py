"""Forty-eight words that stand nowhere else, each as the value of something that says who somebody is."""

import copy
import struct
from typing import Any

from tests import factories
from tests.documents import sample_files
from tests.factories import field

ACCOUNT = {
    "first_name": "Zorvexa",
    "last_name": "Quibbleforth",
    "email": "zebracorn@example.com",
    "password1": "velvet-otterlantern-27",
}
# What a customer types of the company.
COMPANY = {
    "entity.name": "Brimwhistle Holdings",
    "xy.activity": "Trading",
    "xy.goods": "Glimmerfen lamps",
    "charter.purpose": "To dwell in Fennimoor",
    "xy.started_on": {"day": "29", "month": "3", "year": "2017"},
}
CAPITAL = "48213977"
PERSON = {
    "person.first_name": "Thessalind",
    "person.last_name": "Marrowick",
    "person.email": "thessalind@example.net",
    "person.date_of_birth": {"day": "17", "month": "2", "year": "1951"},
    "xy.person.is_pep": "true",
    "xy.person.pep_office": "Warden of Nethercombe",
    "xy.person.passport": "PX7719043Q",
    "xy.person.tax": "TZ55829917",
    "xy.person.born_in": "Nythorpe",
    "xy.person.phone": "+44 20 7946 0958",
    "xy.person.home": {
        "street1": "17 Wexcombe Lane", "city": "Ellowick", "postcode": "EC1A 1BB", "country": "GB",
    },
}  # fmt: skip
CORPORATE = {"corporate.name": "Fennimark Trust", "xy.corporate.register": "RG90417752"}
CLASS = {"share_class.name": "Cerulean preference", "xy.class_rights": "Wimbletonk votes twice"}
SHARES = "7316482"
SHEET = (
    (
        "Kind",
        "Role: director",
        "First name",
        "Last name",
        "E-mail address (Person)",
        "Date of birth",
        "Passport",
        "Is pep",
    ),
    ("Person", "Yes", "Orlabeth", "Vintercombe", "orlabeth@example.net", "1911-11-13", "PX3310948Z", "No"),
)
SHEET_NAME, FILE_NAME, OTHER_FILE = "grumblewick.csv", "harrowgate.jpg", "tansybrook.pdf"
IN_PICTURE, IN_PDF = "exifmarlowe", "pdfsorrelhurst"
INVITED, ASKED = "gwendrith@example.org", "pettibone@example.org"
# What others write: the guest, agents and the customer about what they ask.
GUEST = "Mallowmere"
REVIEW = {
    "note": "Notefoxglove",
    "query": "Querymarigold",
    "reply": "Replysnapdragon",
    "screening": "Screenhollyhock",
    "evidence": "Evidencetansy",
    "decision": "Decisionlarkspur",
    "takeover": "Claimcelandine",
    "register": "Registerwoodruff",
}
# What is posted where it can't be saved, by the status of the answer.
LOST = {
    "302": "Unsentbluebell", "400": "Brokenbetony", "403": "Csrfcampion", "404": "Lostcowslip",
    "409": "Conflictbryony", "422": "Wrongyarrow", "500": "Crashteasel", "503": "Outagethistle",
}  # fmt: skip
ERASED = {"first_name": "Erasmunda", "last_name": "Vanterpool", "email": "vanterpool@example.com"}

_WORDS = (
    *("Zorvexa", "Quibbleforth", "zebracorn", "otterlantern", "Brimwhistle", "Glimmerfen", "Fennimoor", CAPITAL),
    *("Thessalind", "Marrowick", "1951-02-17", "Nethercombe", "PX7719043Q", "TZ55829917", "Nythorpe"),
    *("2079460958", "Wexcombe", "Ellowick", "EC1A 1BB", "Fennimark", "RG90417752", "Cerulean", "Wimbletonk", SHARES),
    *("Orlabeth", "Vintercombe", "1911-11-13", "PX3310948Z", "grumblewick", "harrowgate", "tansybrook"),
    *(IN_PICTURE, IN_PDF, "gwendrith", "pettibone", GUEST, *REVIEW.values(), *LOST.values()),
    *("Erasmunda", "Vanterpool"),
)
CANARIES = tuple(word.lower() for word in _WORDS)
assert len(set(CANARIES)) == len(CANARIES) >= 40


def item() -> dict[str, Any]:
    """The small product, and it asks for all of this."""
    made = copy.deepcopy(factories.ITEM)
    director = made["schema"]["sections"][2]
    director["person_fields"] += [
        field("passport", prefix="xy.person", required=False),
        field("tax", prefix="xy.person", required=False),
        field("born_in", prefix="xy.person", required=False),
        field("phone", "phone", prefix="xy.person", required=False),
        field("home", "address", prefix="xy.person", required=False),
    ]
    director["corporate_fields"] = [
        field("name", canonical_field="corporate.name"),
        field("register", prefix="xy.corporate", required=False),
    ]
    return made


def marked_jpeg() -> bytes:
    content = sample_files.jpeg(400, 300)
    text = IN_PICTURE.encode() + b"\0"
    # One entry, ImageDescription, whose text stands behind the directory.
    entry = struct.pack("<HHII", 0x010E, 2, len(text), 26)
    body = b"Exif\0\0" + b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 1) + entry + struct.pack("<I", 0) + text
    return content[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + content[2:]


def marked_pdf() -> bytes:
    return sample_files.pdf(text=IN_PDF)


def picture_bytes() -> bytes:
    """A piece of the picture's own bytes, which no other file has."""
    return marked_jpeg()[-400:-200]
