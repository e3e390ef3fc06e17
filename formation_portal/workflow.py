"""Handle the events of applications: one function for each event, with its calls in a fixed order.

A function runs in the transaction of the event's change, which an error undoes. It imports inside its body, because
it calls packages above the ones that report the event.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import AbstractBaseUser
    from django.db.models import Model

    from formation_portal.accounts.models import User
    from formation_portal.applications.access import Author
    from formation_portal.applications.draft import Draft
    from formation_portal.applications.locks import Locks
    from formation_portal.applications.models import Application, Change, Document, Party
    from formation_portal.contract.needs import Need
    from formation_portal.invitations.models import Invitation
    from formation_portal.reviews.checklist import ApprovalBlocker
    from formation_portal.reviews.models import ReviewDecision, ServiceStatus


def application_changed(draft: "Draft", change: "Change | None" = None) -> "list[Model]":
    """Update deliveries and the agents' queue. Return the rows to attest. `change` is the latest history entry."""
    from formation_portal.desk.queue.queue_index import update_case
    from formation_portal.relay.sync import sync_deliveries

    sync_deliveries(draft)
    return update_case(draft, change)


def application_moved(draft: "Draft", *, by: "Author | None") -> "list[Model]":
    """Handle a transition. Return the rows to attest. `by` is None for the formation service."""
    from formation_portal.portal.applications.status_emails import send_confirmation, send_status_email
    from formation_portal.reviews.decisions import end_pending_decisions

    decisions = end_pending_decisions(draft, by)
    send_status_email(draft)
    send_confirmation(draft, by)
    return decisions


def submission_blockers(draft: "Draft") -> "tuple[Need, ...]":
    from formation_portal.relay.problems import block_submission

    return block_submission(draft)


def accepted_locks(draft: "Draft") -> "Locks | None":
    from formation_portal.reviews.locks import locks

    return locks(draft)


def application_returned(draft: "Draft") -> None:
    from formation_portal.reviews.locks import keep_what_was_accepted

    keep_what_was_accepted(draft)


def review_changed(draft: "Draft", *, by: "AbstractBaseUser | None", is_own_work: bool) -> None:
    """Handle a change of a review by an agent, or by the formation service if `by` is None.

    `is_own_work` is False for the service, and for an agent who confirms or refuses a colleague's proposal.
    """
    from formation_portal.desk.queue.claims import claim_when_working
    from formation_portal.desk.queue.queue_index import update_review

    if is_own_work:
        claim_when_working(draft, by=by)
    update_review(draft, by=by)


def refuse_claimed_case(draft: "Draft", *, by: "AbstractBaseUser") -> None:
    """Raise ClaimedByColleague if another agent has claimed the case."""
    from formation_portal.desk.queue.claims import refuse_claimed_case as refuse

    refuse(draft, by=by)


def decision_stopped(draft: "Draft", *, decided_by: "AbstractBaseUser | None", by: "Author | None") -> None:
    """Handle a decision stopped by a change of `by`, who is None for the portal and the formation service."""
    from formation_portal.desk.queue.notices import send_notice

    send_notice("decision_stopped", draft, to=decided_by, by=by)


def service_status_changed(draft: "Draft", *, status: "ServiceStatus | None") -> None:
    """Handle a status of the formation service that waits for an agent, or None if none waits any longer."""
    from formation_portal.desk.queue.queue_index import update_service_status

    update_service_status(draft, status)


def decision_saved(application: "Application") -> None:
    from formation_portal.desk.queue.queue_index import update_waiting_decision

    update_waiting_decision(application)


def decision_told(draft: "Draft", *, decision: "ReviewDecision") -> None:
    """Handle a decision with a message to the customer that takes effect and moves nothing."""
    from formation_portal.portal.applications.status_emails import send_decision_email

    send_decision_email(draft, decision.kind)


def proposal_refused(draft: "Draft", *, decision: "ReviewDecision", by: "AbstractBaseUser") -> None:
    from formation_portal.desk.queue.queue_index import give_back_refused

    give_back_refused(draft, decision, by)


def approval_blockers(draft: "Draft") -> "tuple[ApprovalBlocker, ...]":
    from formation_portal.relay.problems import block_approval

    return block_approval(draft)


def account_renamed(user: "User") -> None:
    from formation_portal.desk.queue.queue_index import rewrite_words_of_owner

    rewrite_words_of_owner(user)


def part_finished(draft: "Draft", *, invitation: "Invitation") -> None:
    from formation_portal.portal.applications.status_emails import send_part_finished

    send_part_finished(draft, invitation)


def payment_due(draft: "Draft") -> None:
    """Handle the formation service's request for the customer's payment."""
    from formation_portal.portal.applications.status_emails import send_decision_email

    send_decision_email(draft, "payment_due")


def document_removed(draft: "Draft", *, document: "Document") -> None:
    """Handle the malware scanner's later refusal of a file uploaded during its outage. The file's row still exists."""
    from formation_portal.portal.applications.status_emails import send_document_removed

    send_document_removed(draft, document)


def application_erased(application: "Application") -> None:
    """Erase other packages' data about a draft or closed application, before the application itself is erased."""
    from formation_portal.desk.queue.queue_index import delete_case
    from formation_portal.mail.outbox import empty_emails_about
    from formation_portal.relay.erasure import forget_application
    from formation_portal.reviews.erasure import erase_review
    from formation_portal.statistics.erasure import keep_figures_of_application

    keep_figures_of_application(application)
    erase_review(application)
    forget_application(application)
    delete_case(application)
    empty_emails_about(application.reference)


def party_erased(party: "Party", names: "Collection[str]") -> "tuple[list[Model], dict[str, list[str]]]":
    """Erase other packages' data about a party, and replace its names, before the party itself is erased.

    Return the attested rows that were altered, and the keys of the deleted ones by their models' labels.
    """
    from formation_portal.invitations.parts import address_of_guest
    from formation_portal.mail.outbox import empty_emails_about, empty_emails_to
    from formation_portal.relay.erasure import forget_party
    from formation_portal.reviews.erasure import erase_party_in_review
    from formation_portal.statistics.erasure import keep_figures_of_party

    application = party.application
    keep_figures_of_party(application, party.token)
    empty_emails_about(application.reference)
    empty_emails_to(name for name in (*names, address_of_guest(party)) if "@" in name)
    altered_deliveries = forget_party(application, party.token, names)
    altered_reviews, deleted_keys = erase_party_in_review(application, party.token, names)
    return [*altered_deliveries, *altered_reviews], deleted_keys
