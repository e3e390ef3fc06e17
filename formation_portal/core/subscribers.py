"""Who is told of what happens to an application, and in which order.

Each function is one event. It is called inside the transaction that makes the change: what the subscribers write is
committed or rolled back with it, and an error of one of them undoes it. Subscribers stand above the packages that call
these functions, so they are imported here when an event happens.
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
    """Tell of an application that was saved; `change` is the latest history entry. Return the rows to attest."""
    from formation_portal.desk.queue.queue_index import update_case
    from formation_portal.relay.sync import sync_deliveries

    sync_deliveries(draft)
    return update_case(draft, change)


def application_moved(draft: "Draft", *, by: "Author | None") -> "list[Model]":
    """Tell of a transition to another state; `by` is None for one by the service. Return the rows to attest."""
    from formation_portal.portal.applications.status_emails import send_confirmation, send_status_email
    from formation_portal.reviews.decisions import end_pending_decisions

    decisions = end_pending_decisions(draft, by)
    send_status_email(draft)
    send_confirmation(draft, by)
    return decisions


def submission_blockers(draft: "Draft") -> "tuple[Need, ...]":
    """What others need before an application can be submitted."""
    from formation_portal.relay.problems import block_submission

    return block_submission(draft)


def accepted_locks(draft: "Draft") -> "Locks | None":
    """What a reviewer has accepted of an application that was returned."""
    from formation_portal.reviews.locks import locks

    return locks(draft)


def application_returned(draft: "Draft") -> None:
    """A review has returned an application to its customer."""
    from formation_portal.reviews.locks import keep_what_was_accepted

    keep_what_was_accepted(draft)


def review_changed(draft: "Draft", *, by: "AbstractBaseUser | None", is_own_work: bool) -> None:
    """An agent has changed a review, or the formation service has (`by` is None); `is_own_work` is False then, and
    where an agent confirms or refuses what a colleague has proposed."""
    from formation_portal.desk.queue.claims import claim_when_working
    from formation_portal.desk.queue.queue_index import update_review

    if is_own_work:
        claim_when_working(draft, by=by)
    update_review(draft, by=by)


def refuse_claimed_case(draft: "Draft", *, by: "AbstractBaseUser") -> None:
    """Raise ClaimedByColleague where somebody else has claimed the case."""
    from formation_portal.desk.queue.claims import refuse_claimed_case as refuse

    refuse(draft, by=by)


def decision_stopped(draft: "Draft", *, decided_by: "AbstractBaseUser | None", by: "Author | None") -> None:
    """A decision does not take effect, since `by` has changed something first; None for the portal or the service."""
    from formation_portal.desk.queue.notices import send_decision_stopped

    send_decision_stopped(draft, to=decided_by, by=by)


def service_status_changed(draft: "Draft", *, status: "ServiceStatus | None") -> None:
    """A status that the formation service decided by itself waits for an agent, or no longer does (None)."""
    from formation_portal.desk.queue.queue_index import update_service_status

    update_service_status(draft, status)


def decision_saved(application: "Application") -> None:
    """A decision about an application was proposed, made or ended."""
    from formation_portal.desk.queue.queue_index import update_waiting_decision

    update_waiting_decision(application)


def proposal_refused(draft: "Draft", *, decision: "ReviewDecision", by: "AbstractBaseUser") -> None:
    """A second agent has refused a decision that a colleague has proposed."""
    from formation_portal.desk.queue.queue_index import give_back_refused

    give_back_refused(draft, decision, by)


def approval_blockers(draft: "Draft") -> "tuple[ApprovalBlocker, ...]":
    """What others have against an approval, on a page as in the transaction that approves."""
    from formation_portal.relay.problems import block_approval

    return block_approval(draft)


def account_renamed(user: "User") -> None:
    """An account has another name or e-mail address."""
    from formation_portal.desk.queue.queue_index import rewrite_words_of_owner

    rewrite_words_of_owner(user)


def part_finished(draft: "Draft", *, invitation: "Invitation") -> None:
    """A guest says that they have finished their part."""
    from formation_portal.portal.applications.status_emails import send_part_finished

    send_part_finished(draft, invitation)


def payment_due(draft: "Draft") -> None:
    """The formation service waits for the customer's payment before it carries out the submission."""
    from formation_portal.portal.applications.status_emails import send_payment_email

    send_payment_email(draft)


def document_removed(draft: "Draft", *, document: "Document") -> None:
    """The malware scanner has refused a file that was uploaded while it did not answer; its row is still there."""
    from formation_portal.portal.applications.status_emails import send_document_removed

    send_document_removed(draft, document)


def application_erased(application: "Application") -> None:
    """An application is about to be erased, a draft or one that is closed; the service knows of the draft alone that it
    goes."""
    from formation_portal.desk.queue.queue_index import delete_case
    from formation_portal.mail.outbox import empty_letters_about
    from formation_portal.relay.erasure import forget_application
    from formation_portal.reviews.erasure import erase_review
    from formation_portal.statistics.erasure import keep_figures_of_application

    keep_figures_of_application(application)
    erase_review(application)
    forget_application(application)
    delete_case(application)
    empty_letters_about(application.reference)


def party_erased(party: "Party", names: "Collection[str]") -> "tuple[list[Model], dict[str, list[str]]]":
    """A party is about to be erased: its names are replaced in what others keep, which is emptied where it is about
    the party. The attested rows that were altered, and the keys of those that are gone, by the labels of their
    models."""
    from formation_portal.invitations.parts import address_of_guest
    from formation_portal.mail.outbox import empty_letters_about, empty_letters_to
    from formation_portal.relay.erasure import forget_party
    from formation_portal.reviews.erasure import erase_party_in_review
    from formation_portal.statistics.erasure import keep_figures_of_party

    application, token = party.application, party.token
    keep_figures_of_party(application, token)
    empty_letters_about(application.reference)
    empty_letters_to(name for name in (*names, address_of_guest(party)) if "@" in name)
    told = forget_party(application, token, names)
    altered, gone = erase_party_in_review(application, token, names)
    return [*told, *altered], gone
