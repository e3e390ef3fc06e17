"""Opens every page that shows something that was typed, uploaded or answered, for each person who may open it."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from formation_portal.mail.models import Email
from tests.portal.sharing.test_part import let_in

from .site_of_payloads import Site
from .structure import SeenPage

# Answers of other types, which no browser takes for a page.
_FILES = ("application/", "text/csv", "image/")


class Visitors:
    """A browser for each of them; `pages` is what they have seen, in its order."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.pages: list[SeenPage] = []
        self._clients: dict[str, Client] = {"nobody": Client(raise_request_exception=False)}
        for name in ("owner", "helper", "agent"):
            client = Client(raise_request_exception=False)
            client.force_login(getattr(site, name))
            self._clients[name] = client

    def open_all(self, stage: str) -> None:
        if stage == "fill_in":
            self._clients["guest"] = let_in(Client(raise_request_exception=False), self.site.invitation)
            self._look_around()
        if stage != "review":
            self._open_application(stage)
        if stage == "fill_in":
            self._mistype()
        else:
            self._open_desk(stage)
        if stage == "give_back":
            self._open_letters()
            self._export()

    def get(self, who: str, stage: str, *addresses: str) -> None:
        for address in addresses:
            self._keep(who, f"{stage} {address}", self._clients[who].get(address))

    def post(self, who: str, address: str, posted: dict[str, Any], *, part: bool = False) -> None:
        """Send this, as a browser or as its script does."""
        body = urlencode(posted, doseq=True)
        form = "application/x-www-form-urlencoded"
        answer = self._clients[who].post(
            address, body, content_type=form, headers={"HX-Request": "true"} if part else {}
        )
        self._keep(who, f"post{' part' if part else ''} {address}", answer)

    def _keep(self, who: str, name: str, answer: Any) -> None:
        kind = answer.headers.get("Content-Type", "")
        if kind.startswith(_FILES):
            assert answer.headers["X-Content-Type-Options"] == "nosniff", name
            b"".join(answer) if answer.streaming else answer.content
            return
        html = b"".join(answer).decode() if answer.streaming else answer.content.decode()
        assert answer.status_code != 500, name
        where = answer.headers.get("Location", "")
        self.pages.append(SeenPage(who, name, answer.status_code, html or f"<p>{where.split('?')[0]}</p>"))

    def _look_around(self) -> None:
        words = self.site.words
        everything = " ".join(words.every("query"))
        asked = urlencode(dict.fromkeys(("q", "next", "from", "back", "page", "kind", "place", "sort"), everything))
        ids = [one.jurisdiction_product_id for one in self.site.products]
        home = f"/applications/{self.site.reference}/"
        self.get("nobody", "any", "/", f"/?{asked}", "/guide/", f"/guide/?{asked}")
        self.get("nobody", "any", f"/compare/?{urlencode({'product': ids[:4]}, doseq=True)}", f"/compare/?{asked}")
        self.get("nobody", "any", *(f"/products/{one}/" for one in ids[::3]), f"/products/{ids[0]}/checklist/")
        self.get("nobody", "any", f"/accounts/login/?{asked}", f"/accounts/signup/?{asked}", f"/nowhere/?{asked}")
        self.get(
            "nobody", "any", "/help/", f"/help/?{asked}", f"/letters/refusal/{words.one('token', 1).replace('/', '')}/"
        )
        self.get(
            "owner", "any", "/", "/applications/", f"/applications/?{asked}", "/your-data/", "/your-data/deletion/"
        )
        self.get("owner", "any", f"{home}people/?{asked}", f"{home}people/new/?{asked}", f"{home}check/?{asked}")
        for number in (1, 30, 31, 38, 50, 57):
            path = words.one("path", number).replace("/", "").replace("\r\n", "")
            self.get("owner", "any", f"/products/{path}/", f"{home}sections/{path}/", f"{home}people/{path}/")
        # Names with an address in them are refused, as some payloads are: harmless words get one, too.
        name = f"{everything} www.example.com"
        typed = {"first_name": name, "last_name": name, "email": everything, "login": everything}
        for address in ("login/", "signup/", "password/reset/"):
            self.post("nobody", f"/accounts/{address}", typed | {"password": "x", "password1": "x", "next": everything})
        self.post("owner", "/accounts/email/", typed | {"action_add": "1"})

    def _open_application(self, stage: str) -> None:
        site, home = self.site, f"/applications/{self.site.reference}/"
        sections = [one.key for one in site.draft.schema.entity_sections]
        opened = sections if stage == "fill_in" else sections[:1]
        self.get("owner", stage, home, *(f"{home}sections/{key}/" for key in opened))
        parties = [f"{home}people/{token}/" for token in ("ada", "dam")]
        rooms = (
            "people/",
            "people/new/",
            "people/new/?kind=person",
            "people/known/",
            "shares/",
            "documents/",
            "check/",
        )
        self.get("owner", stage, *parties, *(home + room for room in rooms), f"{home}shares/classes/class0/")
        self.get("owner", stage, f"{home}status/", f"{home}record.json")
        self.get("guest", stage, f"/part/{site.invitation.reference}/")
        if stage == "fill_in":
            more = ("removal/", "double/", "owners/", "roles/", "invitation/", "invitation/withdrawal/")
            self.get(
                "owner", stage, *(parties[0] + one for one in more), f"{parties[1]}owners/", f"{parties[1]}removal/"
            )
            rooms = ("access/", "removal/", "copy/", "carry-over/", "people/spreadsheet/", "shares/classes/new/")
            self.get("owner", stage, *(home + room for room in rooms), "/applications/")
            self.get("owner", stage, f"{home}people/imports/{site.import_token}/", f"{home}shares/owners/bob/")
            self.get("owner", stage, f"{home}shares/classes/class0/removal/")
            self.get("owner", stage, f"/applications/{site.many.application.reference}/people/")
            for document in site.draft.documents[:2]:
                place = f"{home}documents/{document.pk}/"
                self.get("owner", stage, f"{place}pages/1/", f"{place}removal/", place)
            collaborators = site.draft.application.collaborators.order_by("pk")
            self.get("owner", stage, *(f"{home}access/{one.pk}/removal/" for one in collaborators[1:3]))
            self.get("helper", stage, "/applications/", home, f"{home}sections/{sections[0]}/", f"{home}check/")

    def _mistype(self) -> None:
        """Payloads in controls of every type, as a form and as a part of one posts them, also to compare versions."""
        site, words = self.site, self.site.words
        home = f"/applications/{site.reference}/"
        for at, section in enumerate(site.draft.schema.entity_sections[:3]):
            address = f"{home}sections/{section.key}/"
            page = next(one for one in self.pages if one.address.endswith(f"fill_in {address}"))
            posted = {name: words.one("typed", number) for number, name in enumerate(page.questions)}
            fixed = {"version": "99", "drawn": " ".join(words.every("drawn"))}
            self.post("owner", address, posted | fixed)
            self.post("owner", address, posted | {"version": "0", "drawn": "0.x.x"}, part=at == 0)
            self.post("owner", address, posted | {"version": "0"}, part=True)
        everything = " ".join(words.every("typed"))
        typed = {"email": everything, "right": everything, "name": everything, "kind": everything, "q": everything}
        for address in ("access/", "people/ada/invitation/", "people/new/", "people/known/", "people/spreadsheet/"):
            self.post("owner", home + address, typed)
        numbers = {
            "holding:ada:class0": everything,
            "holding:bob:class1": words.one("typed", 6),
            "owner:ada": everything,
        }
        for address in ("shares/", "shares/classes/new/", "shares/classes/class0/", "people/dam/owners/"):
            self.post("owner", home + address, typed | numbers | {"q:share_class.par_value": everything})
        self.post(
            "guest", f"/part/{site.invitation.reference}/", {"version": "0", "q:person.date_of_birth:day": everything}
        )
        self.post("nobody", f"{home}sections/{site.draft.schema.entity_sections[0].key}/", {"q:x": everything})
        self.get("nobody", "after", "/accounts/login/", "/unsent/")

    def _open_desk(self, stage: str) -> None:
        site = self.site
        if stage == "send":
            site.submit_titled()
        desk = f"/desk/{site.reference}/"
        everything = " ".join(site.words.every("query"))
        asked = urlencode(dict.fromkeys(("q", "from", "place", "product", "agent", "page", "account"), everything))
        self.get("agent", stage, "/desk/", "/desk/?page=2", f"/desk/?{asked}", desk, f"{desk}?{asked}", f"{desk}news/")
        self.get("agent", stage, *(f"{desk}parties/{token}/" for token in ("ada", "dam")), f"{desk}ruling/")
        if stage == "send":
            rows = site.draft.application.deliveries.order_by("pk")
            kinds = {row.kind: row.pk for row in rows if row.state == "done"}
            held = [row.pk for row in rows if row.state != "done"]
            numbers = (*kinds.values(), *held)
            self.get("agent", stage, *(f"/desk/deliveries/{number}/" for number in numbers))
            self.get("agent", stage, "/desk/deliveries/", f"/desk/deliveries/?{asked}")
        if stage == "give_back":
            other = site.titled[0].application.reference
            self.get("agent", stage, f"/desk/{other}/")
            self.get("owner", stage, f"/applications/{other}/status/")
            self.get("agent", stage, "/desk/audit/", f"/desk/audit/?{asked}", f"{desk}record.json", "/desk/figures/")
            self.get("agent", stage, *(f"/desk/audit/{number}/" for number in (1, 5, 20)))
            product = site.products[0].jurisdiction_product_id
            self.get("agent", stage, "/workbench/", f"/workbench/?product={product}")
        if stage == "review":
            typed = dict.fromkeys(
                ("text", "target", "reason", "proposal", "note", "decision", "back", "shown"), everything
            )
            for address in ("remarks/", "notes/", "ruling/", "acceptances/", "assignment/", "release/", "claim/"):
                self.post("agent", desk + address, typed)
            for address in ("screening/", "evidence/", "erasure/"):
                self.post(
                    "agent", f"{desk}parties/ada/{address}", typed | {"outcome": everything, "done_on": everything}
                )
            self.post("agent", "/desk/texts/", {"title": everything, "text": everything})
            self.post("agent", "/workbench/", {"schema": everything, "answers": everything})
            document = site.reopened().documents[0]
            self.get("agent", stage, "/desk/texts/", f"{desk}documents/{document.pk}/pages/1/", f"{desk}remarks/")

    def _open_letters(self) -> None:
        for letter in Email.objects.order_by("pk"):
            self.pages.append(SeenPage("letter", f"letter {letter.kind}", 200, letter.html))
            assert len(letter.subject.splitlines()) == 1
            assert len(letter.to.splitlines()) == 1
        self.get("nobody", "end", *(f"/letters/{one.number}/" for one in Email.objects.order_by("pk")[:4]))

    def _export(self) -> None:
        answer: Any = self._clients["owner"].get("/your-data/export/")
        assert answer["Content-Type"] == "application/zip"
        packed = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
        self.pages.append(SeenPage("owner", "export with letters", 200, packed.read("index.html").decode()))


def pairs(hostile: Visitors, harmless: Visitors) -> Iterator[tuple[SeenPage, SeenPage]]:
    """Each page beside the same one without payloads."""
    for one, other in zip(hostile.pages, harmless.pages, strict=True):
        assert (one.who, one.status) == (other.who, other.status), f"{one.name} beside {other.name}"
        yield one, other
