"""What each page, the desk and the service say is still needed of one draft."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.utils import timezone

from formation_portal import gateway
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need, needs
from formation_portal.contract.record import Answers, Holding, Party, Record, ShareClass
from formation_portal.contract.schema import Section
from formation_portal.desk.queue.queue_index import update_case
from formation_portal.gateway.errors import GatewayError
from formation_portal.relay.models import Delivery, DeliveryState, ResourceKind, shareholding_subject
from formation_portal.relay.worker import drain
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.standing_advice import standing_advice
from tests.journeys.page import Page, words

# What the portal needs and the interface can't say, so that the service, which never hears of it, can't refuse it:
# shares beyond what there is, answers that can't be read, and parties of a kind that can't have their role.
ONLY_HERE = frozenset({"over_issued", "unreadable", "party_type_not_allowed"})

_COMPLETE = {"Complete", "Nothing required"}


class Reader:
    def __init__(self, draft: Draft, *, customer: Client, agent: Client) -> None:
        self._draft = draft
        self._customer = customer
        self._agent = agent
        self._root = f"/applications/{draft.application.reference}/"

    def differences(self) -> Iterator[str]:
        expected = [need.text for need in self._draft.needs]
        advice = [remark.text for remark in standing_advice(self._draft, Allocation(self._draft))]
        check = self._page("check/")
        yield from _unequal("check", _lines(check), expected)
        yield from _unequal("advice", _advice_lines(check), advice)
        yield from self._of_overview()
        yield from self._of_sections()
        yield from self._of_people()
        yield from _unequal(
            "documents", self._listed("documents/"), [one.text for one in self._draft.needs if one.slot is not None]
        )
        yield from self._of_service()
        yield from self._of_desk(expected, advice)

    def _page(self, address: str) -> Page:
        response = self._customer.get(self._root + address)
        assert response.status_code == 200, (address, response.status_code)
        return Page(response.content.decode(), self._root + address)

    def _listed(self, address: str) -> list[str]:
        return _lines(self._page(address))

    def _of_overview(self) -> Iterator[str]:
        page = self._page("")
        note = words(page.root.get_element_by_id("task-check-note"))
        found = re.match(r"(\d+) items? to complete", note)
        if (int(found[1]) if found else 0) != len(self._draft.needs):
            yield f"overview: {note!r} for {len(self._draft.needs)} needs"
        for section in self._draft.schema.sections:
            status = page.root.xpath("//*[@id=$id]", id=f"task-{section.key}-status")
            if not status or words(status[0]) == "Not available yet":
                continue
            missing = [need for need in self._draft.needs if self._keeps_open(need, section)]
            if (words(status[0]) in _COMPLETE) == bool(missing):
                yield f"overview: {section.key} is {words(status[0])!r} with {missing}"

    def _keeps_open(self, need: Need, section: Section) -> bool:
        """Report that a section is not complete because of a need: its own, or one of somebody in its role."""
        party = self._draft.party(need.party_id) if need.party_id else None
        return need.section == section.key or (party is not None and section.role in party.roles)

    def _of_sections(self) -> Iterator[str]:
        schema, form_state = self._draft.schema, self._draft.form_state
        for section in schema.entity_sections:
            if form_state.section_activation(section).active:
                expected = [one.text for one in self._draft.needs_of_section(section.key)]
                yield from _unequal(section.key, self._listed(f"sections/{section.key}/"), expected)
        if schema.share_section and self._draft.holds_shares:
            expected = [one.text for one in self._draft.needs_of_section(schema.share_section.key)]
            yield from _unequal("shares", self._listed("shares/"), expected)

    def _of_people(self) -> Iterator[str]:
        for row in self._draft.parties:
            shown = len(self._listed(f"people/{row.token}/"))
            expected = len(self._draft.needs_of_party(row.token))
            if shown != expected:
                yield f"party {row.token}: {shown} needs for {expected}"

    def _of_desk(self, expected: list[str], advice: list[str]) -> Iterator[str]:
        """The desk sees what was submitted: the draft as it would stand there."""
        changes = {"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": timezone.now()}
        Application.objects.filter(pk=self._draft.application.pk).update(**changes)
        update_case(open_draft(Application.objects.get(pk=self._draft.application.pk)))
        response = self._agent.get(f"/desk/{self._draft.application.reference}/")
        assert response.status_code == 200
        page = Page(response.content.decode(), "")
        yield from _unequal("desk", _lines(page), expected)
        standing = page.root.xpath("//div[h2='Advice that the customer left standing']//li")
        yield from _unequal("advice at the desk", [words(line) for line in standing], advice)

    def _of_service(self) -> Iterator[str]:
        drain()
        refused = self._refused()
        if refused is None:
            return
        expected = Counter((need.code, need.text) for need in needs(self._draft.schema, record_at_service(self._draft)))
        if refused != expected:
            yield f"service: {_apart(refused, expected)}"
        if {need.code for need in self._draft.needs} <= {"contradictory"} and self._is_all_there():
            # Nothing is left out at the service, so that both judge the same answers.
            yield from _unequal(
                "rules", [text for _, text in refused.elements()], [need.text for need in self._draft.needs]
            )
        codes = {need.code for need in self._draft.needs} - ONLY_HERE
        if codes and not refused and self._is_all_there():
            yield f"service: takes what is needed here: {codes}"
        if refused and not self._draft.needs:
            yield f"service: refuses what is ready here: {refused}"

    def _is_all_there(self) -> bool:
        """Whether all of it has arrived: of what lacks too much to be sent, nothing can be asked there."""
        rows = Delivery.objects.filter(application=self._draft.application)
        return not rows.exclude(state=DeliveryState.DONE).exists()

    def _refused(self) -> Counter[tuple[str, str]] | None:
        """What the service says is needed when it is told to submit; None where it has no such entity yet."""
        row = Delivery.objects.filter(application=self._draft.application, kind=ResourceKind.ENTITY).first()
        if row is None or not row.remote_id:
            return None
        try:
            gateway.service().submit(row.remote_id, key=f"agreement-{self._draft.application.reference}")
        except GatewayError as refusal:
            return Counter((one.code, one.message) for one in refusal.problems)
        return Counter()


def record_at_service(draft: Draft) -> Record:
    rows = Delivery.objects.filter(application=draft.application, state=DeliveryState.DONE)
    there = {row.name for row in rows if row.acknowledged is not None}

    def answers(given: Answers, kind: ResourceKind, csp: ResourceKind, token: str) -> Answers:
        canonical, own = (kind, token) in there, (csp, token) in there
        specs = [spec for spec in _specs(draft) if (canonical if spec.canonical_field else own)]
        known = {spec.name for spec in specs if not spec.refers_to_share_class or class_is_there(given, spec)}
        return Answers({name: value for name, value in given.values.items() if name in known}, {})

    def class_is_there(given: Answers, spec: FieldSpec) -> bool:
        return (ResourceKind.SHARE_CLASS, given.values.get(spec.name)) in there

    whole, form_state = draft.record, draft.form_state
    return Record(
        answers=answers(whole.answers, ResourceKind.ENTITY, ResourceKind.ENTITY_CSP, ""),
        parties=tuple(
            Party(
                one.id,
                one.kind,
                form_state.active_roles(one),
                answers(one.answers, ResourceKind.PARTY, ResourceKind.PARTY_CSP, one.id),
                one.label,
            )
            for one in whole.parties
            if (ResourceKind.PARTY, one.id) in there
        ),
        share_classes=tuple(
            ShareClass(
                one.id, answers(one.answers, ResourceKind.SHARE_CLASS, ResourceKind.SHARE_CLASS_CSP, one.id), one.label
            )
            for one in whole.share_classes
            if (ResourceKind.SHARE_CLASS, one.id) in there
        ),
        holdings=tuple(
            Holding(one.party_id, one.share_class_id, one.shares)
            for one in whole.holdings
            if (ResourceKind.SHAREHOLDING, shareholding_subject(one.party_id, one.share_class_id)) in there
        ),
        documents=frozenset(
            (document.party.token if document.party else None, document.slot)
            for document in draft.documents
            if (ResourceKind.DOCUMENT, document.subject) in there
        ),
        days=whole.days,
    )


def _lines(page: Page) -> list[str]:
    """Return the lines of the page's lists of needs, with a link or without, but for advice."""
    return [words(line) for line in _listed_lines(page) if "is-warning" not in line.get("class").split()]


def _advice_lines(page: Page) -> list[str]:
    return [words(line) for line in _listed_lines(page) if "is-warning" in line.get("class").split()]


def _listed_lines(page: Page) -> list[Any]:
    return list(page.root.xpath("//main//ul[contains(@class, 'needs')]/li"))


def _specs(draft: Draft) -> Iterator[FieldSpec]:
    for section in draft.schema.sections:
        for group in section.groups.values():
            yield from group


def _unequal(place: str, shown: list[str], expected: list[str]) -> Iterator[str]:
    if Counter(shown) != Counter(expected):
        yield f"{place}: {_apart(Counter(shown), Counter(expected))}"


def _apart(shown: Counter[Any], expected: Counter[Any]) -> str:
    return f"too much {list((shown - expected).elements())}, missing {list((expected - shown).elements())}"
