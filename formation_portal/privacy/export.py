"""What is kept of a person, as one archive: a page to read, the same as JSON, and the files that were uploaded.

It holds the account, the applications that it owns, with all that was typed, uploaded, asked and sent, and the parts of
others' applications that its holder has filled in as a guest. It does not hold what agents have written among
themselves and what screening checks have found: to tell of it may be an offence (README.md).
"""

import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
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
from formation_portal.mail.models import Letter
from formation_portal.reviews.customer_queries import customer_queries
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision

FORMAT, VERSION = "formation-portal/person", 1

Exported = dict[str, Any]


def person(user: User) -> tuple[Exported, list[Document]]:
    """Everything as JSON can say it, and the documents whose files go with it. Some twenty queries an application."""
    drafts = [open_draft(one) for one in Application.objects.owned_by(user).order_by("pk")]
    parts = [(open_draft(one.application), one) for one in _parts_of(user)]
    documents = [one for draft in drafts for one in draft.application.documents.order_by("pk")]
    documents += [one for _, part in parts for one in part.party.documents.order_by("pk")]
    said = {
        "format": FORMAT,
        "version": VERSION,
        "account": _account(user),
        "applications": [_application(draft) for draft in drafts],
        "parts": [_part(draft, invitation) for draft, invitation in parts],
        "shared_with_you": [
            {"reference": one.application.reference, "right": one.right, "since": _time(one.accepted_at)}
            for one in Collaborator.objects.filter(user=user).select_related("application").order_by("pk")
        ],
        "letters": list(_letters(user)),
    }
    return said, documents


def archive(user: User) -> Iterator[bytes]:
    """The archive, piece by piece: nothing of it is written to a disk. What it says is read before it begins."""
    said, documents = person(user)
    return _packed(said, documents)


def person_in(application: Application, token: str) -> Iterator[bytes] | None:
    """The same of one party of somebody's application, for a person who has no account; None where there is none."""
    draft = open_draft(application)
    party = export_party(draft, token)
    if party is None:
        return None
    documents = list(application.documents.filter(party__token=token).order_by("pk"))
    said = {
        "format": FORMAT,
        "version": VERSION,
        "parts": [{"reference": application.reference, "party": party, "files": _files(documents)}],
    }
    return _packed(said, documents)


def _packed(said: Exported, documents: Iterable[Document]) -> Iterator[bytes]:
    texts = {
        "index.html": render_to_string("privacy/export.html", {"said": said}),
        "data.json": json.dumps(said, ensure_ascii=False, indent=2),
    }
    return _pieces(texts, documents)


def _pieces(texts: dict[str, str], documents: Iterable[Document]) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in texts.items():
            packed.writestr(name, text)
            yield pipe.taken()
        for document in documents:
            if _has_file(document):
                with document.file.open("rb") as content:
                    packed.writestr(file_name(document), content.read(), zipfile.ZIP_STORED)
                yield pipe.taken()
    yield pipe.taken()


def _has_file(document: Document) -> bool:
    """Whether its file can be handed out: the copy is here, and the malware scanner has answered."""
    return document.has_copy and not document.is_checking


def file_name(document: Document) -> str:
    """Where a document's file stands in the archive."""
    return f"files/{document.pk}-{document.download_name}"


class _Pipe:
    """What a ZIP file writes to, and hands on at once."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, some: bytes) -> int:
        self._written.append(bytes(some))
        return len(some)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""

    def taken(self) -> bytes:
        """What was written since it was taken last."""
        taken, self._written = b"".join(self._written), []
        return taken


def _account(user: User) -> Exported:
    return {
        "number": user.pk,
        "email": user.email,
        "addresses": [
            {"email": one.email, "confirmed": one.verified}
            for one in EmailAddress.objects.filter(user=user).order_by("pk")
        ],
        "first_name": user.first_name,
        "last_name": user.last_name,
        "language": user.language,
        "created": _time(user.date_joined),
        "last_sign_in": _time(user.last_login),
        # What they are, and never their secrets.
        "second_factors": [
            {"type": one.type, "added": _time(one.created_at), "used": _time(one.last_used_at)}
            for one in Authenticator.objects.filter(user=user).defer("data").order_by("pk")
        ],
        "sessions": [
            {
                "address": one.ip,
                "browser": one.user_agent,
                "began": _time(one.created_at),
                "used": _time(one.last_seen_at),
            }
            for one in UserSession.objects.filter(user=user).order_by("pk")
        ],
    }


def _application(draft: Draft) -> Exported:
    application = draft.application
    return export(draft) | {
        # Everything as it is stored, also what no question asks any more and who was removed.
        "typed": {
            "sections": {row.section_key: row.raw for row in application.section_answers.all()},
            "parties": {row.token: row.raw for row in application.parties.all()},
            "share_classes": {row.token: row.raw for row in application.share_classes.all()},
        },
        "files": _files(application.documents.order_by("pk")),
        "people_with_access": [
            {"email": one.email, "right": one.right, "asked": _time(one.asked_at), "since": _time(one.accepted_at)}
            for one in application.collaborators.all()
        ],
        "invitations": [
            {
                "party": one.party.token,
                "email": one.email,
                "sent": _time(one.sent_at),
                "opened": _time(one.opened_at),
                "done": _time(one.done_at),
            }
            for one in Invitation.objects.filter(application=application).select_related("party")
        ],
        "queries": [
            {
                "about": one.label,
                "text": one.text,
                "proposal": one.proposal,
                "sent": _time(one.sent_at),
                "reply": one.reply,
            }
            for one in customer_queries(application)
        ],
        "decisions": [
            {
                "what": one.deed,
                "reason": one.reason,
                "text": one.text,
                "at": _time(one.at),
                "register_number": one.register_number,
            }
            for one in ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.DONE)
        ],
    }


def _parts_of(user: User) -> Iterable[Invitation]:
    """The parts that the account's holder was asked to fill in, and has opened: its confirmed address was asked."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    theirs = Q.create([Q(email__iexact=one) for one in confirmed], Q.OR) if confirmed else Q(pk=None)
    found = Invitation.objects.filter(theirs, withdrawn_at=None, party__removed_at=None).exclude(opened_at=None)
    return found.select_related("application", "party").order_by("pk")


def _part(draft: Draft, invitation: Invitation) -> Exported:
    return {
        "reference": draft.application.reference,
        "asked": _time(invitation.sent_at),
        "done": _time(invitation.done_at),
        "party": export_party(draft, invitation.party.token),
        "files": _files(invitation.party.documents.order_by("pk")),
    }


def _files(documents: Iterable[Document]) -> list[Exported]:
    return [
        {
            "slot": one.slot,
            "name": one.name,
            "sha256": one.sha256,
            "uploaded": _time(one.uploaded_at),
            "replaced": _time(one.replaced_at),
            "file": file_name(one) if _has_file(one) else None,
        }
        for one in documents
    ]


def _letters(user: User) -> Iterator[Exported]:
    """The letters to the account's address whose content is still kept."""
    for one in Letter.objects.exclude(to="").order_by("pk").iterator():
        if one.to.lower() == user.email.lower():
            yield {"kind": one.kind, "subject": one.subject, "text": one.text, "sent": _time(one.sent_at)}


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
