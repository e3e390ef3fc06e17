"""A site where everything that anybody can type, upload or answer is a payload, in four stages."""

from collections.abc import Iterator
from datetime import date
from typing import Any
from unittest.mock import patch

from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal import workflow
from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.uploads import read_sheet
from formation_portal.applications.models import Application, Document
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import SharedText
from formation_portal.desk.queue import claims
from formation_portal.documents.findings import Findings
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from formation_portal.reviews.customer_queries import Reply, store_replies
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.document_evidence import prove
from formation_portal.reviews.models import Query
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.applications.imports.sample_sheets import as_csv
from tests.encrypted_rows import update_each
from tests.relay.conftest import read_all_documents
from tests.relay.flaky_transport import FlakyTransport, answers
from tests.reviews.deciding import decide

from .hostile_catalog import answer_names, hostile_items, person_names
from .payloads import COUNT, Words

_MONEY = {"amount": "12", "currency": "USD"}


class Site:
    """The people, and the applications: one with everything in it, one with many parties, and many with titles."""

    def __init__(self, words: Words, transport: FlakyTransport) -> None:
        self.words, self._transport = words, transport
        items = hostile_items(words)
        store_catalog(items)
        self.products = [one for one in parse_catalog(items) if isinstance(one, CatalogItem)]
        self.owner, self.helper, self.agent, self.second = (
            self._person(name, number, is_agent=name in ("agent", "second"))
            for number, name in enumerate(("owner", "helper", "agent", "second"))
        )
        self.draft = open_draft(services.start(owner=self.owner, product=self.products[0]))
        self.reference = self.draft.application.reference
        self.invitation: Invitation
        self.import_token = ""

    def stages(self) -> Iterator[str]:
        for stage in (self.fill_in, self.send, self.review, self.give_back):
            stage()
            yield stage.__name__

    def fill_in(self) -> None:
        with patch.object(workflow, "application_changed"):
            self._answer()
            self._name_parties()
            self._upload()
            self._share()
            self.many = self._many_parties()
            self._titles()

    def send(self) -> None:
        """Submitted; the service refuses the answers, and its words about a document are payloads, too."""
        self._submitted(self.reopened())
        faults = [
            {"field": name, "code": text, "detail": text}
            for name, text in zip(answer_names(self.words), self.words.every("fault"), strict=True)
        ]
        self._transport.fail_on(
            "POST entities/csp-data", answers(422, {"code": "validation_failed", "detail": "x", "errors": faults})
        )
        drain()
        # What waits behind the refusal: as if it had been received, under ids that are payloads.
        ids = self.words.every("remote")
        for number, row in enumerate(Delivery.objects.exclude(kind="entity").order_by("pk")):
            state = row.state if row.state == "refused" else "done"
            there = f"{ids[number % COUNT]} {row.kind} {number}"[:200]
            update_each(Delivery.objects.filter(pk=row.pk), remote_id=there, state=state)
        rows = Delivery.objects.filter(application=self.draft.application, kind="document").order_by("pk")
        records = [
            {"id": row.remote_id, "status": "rejected", "status_note": note}
            for row, note in zip(rows, self.words.every("docnote"), strict=False)
        ]
        self._transport.fail_on(
            "GET entities/documents", answers(200, {"data": records, "meta": {"page": 1, "total_pages": 1}})
        )
        assert read_all_documents() == 1
        row = Delivery.objects.filter(application=self.draft.application, kind="party").order_by("pk")[0]
        matches = [{"id": text} for text in ids]
        row.lookups.create(records=COUNT, matches=[one["id"] for one in matches], conclusion="ambiguous")
        row.calls.create(key="k", outcome="Unclear", status=502, request_id=ids[0][:100], ended_at=timezone.now())
        update_each(Delivery.objects.filter(pk=row.pk), state="held", reason="ambiguous", unclear_since=timezone.now())

    def review(self) -> None:
        words, pk = self.words, self.draft.application.pk
        self._submitted(self.reopened())
        claims.claim([pk], by=self.agent)
        keys, queries = answer_names(words), words.every("query")
        section = self.draft.schema.entity_sections[0].key
        # A proposal is one line.
        proposals = [" ".join(text.split()).replace("\u202e", "") for text in words.every("proposal")]
        with patch.object(workflow, "application_changed"), patch.object(workflow, "review_changed", create=True):
            for key, text, proposal in zip(keys, queries, proposals, strict=True):
                field = Target.of_field(section, key)
                draft_query(self.reopened(), field, text=text, proposal=proposal, by=self.agent, version=self._seen)
        there = self.reopened()
        for text in words.joined("note", 20):
            write_note(there, Target.of_field(section, keys[0]), text=text, by=self.agent)
        ada = there.parties[0]
        for number, text in enumerate(words.joined("screening", 4)):
            file = factories.upload(factories.PDF, f"{words.one('screeningfile', number)}.pdf")
            checked = {"kind": "sanctions", "outcome": "match", "text": text, "done_on": date(2026, 1, 2)}
            record_screening(there, ada, **checked, upload=file if number < 1 else None, by=self.agent)
        passport = next(iter(there.documents_of(ada).values()))
        name = Target.of_field("ada", "person.first_name")
        prove(there, name, passport, 1, text=words.one("evidence", 2), by=self.agent, version=self._seen)
        titles = words.every("texttitle")
        # In such a text braces are placeholders, which only their own form takes apart.
        now = timezone.now()
        SharedText.objects.bulk_create(
            SharedText(title=title[:80], text=text.replace("{", "("), by=self.agent, at=now)
            for title, text in zip(titles, words.every("shared"), strict=True)
        )

    def give_back(self) -> None:
        first, second = self.words.joined("decision", 2)
        decide(self.reopened(), RETURN, text=first, by=self.agent, version=self._seen)
        other = Application.objects.get(pk=self.titled[0].application.pk)
        claims.claim([other.pk], by=self.agent)
        decide(open_draft(other), RETURN, text=second, by=self.agent, version=current_version(other))
        asked = Query.objects.filter(application=self.draft.application).order_by("pk")
        replies = zip(asked, self.words.every("reply"), strict=True)
        store_replies(self.reopened(), [Reply(row.pk, text, "") for row, text in replies], by=self.owner)

    def reopened(self) -> Draft:
        return open_draft(Application.objects.get(pk=self.draft.application.pk))

    @property
    def _seen(self) -> Any:
        return current_version(Application.objects.get(pk=self.draft.application.pk))

    def _person(self, name: str, number: int, **more: Any) -> Any:
        person = get_user_model().objects.create_user(
            f"{name}@example.com",
            first_name=self.words.one("firstname", number),
            last_name=self.words.one("lastname", number + 4),
            **more,
        )
        addresses.confirm(person)
        return person

    def _answer(self) -> None:
        draft, words = self.draft, self.words
        typed = dict(zip(answer_names(words), words.every("answer"), strict=True))
        raw = [
            typed | {"entity.name": " ".join(words.every("company")[30:34])},
            {
                "xy.longselect": words.one("option", 30),
                "xy.longmulti_select": words.every("option")[1:],
                **{f"xy.typed{kind}": words.one("wrong", 6) for kind in ("date", "number", "textarea", "nationality")},
                "xy.typedaddress": {part: words.one("wrong", 7) for part in ("street1", "city", "postcode")},
                "xy.money": _MONEY,
            },
        ]
        for section, answered in zip(draft.schema.entity_sections, raw, strict=False):
            services.save_section(draft, section, answered, version=draft.version(section.key), by=self.helper)

    def _name_parties(self) -> None:
        draft, words = self.draft, self.words
        first, last = words.joined("first", 12), words.joined("last", 12)
        told = dict(zip(person_names(words), words.every("persontold"), strict=True))
        for number, token in enumerate(("ada", "bob", *(f"p{number}" for number in range(2, 12)))):
            named = {"person.first_name": first[number], "person.last_name": last[number]}
            roles = ["director", "shareholder"]
            services.add_party(
                draft, "person", roles, factories.ADA | named | (told if not number else {}), by=self.owner, token=token
            )
        company = {"corporate.name": " ".join(words.every("corporate")[37:41])}
        services.add_party(draft, "corporate", ["shareholder"], company, by=self.owner, token="dam")
        eve = services.add_party(draft, "person", ["director"], factories.ADA, by=self.owner)
        services.remove_party(draft, eve, by=self.owner)
        for number, text in enumerate(words.joined("class", 12)):
            services.add_share_class(
                draft, factories.ORDINARY | {"share_class.name": text}, by=self.owner, token=f"class{number}"
            )
        services.save_holdings(
            draft, {("bob", "class0"): "10", ("dam", "class1"): words.one("wrong", 3)}, by=self.owner
        )
        services.save_owners(draft, draft.parties[-1], {"ada": words.one("wrong", 9)}, by=self.owner)

    def _upload(self) -> None:
        """One file through the whole check; the others are rows like its own, with the names that they came with."""
        draft, words = self.draft, self.words
        names = [f"{text}.pdf" for text in words.every("file")]
        slots = words.every("slot")
        first = factories.upload(name=f"{words.one('file', 1)}.pdf")
        services.add_document(draft, draft.parties[0], slots[0], first, by=self.owner)
        findings = Findings.from_json(Document.objects.get(application=draft.application).findings)
        with patch("formation_portal.applications.services.documents.judge_file", return_value=(findings, b"")):
            for slot, name in zip(slots, names, strict=True):
                content = factories.upload(factories.PDF, "x.pdf")
                # Django takes the last part of a path for the name, as browsers do.
                content.name = name.replace("/", "\uff0f")
                services.add_document(draft, None, slot, content, by=self.owner)

    def _share(self) -> None:
        draft, words, now = self.draft, self.words, timezone.now()
        Collaborator.objects.create(
            application=draft.application, email=self.helper.email, right="edit", user=self.helper, asked_at=now,
            expires_at=now, accepted_at=now,
        )  # fmt: skip
        Collaborator.objects.bulk_create(
            Collaborator(
                application=draft.application, email=f"{text}@example.com"[:254], right="view", asked_at=now,
                expires_at=now,
            )
            for text in words.every("mail")
        )  # fmt: skip
        self.invitation = parts.invite(draft, draft.parties[0], email="ada@example.com", by=self.owner, language="en")
        heads = ("Kind", "Role: director", "First name", words.one("column", 5), "Last name")
        cells = zip(words.every("cellfirst"), words.every("cell"), words.every("celllast"), strict=True)
        content = as_csv(heads, *(("Person", "yes", *one) for one in cells))
        grid = read_sheet(content, keys_by_heading(draft.schema), account=self.owner.pk)
        found = services.keep_import(draft, grid, name=f"{words.one('sheet', 1)}.csv", by=self.owner)
        self.import_token = found.token

    def _many_parties(self) -> Draft:
        draft = open_draft(services.start(owner=self.owner, product=self.products[0]))
        for first, last in zip(self.words.every("manyfirst"), self.words.every("manylast"), strict=True):
            named = {"person.first_name": first, "person.last_name": last}
            services.add_party(draft, "person", ["director"], factories.ADA | named, by=self.owner)
        return draft

    def _titles(self) -> None:
        """Twenty submitted applications, each with three payloads for its name."""
        self.titled = []
        for number, text in enumerate(self.words.joined("titled", 20)):
            draft = open_draft(services.start(owner=self.owner, product=self.products[1 + number % 11]))
            section = draft.schema.entity_sections[0]
            services.save_section(draft, section, {"entity.name": text}, version=0, by=self.owner)
            self.titled.append(draft)

    def submit_titled(self) -> None:
        for draft in self.titled:
            self._submitted(draft)

    def _submitted(self, draft: Draft) -> None:
        facts = {"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": timezone.now(), "submissions": 1}
        Application.objects.filter(pk=draft.application.pk).update(**facts)
        workflow.application_changed(open_draft(Application.objects.get(pk=draft.application.pk)))
