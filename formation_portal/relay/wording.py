"""Name deliveries, and describe their states, calls and lookups to agents."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import format_number

from .models import (
    ENTITY,
    OTHER_STATUS,
    Attempt,
    Conclusion,
    Delivery,
    DeliveryState,
    Look,
    Reason,
    ResourceKind,
    ResourceName,
    referenced_name,
)

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
    """Titles of deliveries, with names from the answers in `rows`. `slot_words` are the readers' words for slots."""

    def __init__(self, rows: Iterable[Delivery], *, slot_words: Mapping[str, str] | None = None) -> None:
        self._slot_words = slot_words or {}
        self._labels: dict[tuple[int, ResourceName], str] = {}
        for row in rows:
            answers = payload_of(row).get("answers", {})
            properties = {canonical.property_of(name): value for name, value in answers.items()}
            self._labels[row.application_id, row.name] = canonical.label_of(properties)

    def application(self, row: Delivery) -> str:
        return self._labels.get((row.application_id, ENTITY)) or row.application.product_name

    def title(self, row: Delivery) -> str:
        match row.resource_kind:
            case ResourceKind.ENTITY:
                return gettext("Company")
            case ResourceKind.ENTITY_CSP:
                return gettext("Answers about the company")
            case ResourceKind.SHARE_CLASS:
                return gettext("Share class {name}").format(name=self._label(row, row.name))
            case ResourceKind.SHARE_CLASS_CSP:
                name = self._label(row, (ResourceKind.SHARE_CLASS, row.subject))
                return gettext("Answers about share class {name}").format(name=name)
            case ResourceKind.PARTY:
                name = self._label(row, row.name)
                kind = gettext(canonical.KIND_WORDS.get(str(payload_of(row).get("party_type")), ""))
                return ", ".join(filter(None, (capfirst(name), kind)))
            case ResourceKind.PARTY_CSP:
                return gettext("Answers of {name}").format(name=self._label(row, (ResourceKind.PARTY, row.subject)))
            case ResourceKind.DOCUMENT:
                name = str(payload_of(row).get("document_key") or gettext("Document"))
                return self._of_holder(row, self._slot_words.get(name, name))
            case ResourceKind.SHAREHOLDING:
                return self._shareholding(row)
            case ResourceKind.SUBMISSION:
                return gettext("Submission")
            case ResourceKind.STATUS:
                return gettext(_TRANSITIONS.get(str(payload_of(row).get("status")), _OTHER_TRANSITION))

    def _label(self, row: Delivery, name: ResourceName | None) -> str:
        if name is None:
            return ""
        return self._labels.get((row.application_id, name)) or gettext(_WITHOUT_A_NAME.get(name[0], ""))

    def _shareholding(self, row: Delivery) -> str:
        payload = payload_of(row)
        number = payload.get("shares_held")
        shares = format_number(number) if isinstance(number, int) else gettext("Shares")
        share_class = self._label(row, referenced_name(payload.get("share_class")))
        return self._of_holder(row, f"{shares} {share_class}".rstrip())

    def _of_holder(self, row: Delivery, what: str) -> str:
        holder = self._label(row, referenced_name(payload_of(row).get("party")))
        return gettext("{what} of {holder}").format(what=what, holder=holder) if holder else what


def titles_of(applications: Collection[int]) -> Titles:
    return Titles(Delivery.objects.filter(application__in=applications, kind__in=_NAMED_KINDS))


def payload_of(row: Delivery) -> Mapping[str, Any]:
    """Return the wanted payload; for a resource that is no longer wanted, the sent or acknowledged one."""
    payload: Mapping[str, Any] = row.wanted or row.sent or row.acknowledged or {}
    return payload


_STATES: Mapping[str, str] = {
    DeliveryState.QUEUED: "Will be sent",
    DeliveryState.SENDING: "Being sent",
    DeliveryState.DONE: "Received",
    DeliveryState.WAITING: "Waiting to retry",
    DeliveryState.UNKNOWN: "Delivery uncertain",
    DeliveryState.RECONCILING: "Checking the service’s records",
    DeliveryState.HELD: "Held",
    DeliveryState.REFUSED: "Not accepted: the customer has to change something",
}

