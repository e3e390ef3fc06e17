"""A review with a word in everything internal that gives it away, and every place where customers could read it."""

import io
import zipfile
from collections.abc import Iterator
from datetime import date
from itertools import product
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN, refuse_proposal
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import DeclineReason, QueryReason
from formation_portal.reviews.queries import delete_draft, draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests.pdfs import read_pdf
from tests.reviews.deciding import confirm_proposal, decide

# In lower case, as they are looked for.
AGENTS = ("quillfeather", "ottersby", "marrowgate", "thistlewood")
WORDS = (
    "canarynote",
    "canaryevidence",
    "canaryscreening",
    "canarydropped",
    "canarydrafted",
    "canaryproposed",
    "canaryrefusal",
    "canaryclaim",
    DeclineReason.SANCTIONS.label.lower(),
    str(QueryReason.OUTDATED.label).lower(),
)
CANARIES = (*AGENTS, *WORDS)
# What they are to read, so that whoever looks surely looks in the right places.
ASKED, NOTES, DECLINED = "Please show the whole page", "One thing is left to do", "We can not form this company"

PASSPORT = Target.of_document("ada", "Passport")
BIRTH = Target.of_field("ada", "person.date_of_birth")
# The demo's outbox shows e-mails to agents, too: those to others are read by `emails`.
_ROOMS_OF_OTHERS = ("/letters/", "/desk/", "/api/", "/accounts/")


class Review:
    """One application under the eyes of two agents; each transition takes it one state further."""

    def __init__(self, draft: Draft, owner: Any) -> None:
        self.owner = owner
        self.reference = draft.application.reference
        people = get_user_model().objects
        self.first = people.create_user(
            "quillfeather@desk.example", first_name="Quillfeather", last_name="Ottersby", is_agent=True
        )
        self.second = people.create_user(
            "marrowgate@desk.example", first_name="Marrowgate", last_name="Thistlewood", is_agent=True
        )
        self.helper = people.create_user("helper@example.com", first_name="Hanna", last_name="Hilfe")
        now = timezone.now()
        Collaborator.objects.create(
            application=draft.application, email="helper@example.com", right="edit", user=self.helper, asked_at=now,
            expires_at=now, accepted_at=now,
        )  # fmt: skip

    @property
    def draft(self) -> Draft:
        """As it stands now."""
        return open_draft(Application.objects.get(reference=self.reference))

    def look(self) -> None:
        """Claimed, taken over, noted, checked and asked about; a decline waits for the second agent."""
        services.submit(self.draft, by=self.owner, declaration="I declare it.")
        pk = self.draft.application.pk
        claims.claim([pk], by=self.second)
        claims.take_over(Case.objects.get(pk=pk), by=self.first, reason="canaryclaim")
        write_note(self.draft, BIRTH, text="canarynote", by=self.first)
        passport = self.draft.documents_of(self.draft.party("ada"))["Passport"]
        prove(self.draft, BIRTH, passport, 1, text="canaryevidence", by=self.first, **self._seen)
        ada = self.draft.party("ada")
        assert ada is not None
        checked = {"kind": "sanctions", "outcome": "match", "text": "canaryscreening", "done_on": date(2026, 11, 20)}
        record_screening(self.draft, ada, **checked, by=self.first)
        accept(self.draft, [Target(TargetKind.SECTION, "funds")], by=self.first, **self._seen)
        self._ask(BIRTH, "canarydropped")
        delete_draft(self.draft, self.draft.application.queries.get().pk, by=self.first, **self._seen)
        self._ask(BIRTH, "canarydrafted")
        decide(self.draft, DECLINE, text="canaryproposed", reason=DeclineReason.SANCTIONS, by=self.first, **self._seen)

    def give_back(self) -> None:
        """The second agent refuses that, and it goes back with one question."""
        refuse_proposal(self.draft, why="canaryrefusal", by=self.second, **self._seen)
        delete_draft(self.draft, self.draft.application.queries.get(dropped_at=None).pk, by=self.first, **self._seen)
        self._ask(PASSPORT, ASKED)
        decide(self.draft, RETURN, text=NOTES, reason=DeclineReason.SANCTIONS, by=self.first, **self._seen)
        write_note(self.draft, PASSPORT, text="canarynote once more", by=self.second)

    def answer(self) -> None:
        """Answered, all of it accepted; an approval waits for the second agent."""
        services.submit(self.draft, by=self.owner, declaration="I declare it.")
        accept(self.draft, [fact.target for fact in load_checklist(self.draft)], by=self.first, **self._seen)
        decide(self.draft, APPROVE, text="canaryproposed", reason=DeclineReason.SANCTIONS, by=self.first, **self._seen)

    def approve(self) -> None:
        """The second agent refuses that, too, and confirms the next."""
        refuse_proposal(self.draft, why="canaryrefusal", by=self.second, **self._seen)
        decide(self.draft, APPROVE, reason=DeclineReason.SANCTIONS, by=self.first, **self._seen)
        confirm_proposal(self.draft, by=self.second, **self._seen)

    def incorporate(self) -> None:
        """It is done."""
        decide(self.draft, INCORPORATE, by=self.first, **self._seen)

    def decline(self) -> None:
        """Both agree that it can't be formed."""
        decide(self.draft, DECLINE, text=DECLINED, reason=DeclineReason.SANCTIONS, by=self.first, **self._seen)
        confirm_proposal(self.draft, by=self.second, **self._seen)

    def _ask(self, target: Target, text: str) -> None:
        draft_query(self.draft, target, text=text, reason=QueryReason.OUTDATED, by=self.first, **self._seen)

    @property
    def _seen(self) -> dict[str, Any]:
        return {"version": current_version(self.draft.application)}


