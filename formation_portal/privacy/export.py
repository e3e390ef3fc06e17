"""The export of a person's data as a page to read and as JSON, with the uploaded files. Agents' notes and screening
checks are left out, since disclosing them may be an offence."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from operator import attrgetter
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db.models import Q
from django.template.loader import render_to_string

from formation_portal.accounts.models import User
from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.export import export, export_party
from formation_portal.applications.models import Application, Document
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.reviews.customer_queries import customer_queries
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision

FORMAT = "formation-portal/person"
VERSION = 1

Exported = dict[str, Any]


def export_account(user: User) -> tuple[Exported, list[Document]]:
    """Return an account's data for JSON, and the documents whose files are exported with it."""
    applications = []
    documents: list[Document] = []
    for application in Application.objects.owned_by(user).order_by("pk"):
        draft = open_draft(application)
        applications.append(_application(draft))
        documents += draft.application.documents.order_by("pk")
    parts = []
    for invitation in _opened_invitations(user):
        party_documents = list(invitation.party.documents.order_by("pk"))
        part = {
            "reference": invitation.application.reference,
            "asked": _time(invitation.sent_at),
            "done": _time(invitation.done_at),
            "party": export_party(open_draft(invitation.application), invitation.party.token),
            "files": _files(party_documents),
        }
        parts.append(part)
        documents += party_documents
    shared = Collaborator.objects.filter(user=user).select_related("application").order_by("pk")
    # The e-mails' addresses are encrypted, so the database can't search for them.
    all_emails = Email.objects.exclude(to="").order_by("pk").iterator()
    emails = [email for email in all_emails if email.to.lower() == user.email.lower()]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "account": _account(user),
        "applications": applications,
        "parts": parts,
        "shared_with_you": _rows(shared, reference="application.reference", right="right", since="accepted_at"),
        "letters": _rows(emails, kind="kind", subject="subject", text="text", sent="sent_at"),
    }
    return content, documents


def account_archive(user: User) -> Iterator[bytes]:
    """Return the account's ZIP archive piece by piece, so that no part is written to a disk."""
    content, documents = export_account(user)
    return _zip(content, documents)


def party_archive(application: Application, token: str) -> Iterator[bytes] | None:
    """Return a party's ZIP archive, for a person without an account; None if there is no such party."""
    party = export_party(open_draft(application), token)
    if party is None:
        return None
    documents = list(application.documents.filter(party__token=token).order_by("pk"))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "parts": [{"reference": application.reference, "party": party, "files": _files(documents)}],
    }
    return _zip(content, documents)


def _zip(content: Exported, documents: Iterable[Document]) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive_file:
        archive_file.writestr("index.html", render_to_string("privacy/export.html", {"content": content}))
        archive_file.writestr("data.json", json.dumps(content, ensure_ascii=False, indent=2))
        for document in documents:
            if _has_file(document):
                with document.file.open("rb") as file:
                    archive_file.writestr(file_name(document), file.read(), zipfile.ZIP_STORED)
                yield pipe.take()
    yield pipe.take()


def _has_file(document: Document) -> bool:
    return document.has_copy and not document.is_checking


def file_name(document: Document) -> str:
    return f"files/{document.pk}-{document.download_name}"


class _Pipe(io.RawIOBase):
    """The file that a ZIP archive is written to. The content so far can be taken at any time."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: Any, /) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _account(user: User) -> Exported:
    addresses = EmailAddress.objects.filter(user=user).order_by("pk")
    # The factors' secrets are left out.
    factors = Authenticator.objects.filter(user=user).defer("data").order_by("pk")
    sessions = UserSession.objects.filter(user=user).order_by("pk")
    return {
        "number": user.pk,
        "email": user.email,
        "addresses": _rows(addresses, email="email", confirmed="verified"),
        "first_name": user.first_name,
        "last_name": user.last_name,
        "language": user.language,
        "created": _time(user.date_joined),
        "last_sign_in": _time(user.last_login),
        "second_factors": _rows(factors, type="type", added="created_at", used="last_used_at"),
        "sessions": _rows(sessions, address="ip", browser="user_agent", began="created_at", used="last_seen_at"),
    }


def _application(draft: Draft) -> Exported:
    application = draft.application
    invitations = Invitation.objects.filter(application=application).select_related("party")
    queries = customer_queries(application)
    decisions = ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.DONE)
    return export(draft) | {
        # Answers as stored, including those to questions no longer asked, and those of removed parties.
        "typed": {
            "sections": {row.section_key: row.raw for row in application.section_answers.all()},
            "parties": {row.token: row.raw for row in application.parties.all()},
            "share_classes": {row.token: row.raw for row in application.share_classes.all()},
        },
        "files": _files(application.documents.order_by("pk")),
        "people_with_access": _rows(
            application.collaborators.all(), email="email", right="right", asked="asked_at", since="accepted_at"
        ),
        "invitations": _rows(
            invitations, party="party.token", email="email", sent="sent_at", opened="opened_at", done="done_at"
        ),
        "queries": _rows(queries, about="label", text="text", proposal="proposal", sent="sent_at", reply="reply"),
        "decisions": _rows(
            decisions, what="kind", reason="reason", text="text", at="at", register_number="register_number"
        ),
    }


def _opened_invitations(user: User) -> Iterable[Invitation]:
    """Return the opened invitations that were sent to a confirmed e-mail address of the account."""
    addresses = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    if not addresses:
        return []
    to_user = Q.create([Q(email__iexact=address) for address in addresses], Q.OR)
    invitations = Invitation.objects.filter(to_user, withdrawn_at=None, party__removed_at=None).exclude(opened_at=None)
    return invitations.select_related("application", "party").order_by("pk")


def _files(documents: Iterable[Document]) -> list[Exported]:
    files = _rows(documents, slot="slot", name="name", sha256="sha256", uploaded="uploaded_at", replaced="replaced_at")
    for document, exported in zip(documents, files, strict=True):
        exported["file"] = file_name(document) if _has_file(document) else None
    return files


def _rows(rows: Iterable[Any], **attributes: str) -> list[Exported]:
    """Export the named attributes of each row, each under its keyword."""
    exported: list[Exported] = []
    for row in rows:
        values = {}
        for name, attribute in attributes.items():
            value = attrgetter(attribute)(row)
            values[name] = _time(value) if isinstance(value, datetime) else value
        exported.append(values)
    return exported


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
