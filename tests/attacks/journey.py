"""One application from signing up to its register number, and all that can go wrong on the way."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from formation_portal.accounts import addresses
from formation_portal.accounts.sessions import SessionStore
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.invitations import parts
from formation_portal.mail.worker import send_due
from formation_portal.relay.worker import drain
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import APPROVE, INCORPORATE, RETURN, Registration
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.applications.imports.sample_sheets import as_csv
from tests.portal.sharing.test_part import let_in
from tests.privacy.stages import again
from tests.relay.flaky_transport import FlakyTransport, lost_after, refuses
from tests.reviews.deciding import decide

from . import identity_canaries as typed
from .traces import TracedClient


class Journey:
    """One application from signing up to its register number, and all that can go wrong on the way."""

    def __init__(self, transport: FlakyTransport) -> None:
        self.transport = transport
        store_catalog([typed.item()])
        self.client, self.reader = TracedClient(), TracedClient()
        people = get_user_model().objects
        self.agent = people.create_user("agent@desk.example", first_name="Mira", last_name="Okafor", is_agent=True)
        self.second = people.create_user("second@desk.example", first_name="Dev", last_name="Rao", is_agent=True)
        self.desk = TracedClient()
        self.desk.force_login(self.agent)
        self.reference = ""

    @property
    def draft(self) -> Draft:
        return open_draft(Application.objects.get(reference=self.reference))

    @property
    def ada(self) -> Any:
        return self.draft.party(self.token)

    def path(self, rest: str = "") -> str:
        return f"/applications/{self.reference}/{rest}"

    def sign_up(self) -> None:
        """With a wrong form first; then out, and in again with a wrong password first."""
        self.client.post("/accounts/signup/", typed.ACCOUNT | {"password1": "x"})
        assert self.client.post("/accounts/signup/", typed.ACCOUNT).status_code == 302
        self.owner = get_user_model().objects.get(email=typed.ACCOUNT["email"])
        addresses.confirm(self.owner)
        self.client.logout()
        login = {"login": typed.ACCOUNT["email"], "password": typed.ACCOUNT["password1"]}
        self.client.post("/accounts/login/", login | {"password": f"{typed.ACCOUNT['password1']}!"})
        self.client.post("/accounts/password/reset/", {"email": typed.ACCOUNT["email"]})
        assert self.client.post("/accounts/login/", login)["Location"] == "/applications/"

    def fill_in(self) -> None:
        self.reference = self.client.post("/applications/", {"product": "example"})["Location"].split("/")[2]
        for key, raw in (
            ("the-company", typed.COMPANY),
            ("funds", {"xy.capital": {"amount": typed.CAPITAL, "currency": "USD"}}),
        ):
            self._save(key, raw)
        self.token, self.company = self._add("person", typed.PERSON), self._add("corporate", typed.CORPORATE)
        self.client.post(self.path("shares/classes/new/"), self._posted(factories.ORDINARY | typed.CLASS))
        (share_class,) = (row.token for row in self.draft.share_classes)
        self.client.post(
            self.path("shares/"),
            {f"holding:{self.token}:{share_class}": typed.SHARES, "version": str(self.draft.version("share-classes"))},
        )
        for slot, name, content in (
            (f"{self.token}/Passport", typed.FILE_NAME, typed.marked_jpeg()),
            ("/Business plan", typed.OTHER_FILE, typed.marked_pdf()),
            (f"{self.company}/Register extract", typed.OTHER_FILE, typed.marked_pdf()),
        ):
            answer = self.client.post(self.path("documents/"), {"slot": slot, "file": factories.upload(content, name)})
            assert answer.status_code == 302
        sheet = self.client.post(
            self.path("people/spreadsheet/"), {"sheet": factories.upload(as_csv(*typed.SHEET), typed.SHEET_NAME)}
        )
        rows = re.findall(r'name="row"\s+value="(\w+)"', self.client.get(sheet["Location"]).content.decode())
        self.client.post(sheet["Location"], {"row": rows})
        from_sheet = self.draft.parties[-1].token
        passport = {"slot": f"{from_sheet}/Passport", "file": factories.upload(typed.marked_pdf(), typed.OTHER_FILE)}
        assert self.client.post(self.path("documents/"), passport).status_code == 302

    def _save(self, key: str, raw: dict[str, Any]) -> None:
        for headers in ({"HX-Request": "true"}, {}):
            posted = self._posted(raw) | {"version": str(self.draft.version(key))}
            assert self.client.post(self.path(f"sections/{key}/"), posted, headers=headers).status_code in (200, 302)

    def _add(self, kind: str, raw: dict[str, Any]) -> str:
        posted = {"kind": kind, "roles": ["director", "shareholder"] if kind == "person" else ["director"]}
        address = self.client.post(self.path("people/new/"), posted)["Location"]
        named = self._posted(raw, by_name=True) | {"version": "1"}
        assert self.client.post(address, named).status_code == 302
        return str(address.split("/")[4])

    def share(self) -> None:
        self.client.post(self.path(f"people/{self.token}/invitation/"), {"email": typed.INVITED})
        self.client.post(self.path("access/"), {"email": typed.ASKED, "right": "edit"})
        self.invitation = self.draft.application.invitations.get()
        guest = self.guest = let_in(TracedClient(), self.invitation)
        posted = self._posted({"xy.person.born_in": typed.GUEST}, by_name=True) | {"version": str(self.ada.version)}
        guest.post(f"/part/{self.invitation.reference}/", posted)

    def go_wrong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each kind of error, with something typed in what was posted."""
        section = self.path("sections/the-company/")

        def form(status: str) -> dict[str, str]:
            return {
                "q:name": typed.LOST[status],
                "q:purpose": typed.LOST[status],
                "version": str(self.draft.version("the-company")),
            }

        birth = {"q:person.date_of_birth:month": "2", "q:person.date_of_birth:year": "1951"}
        for day, status in ((typed.LOST["422"], 422), ("17", 302)):
            posted = birth | {"version": str(self.ada.version), "q:person.date_of_birth:day": day}
            assert self.client.post(self.path(f"people/{self.token}/"), posted).status_code == status
        assert self.client.post(section, form("409") | {"version": "0"}).status_code == 409
        assert self.client.post("/applications/FP-0000-0000-0000/sections/the-company/", form("404")).status_code == 404
        assert self.client.post(f"/desk/{self.reference}/notes/", {"note": typed.LOST["403"]}).status_code == 403
        strict = TracedClient(enforce_csrf_checks=True, headers={"origin": "https://elsewhere.example"})
        strict.cookies = self.client.cookies
        assert strict.post(section, form("403")).status_code == 403
        broken = self.client.post(section, f"{typed.LOST['400']}".encode(), content_type="multipart/form-data")
        assert broken.status_code == 400
        for error, status in (
            (RuntimeError("It went wrong"), 500),
            (OperationalError("database or disk is full"), 503),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(services, "save_answers", Mock(side_effect=error))
                assert self.client.post(section, form(str(status))).status_code == status
        late = TracedClient()
        assert late.post(section, form("302")).status_code == 302
        assert any("unsent" in SessionStore.from_row(row.session_key) for row in Session.objects.all())
        self.others = (strict, late)

    def review(self) -> None:
        self._submit()
        self._deliver_in_trouble()
        pk = self.draft.application.pk
        claims.claim([pk], by=self.second)
        claims.take_over(Case.objects.get(pk=pk), by=self.agent, reason=typed.REVIEW["takeover"])
        self.desk.post(f"/desk/{self.reference}/notes/", {"note": typed.REVIEW["note"]})
        write_note(
            self.draft, Target.of_field(self.token, "person.date_of_birth"), text=typed.REVIEW["note"], by=self.agent
        )
        passport = self.draft.documents_of(self.ada)["Passport"]
        birth = Target.of_field(self.token, "person.date_of_birth")
        prove(self.draft, birth, passport, 1, text=typed.REVIEW["evidence"], by=self.agent, version=self._seen)
        for token in (self.token, self.company):
            party = self.draft.party(token)
            assert party is not None
            record_screening(
                self.draft, party, kind="sanctions", outcome="cleared", done_on=date(2026, 1, 2),
                text=typed.REVIEW["screening"], upload=factories.upload(typed.marked_pdf(), typed.OTHER_FILE),
                by=self.agent,
            )  # fmt: skip
        name = Target.of_field("the-company", "entity.name")
        draft_query(
            self.draft,
            name,
            text=typed.REVIEW["query"],
            proposal="Brimwhistle Limited",
            by=self.agent,
            version=self._seen,
        )
        decide(self.draft, RETURN, text=typed.REVIEW["decision"], by=self.agent, version=self._seen)
        number = self.draft.application.queries.get().pk
        self.client.post(self.path("replies/"), {f"reply:{number}": typed.REVIEW["reply"], "next": "status"})
        self._submit()
        for path in ("", f"parties/{self.token}/", "record.json", "record.pdf", f"documents/{passport.pk}/"):
            self.desk.get(f"/desk/{self.reference}/{path}")
        facts = [fact.target for fact in load_checklist(self.draft)]
        accept(self.draft, facts, by=self.agent, version=self._seen)
        decide(self.draft, APPROVE, by=self.agent, version=self._seen)
        drain()
        registration = Registration(typed.REVIEW["register"], timezone.localdate())
        decide(self.draft, INCORPORATE, registration=registration, by=self.agent, version=self._seen)
        drain()

    def take_out(self) -> None:
        rooms = ("", "status/", "people/", "shares/", "documents/", "check/", "record.json", "record.pdf")
        for path in (*rooms, f"people/{self.token}/"):
            assert self.client.get(self.path(path)).status_code in (200, 302), path
        answer: Any = self.client.get("/your-data/export/")
        packed = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
        said = packed.read("data.json").decode().lower()
        # Whoever has all of this surely looks for the right words.
        kept = ("thessalind", "px7719043q", "brimwhistle", "orlabeth", "mallowmere", "replysnapdragon", "zebracorn")
        assert [word for word in kept if word not in said] == []
        # The desk's search, whose address says what is looked for: the log must not.
        client = Client()
        client.force_login(self.agent)
        assert client.get("/desk/", {"q": "Brimwhistle"}).status_code == 200

    def erase(self) -> None:
        """Another customer, who types as much and is erased."""
        names = {name: typed.ERASED[name] for name in ("first_name", "last_name")}
        person = get_user_model().objects.create_user(typed.ERASED["email"], "x", **names)
        addresses.confirm(person)
        draft = open_draft(services.start(owner=person, product=factories.product(schema=typed.item()["schema"])))
        raw = factories.ADA | {f"person.{name}": text for name, text in names.items()}
        services.add_party(draft, "person", ["director"], raw, by=person, token="eve")
        services.add_document(
            draft, draft.party("eve"), "Passport", factories.upload(typed.marked_jpeg(), typed.FILE_NAME), by=person
        )
        parts.invite(draft, draft.party("eve"), email="x@example.com", by=person, language="en")  # type: ignore[arg-type]
        drain()
        client = TracedClient()
        client.force_login(person)
        client.post("/accounts/reauthenticate/", {"password": "x"})
        assert client.post("/your-data/deletion/")["Location"] == "/your-data/deleted/"
        send_due()
        drain()
        self.others += (client,)

    def clients(self) -> Iterator[TracedClient]:
        yield from (self.client, self.guest, self.desk, *self.others)

    def _submit(self) -> None:
        assert self.draft.needs == (), self.draft.needs
        self.client.post(self.path("submission/"), {"declaration": "1"})
        assert again(self.draft.application).submissions

    def _deliver_in_trouble(self) -> None:
        """The service loses an answer, and refuses one with words about it; its customer changes that."""
        self.transport.fail_on("POST entities/parties", lost_after, times=1)
        self.transport.fail_on("POST entities/csp-data", refuses("xy.goods", typed.LOST["422"]), times=1)
        drain()
        self.transport.clear()
        changed = typed.COMPANY | {"xy.goods": "Glimmerfen lamps and wicks"}
        self._save("the-company", changed)
        self._submit()
        drain()

    @staticmethod
    def _posted(raw: dict[str, Any], *, by_name: bool = False) -> dict[str, str]:
        """As the controls of a form are called: by a field's key, on a party's page by its name."""
        posted = {}
        for name, value in raw.items():
            control = f"q:{name if by_name else name.rpartition('.')[2]}"
            parts_ = value.items() if isinstance(value, dict) else ()
            posted |= {f"{control}:{part}": text for part, text in parts_} or {control: value}
        return posted

    @property
    def _seen(self) -> Any:
        return current_version(Application.objects.get(reference=self.reference))
