"""What each thing is in words, from the rows alone: "Share class Ordinary", "Passport of Ada Lovelace"."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.language import figure, noted, say
from formation_portal.contract.lifecycle import State

from .kinds import ENTITY, Kind, Name
from .models import Delivery
from .references import named

_NAMED = (Kind.ENTITY, Kind.SHARE_CLASS, Kind.PARTY)
_WITHOUT_A_NAME = {Kind.SHARE_CLASS: noted("(unnamed)"), Kind.PARTY: noted("unnamed person or company")}


class Names:
    """The names of entities, parties and share classes that the rows of some applications hold."""

    def __init__(self, rows: Iterable[Delivery]) -> None:
        self._labels = {(row.application_id, row.name): _label(payload_of(row)) for row in rows}

    def application(self, row: Delivery) -> str:
        """The name that the entity will have; what the product is called, while it has none."""
        return self._labels.get((row.application_id, ENTITY)) or row.application.product_name

    def title(self, row: Delivery) -> str:
        """What the row is about."""
        return _TITLES[row.name[0]](self, row)

    def _of(self, row: Delivery, name: Name | None) -> str:
        if name is None:
            return ""
        return self._labels.get((row.application_id, name)) or say(_WITHOUT_A_NAME.get(name[0], ""))

    def _share_class(self, row: Delivery) -> str:
        return say("Share class {name}", name=self._of(row, (Kind.SHARE_CLASS, row.subject)))

    def _share_class_answers(self, row: Delivery) -> str:
        return say("Answers about share class {name}", name=self._of(row, (Kind.SHARE_CLASS, row.subject)))

    def _party(self, row: Delivery) -> str:
        kind = say(canonical.KIND_WORDS.get(str(payload_of(row).get("party_type")), ""))
        return ", ".join(part for part in (_capital(self._of(row, row.name)), kind) if part)

    def _party_answers(self, row: Delivery) -> str:
        return say("Answers of {name}", name=self._of(row, (Kind.PARTY, row.subject)))

    def _document(self, row: Delivery) -> str:
        payload = payload_of(row)
        slot = str(payload.get("document_key") or say("Document"))
        holder = self._of(row, named(payload.get("party")))
        return say("{what} of {holder}", what=slot, holder=holder) if holder else slot

    def _shareholding(self, row: Delivery) -> str:
        payload = payload_of(row)
        number = payload.get("shares_held")
        shares = figure(number) if isinstance(number, int) else say("Shares")
        held, holder = self._of(row, named(payload.get("share_class"))), self._of(row, named(payload.get("party")))
        what = " ".join(part for part in (shares, held) if part)
        return say("{what} of {holder}", what=what, holder=holder) if holder else what


def names_of(applications: Collection[int]) -> Names:
    """The names within these applications, by their primary keys: one query."""
    return Names(Delivery.objects.filter(application__in=applications, kind__in=_NAMED))


def payload_of(row: Delivery) -> Mapping[str, Any]:
    """What is wanted there; of a thing that is wanted no more, what was sent or is there."""
    found: Mapping[str, Any] = row.wanted or row.sent or row.acknowledged or {}
    return found


def _label(payload: Mapping[str, Any]) -> str:
    answers = payload.get("answers", {})
    return canonical.label_of({canonical.property_of(name): value for name, value in answers.items()})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_DEEDS: Mapping[str, str] = {
    State.IN_REVIEW: noted("Start of the review"),
    State.RETURNED_FOR_CHANGES: noted("Return for changes"),
    State.SUBMITTED_TO_CSP: noted("Approval"),
    State.REJECTED: noted("Decision to decline"),
    State.INCORPORATED: noted("Incorporation"),
    State.WITHDRAWN: noted("Withdrawal"),
}
_ANOTHER_DEED = noted("Status change")

_TITLES: Mapping[Kind, Callable[[Names, Delivery], str]] = {
    Kind.ENTITY: lambda names, row: say("Company"),
    Kind.ENTITY_CSP: lambda names, row: say("Answers about the company"),
    Kind.SHARE_CLASS: Names._share_class,
    Kind.SHARE_CLASS_CSP: Names._share_class_answers,
    Kind.PARTY: Names._party,
    Kind.PARTY_CSP: Names._party_answers,
    Kind.DOCUMENT: Names._document,
    Kind.SHAREHOLDING: Names._shareholding,
    Kind.SUBMISSION: lambda names, row: say("Submission"),
    Kind.STATUS: lambda names, row: say(_DEEDS.get(str(payload_of(row).get("status")), _ANOTHER_DEED)),
}
