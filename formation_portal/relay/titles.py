"""What each thing is in words, from the rows alone: "Share class Ordinary", "Passport of Ada Lovelace"."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.language import figure, noted, say
from formation_portal.contract.lifecycle import State

from .models import Delivery
from .resources import ENTITY, ResourceKind, ResourceName, referenced_name

_NAMED_KINDS = (ResourceKind.ENTITY, ResourceKind.SHARE_CLASS, ResourceKind.PARTY)
_WITHOUT_A_NAME = {ResourceKind.SHARE_CLASS: noted("(unnamed)"), ResourceKind.PARTY: noted("unnamed person or company")}


class Titles:
    """The names of entities, parties and share classes that the rows of some applications hold."""

    def __init__(self, rows: Iterable[Delivery]) -> None:
        self._labels = {(row.application_id, row.name): _label(payload_of(row)) for row in rows}

    def application(self, row: Delivery) -> str:
        """The name that the entity will have; what the product is called, while it has none."""
        return self._labels.get((row.application_id, ENTITY)) or row.application.product_name

    def title(self, row: Delivery) -> str:
        """What the row is about."""
        return _TITLES[row.name[0]](self, row)

    def _of(self, row: Delivery, name: ResourceName | None) -> str:
        if name is None:
            return ""
        return self._labels.get((row.application_id, name)) or say(_WITHOUT_A_NAME.get(name[0], ""))

    def _share_class(self, row: Delivery) -> str:
        return say("Share class {name}", name=self._of(row, (ResourceKind.SHARE_CLASS, row.subject)))

    def _share_class_answers(self, row: Delivery) -> str:
        return say("Answers about share class {name}", name=self._of(row, (ResourceKind.SHARE_CLASS, row.subject)))

    def _party(self, row: Delivery) -> str:
        kind = say(canonical.KIND_WORDS.get(str(payload_of(row).get("party_type")), ""))
        return ", ".join(part for part in (_capital(self._of(row, row.name)), kind) if part)

    def _party_answers(self, row: Delivery) -> str:
        return say("Answers of {name}", name=self._of(row, (ResourceKind.PARTY, row.subject)))

    def _document(self, row: Delivery) -> str:
        payload = payload_of(row)
        slot = str(payload.get("document_key") or say("Document"))
        holder = self._of(row, referenced_name(payload.get("party")))
        return say("{what} of {holder}", what=slot, holder=holder) if holder else slot

    def _shareholding(self, row: Delivery) -> str:
        payload = payload_of(row)
        number = payload.get("shares_held")
        shares = figure(number) if isinstance(number, int) else say("Shares")
        held, holder = (
            self._of(row, referenced_name(payload.get("share_class"))),
            self._of(row, referenced_name(payload.get("party"))),
        )
        what = " ".join(part for part in (shares, held) if part)
        return say("{what} of {holder}", what=what, holder=holder) if holder else what


def titles_of(applications: Collection[int]) -> Titles:
    """The names within these applications, by their primary keys: one query."""
    return Titles(Delivery.objects.filter(application__in=applications, kind__in=_NAMED_KINDS))


def payload_of(row: Delivery) -> Mapping[str, Any]:
    """What is wanted there; of a thing that is wanted no more, what was sent or is there."""
    found: Mapping[str, Any] = row.wanted or row.sent or row.acknowledged or {}
    return found


def _label(payload: Mapping[str, Any]) -> str:
    answers = payload.get("answers", {})
    return canonical.label_of({canonical.property_of(name): value for name, value in answers.items()})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_TRANSITIONS: Mapping[str, str] = {
    State.IN_REVIEW: noted("Start of the review"),
    State.RETURNED_FOR_CHANGES: noted("Return for changes"),
    State.SUBMITTED_TO_CSP: noted("Approval"),
    State.REJECTED: noted("Decision to decline"),
    State.INCORPORATED: noted("Incorporation"),
    State.WITHDRAWN: noted("Withdrawal"),
}
_OTHER_TRANSITION = noted("Status change")

_TITLES: Mapping[ResourceKind, Callable[[Titles, Delivery], str]] = {
    ResourceKind.ENTITY: lambda names, row: say("Company"),
    ResourceKind.ENTITY_CSP: lambda names, row: say("Answers about the company"),
    ResourceKind.SHARE_CLASS: Titles._share_class,
    ResourceKind.SHARE_CLASS_CSP: Titles._share_class_answers,
    ResourceKind.PARTY: Titles._party,
    ResourceKind.PARTY_CSP: Titles._party_answers,
    ResourceKind.DOCUMENT: Titles._document,
    ResourceKind.SHAREHOLDING: Titles._shareholding,
    ResourceKind.SUBMISSION: lambda names, row: say("Submission"),
    ResourceKind.STATUS: lambda names, row: say(
        _TRANSITIONS.get(str(payload_of(row).get("status")), _OTHER_TRANSITION)
    ),
}
