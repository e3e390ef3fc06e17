"""What each delivery is about in words, from the rows alone: "Share class Ordinary", "Passport of Ada Lovelace"."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import format_number, gettext, gettext_noop

from .models import Delivery
from .resources import ENTITY, ResourceKind, ResourceName, referenced_name

_NAMED_KINDS = (ResourceKind.ENTITY, ResourceKind.SHARE_CLASS, ResourceKind.PARTY)
_WITHOUT_A_NAME = {
    ResourceKind.SHARE_CLASS: gettext_noop("(unnamed)"),
    ResourceKind.PARTY: gettext_noop("unnamed person or company"),
}
_TRANSITIONS: Mapping[str, str] = {
    State.IN_REVIEW: gettext_noop("Start of the review"),
    State.RETURNED_FOR_CHANGES: gettext_noop("Return for changes"),
    State.SUBMITTED_TO_CSP: gettext_noop("Approval"),
    State.REJECTED: gettext_noop("Decision to decline"),
    State.INCORPORATED: gettext_noop("Incorporation"),
    State.WITHDRAWN: gettext_noop("Withdrawal"),
}
_OTHER_TRANSITION = gettext_noop("Status change")


class Titles:
    """The names of entities, parties and share classes that the rows of some applications hold."""

    def __init__(self, rows: Iterable[Delivery]) -> None:
        self._labels: dict[tuple[int, ResourceName], str] = {}
        for row in rows:
            answers = payload_of(row).get("answers", {})
            properties = {canonical.property_of(name): value for name, value in answers.items()}
            self._labels[row.application_id, row.name] = canonical.label_of(properties)

    def application(self, row: Delivery) -> str:
        """The name that the entity will have; what the product is called, while it has none."""
        return self._labels.get((row.application_id, ENTITY)) or row.application.product_name

    def title(self, row: Delivery) -> str:
        """What the row is about."""
        match row.resource_kind:
            case ResourceKind.ENTITY:
                return gettext("Company")
            case ResourceKind.ENTITY_CSP:
                return gettext("Answers about the company")
            case ResourceKind.SHARE_CLASS:
                return gettext("Share class {name}", name=self._of(row, row.name))
            case ResourceKind.SHARE_CLASS_CSP:
                name = self._of(row, (ResourceKind.SHARE_CLASS, row.subject))
                return gettext("Answers about share class {name}", name=name)
            case ResourceKind.PARTY:
                name = self._of(row, row.name)
                kind = gettext(canonical.KIND_WORDS.get(str(payload_of(row).get("party_type")), ""))
                return ", ".join(part for part in (name[:1].upper() + name[1:], kind) if part)
            case ResourceKind.PARTY_CSP:
                return gettext("Answers of {name}", name=self._of(row, (ResourceKind.PARTY, row.subject)))
            case ResourceKind.DOCUMENT:
                return self._document(row)
            case ResourceKind.SHAREHOLDING:
                return self._shareholding(row)
            case ResourceKind.SUBMISSION:
                return gettext("Submission")
            case ResourceKind.STATUS:
                return gettext(_TRANSITIONS.get(str(payload_of(row).get("status")), _OTHER_TRANSITION))

    def _of(self, row: Delivery, name: ResourceName | None) -> str:
        if name is None:
            return ""
        return self._labels.get((row.application_id, name)) or gettext(_WITHOUT_A_NAME.get(name[0], ""))

    def _document(self, row: Delivery) -> str:
        payload = payload_of(row)
        slot = str(payload.get("document_key") or gettext("Document"))
        holder = self._of(row, referenced_name(payload.get("party")))
        return gettext("{what} of {holder}", what=slot, holder=holder) if holder else slot

    def _shareholding(self, row: Delivery) -> str:
        payload = payload_of(row)
        number = payload.get("shares_held")
        shares = format_number(number) if isinstance(number, int) else gettext("Shares")
        held, holder = (
            self._of(row, referenced_name(payload.get("share_class"))),
            self._of(row, referenced_name(payload.get("party"))),
        )
        what = " ".join(part for part in (shares, held) if part)
        return gettext("{what} of {holder}", what=what, holder=holder) if holder else what


def titles_of(applications: Collection[int]) -> Titles:
    """The names within these applications, by their primary keys: one query."""
    return Titles(Delivery.objects.filter(application__in=applications, kind__in=_NAMED_KINDS))


def payload_of(row: Delivery) -> Mapping[str, Any]:
    """What is wanted there; of a thing that is wanted no more, what was sent or is there."""
    found: Mapping[str, Any] = row.wanted or row.sent or row.acknowledged or {}
    return found