def addresses(review: Review, invitation: Invitation) -> list[str]:
    """Every address of the portal but those of other rooms, with everything in it that the application has."""
    found = addresses_of_all_rooms(review.draft, invitation)
    return [path for path in found if not path.startswith(_ROOMS_OF_OTHERS)]


def addresses_of_all_rooms(draft: Draft, invitation: Invitation) -> list[str]:
    """Those of the desk and the accounts, too."""
    parties, classes = ([row.token for row in rows] for rows in (draft.parties, draft.share_classes))
    values: dict[str, list[Any]] = {
        "reference": [draft.application.reference, invitation.reference],
        "key": [*(section.key for section in draft.schema.sections), draft.application.product_id],
        "token": [*parties, *classes],
        "party": parties,
        "share_class": classes,
        "number": [*_numbers(draft), *Email.objects.values_list("number", flat=True)],
        "page": [1],
    }
    return list(_paths(values))


def _numbers(draft: Draft) -> list[int]:
    changes = Change.objects.filter(application=draft.application).order_by("-pk")[:1]
    return [*(one.pk for one in draft.documents), *(one.pk for one in changes)]


def _paths(values: dict[str, list[Any]], resolver: Any = None, prefix: str = "/") -> Iterator[str]:
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _paths(values, entry, path)
        elif isinstance(entry, URLPattern):
            yield from _filled(path, values)


def _filled(route: str, values: dict[str, list[Any]]) -> Iterator[str]:
    parts = [part for part in route.split("/") if part.startswith("<")]
    names = [part.strip("<>").rpartition(":")[2] for part in parts]
    for chosen in product(*(values.get(name, ["sample"]) for name in names)):
        path = route
        for part, value in zip(parts, chosen, strict=True):
            path = path.replace(part, str(value), 1)
        yield path


def read(client: Client, path: str) -> str:
    """What somebody reads there, in lower case; a PDF's and a workbook's words, too."""
    return text_of(client.get(path, follow=True))


def text_of(response: Any) -> str:
    """An answer's words."""
    body = _body(response)
    kind = response.headers.get("Content-Type", "")
    if kind.startswith("application/pdf") and body.startswith(b"%PDF") and len(body) > 100:
        text = read_pdf(body).text
    elif body.startswith(b"PK"):
        packed = zipfile.ZipFile(io.BytesIO(body))
        text = " ".join(packed.read(name).decode("utf-8", "replace") for name in packed.namelist())
    else:
        text = body.decode("utf-8", "replace")
    return f"{response.headers} {text}".lower()


def _body(response: HttpResponse) -> bytes:
    streamed = getattr(response, "streaming_content", None)
    return b"".join(streamed) if streamed is not None else response.content


def emails() -> str:
    """Everything that was written to anybody but agents."""
    agents = set(get_user_model().objects.filter(is_agent=True).values_list("email", flat=True))
    written = (one for one in Email.objects.all() if one.to not in agents)
    return " ".join(f"{one.to} {one.subject} {one.text} {one.html}" for one in written).lower()


def found_in(text: str, canaries: tuple[str, ...] = CANARIES) -> list[str]:
    """The words of it that give something away."""
    return [word for word in canaries if word in text]