_REASONS: Mapping[tuple[str, str], str] = {
    (DeliveryState.HELD, Reason.UNCLEAR): "It may have arrived, but the service’s records do not show it",
    (DeliveryState.HELD, Reason.STATE_CONFLICT): "The application has a different status at the service",
    (
        DeliveryState.UNKNOWN,
        Reason.STATE_CONFLICT,
    ): "Not accepted because of the application’s status at the service; checking that status",
    (DeliveryState.HELD, Reason.AMBIGUOUS): "Several records at the service could be this one",
    (DeliveryState.HELD, Reason.UNSUPPORTED): "The service cannot do this: tell it by e-mail, then record it here",
    (DeliveryState.HELD, Reason.FILE_MISSING): "The uploaded file was replaced or removed before it was sent",
    (DeliveryState.HELD, "not_found"): "The service no longer has it",
    (DeliveryState.HELD, "unexpected"): "The service sent an unexpected answer",
    (DeliveryState.HELD, Reason.NOT_ACCEPTED): "The service did not accept it and names no answer to change",
    (DeliveryState.HELD, Reason.KEY_REUSED): "The service says our idempotency key was used for different content",
    (DeliveryState.HELD, "invalid_state"): "The service does not accept this change in the entity’s current status",
    (DeliveryState.HELD, "schema_superseded"): "The service now has a newer form",
    (DeliveryState.DONE, Reason.DUPLICATE): "The service has duplicates",
    (DeliveryState.DONE, Reason.UNSUPPORTED): "The service cannot do this: tell it by e-mail, then record it here",
    (DeliveryState.DONE, Reason.PROVIDER_INFORMED): "Formation service informed",
    (DeliveryState.WAITING, Reason.NOT_AUTHORISED): "The service does not accept our key",
    (DeliveryState.WAITING, Reason.NOT_ALLOWED): "Our key lacks the scope for this: an operator has to request it",
    (DeliveryState.WAITING, Reason.FILE_MISSING): "The uploaded file cannot be read at the moment; trying again",
    (DeliveryState.WAITING, Reason.RESEND): "It did not arrive and will be sent again",
}

_OUTCOMES: Mapping[str, str] = {
    "": "No result recorded: still running, or its worker stopped",
    "done": "Done",
    Reason.IN_PROGRESS: "The service is still processing it",
    Reason.BOUND_ELSEWHERE: "The answer names a different record",
    Reason.TOO_LATE: "Out of time: not sent",
    "worker_died": "The worker stopped during the call",
    "NotSent": "No connection: not processed",
    "NotConfigured": "No service configured: not sent",
    "Unclear": "No usable answer: it may have been processed",
    "Busy": "The service was busy: not processed",
    "Refused": "Not accepted because of its content",
    "Conflict": "Not accepted: conflicts with an existing record",
    "NotAuthorised": "Our key was not accepted",
    "NotFound": "Not found",
    "NotThere": "Not found, or no such call",
    "Unsupported": "No such call",
    "UnexpectedAnswer": "Unexpected answer: not processed",
}


def state_words(row: Delivery) -> str:
    if (row.state, row.reason) in _REASONS:
        return _REASONS[row.state, row.reason]
    if row.state == DeliveryState.HELD and row.reason:
        return f"{_STATES[row.state]}: {readable(row.reason).lower()}"
    return _STATES[row.state]


def outcome_words(attempt: Attempt) -> str:
    return _OUTCOMES.get(attempt.outcome, readable(attempt.outcome))


def conclusion_words(look: Look) -> str:
    if look.conclusion.startswith(OTHER_STATUS):
        return f"Status there: {readable(look.conclusion.removeprefix(OTHER_STATUS)).lower()}"
    if look.conclusion in Conclusion:
        return Conclusion(look.conclusion).label
    return readable(look.conclusion)


def readable(word: str) -> str:
    """Return a stable word as people read it: `not_found` is "Not found"."""
    return capfirst(word.replace("_", " ").strip())
