"""The kinds of remote things: their order, and what each belongs to (design, "Relay")."""

from enum import StrEnum


class Kind(StrEnum):
    """One kind of thing that the service keeps for us, or a deed that it is told; in the order of sending."""

    ENTITY = "entity"
    ENTITY_CSP = "entity_csp"
    SHARE_CLASS = "share_class"
    SHARE_CLASS_CSP = "share_class_csp"
    PARTY = "party"
    PARTY_CSP = "party_csp"
    DOCUMENT = "document"
    SHAREHOLDING = "shareholding"
    SUBMISSION = "submission"
    STATUS = "status"

    @property
    def order(self) -> int:
        """Where it stands in the order of sending; removals go backwards."""
        return _ORDER[self]

    @property
    def is_deed(self) -> bool:
        """A deed is told once and never taken back."""
        return self in (Kind.SUBMISSION, Kind.STATUS)

    @property
    def is_csp(self) -> bool:
        """Answers under csp_field_key: merged into what they belong to, without an id of their own."""
        return self in (Kind.ENTITY_CSP, Kind.SHARE_CLASS_CSP, Kind.PARTY_CSP)


_ORDER = {kind: place for place, kind in enumerate(Kind)}

# What a thing is named by within its application: its kind, and a token (empty where there is only one).
Name = tuple[Kind, str]
ENTITY: Name = (Kind.ENTITY, "")
# Any other status is an agent's deed, named by its number in the history.
WITHDRAWAL: Name = (Kind.STATUS, "")


def container(kind: Kind, subject: str) -> Name | None:
    """The thing that this one goes with when it is removed; None for the entity itself."""
    if kind is Kind.ENTITY:
        return None
    if kind is Kind.PARTY_CSP:
        return (Kind.PARTY, subject)
    if kind is Kind.SHARE_CLASS_CSP:
        return (Kind.SHARE_CLASS, subject)
    if kind is Kind.DOCUMENT and (party := subject.partition("/")[0]):
        return (Kind.PARTY, party)
    return ENTITY


def submission_subject(number: int) -> str:
    """What names a submission: of the first, as of all things that there is one of, it is empty."""
    return str(number) if number > 1 else ""


def holding_subject(party_token: str, class_token: str) -> str:
    """What names a shareholding."""
    return f"{party_token}/{class_token}"
