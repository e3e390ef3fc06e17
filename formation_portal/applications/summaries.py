"""What all parties of an application still need, counted without reading them: summaries that are stored with each.

A summary says what a party's own answers and documents lack, and by what it was judged: the form and whatever a party's
rules read of others (`party_facts`). Where that is as it was, it holds; else, and on the day when an answer is judged
otherwise, the party is judged anew. So whoever reads counts gets what judging everybody would give. Saving a party's
row, or a document of theirs, makes its summary void, whoever does it; the transaction that changes an application
stores those that are missing.
"""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from django.db.models import Case, Count, F, Q, QuerySet, Sum, When

from formation_portal.contract import canonical
from formation_portal.contract.needs import (
    Need,
    needs_of_entity,
    needs_of_party,
    needs_of_role_bounds,
    needs_of_roles,
    needs_of_share_classes,
)
from formation_portal.contract.reach import party_facts, reads_parties
from formation_portal.contract.record import summary_expires
from formation_portal.contract.schema import Section
from formation_portal.contract.shares import over_issued_of
from formation_portal.core.encryption import key_ring
from formation_portal.core.prepared_queries import PreparedQuery

from .contacts import identity_digest
from .draft import Draft
from .models import Document, Holding, Party
from .parties import PartyRow

# Rises when the same answers may be judged otherwise by newer code.
_VERSION = 3
_AT_ONCE = 500

# A kind with roles, by which parties are asked for documents and may hold shares.
Group = tuple[str, tuple[str, ...]]
# How many needs there are, by section and code.
Tally = Counter[tuple[str, str]]


def judged_by(draft: Draft) -> str:
    """What names all that parties are judged by beside their own answers; empty where they decide about each other."""
    if reads_parties(draft.schema):
        return ""
    # Identities are compared as digests, and those of an earlier key are equal to none of this one's.
    facts = [_VERSION, draft.application.schema_version_id, party_facts(draft.form_state), key_ring().first.id]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def update_summaries(draft: Draft) -> None:
    """Judge whoever's summary doesn't hold, and store it: a query, and one for every 500 of them."""
    by = judged_by(draft)
    if not by or not draft.application.is_open:
        return
    tokens = [token for (token,) in _STALE.tuples(draft.application.pk, by, draft.today)]
    if len(tokens) > 1:
        # Everybody at once, with their documents: queries for each would take longer.
        _ = draft.parties, draft.documents
    rows = [row for token in tokens if (row := draft.party(token))]
    for row in rows:
        row.model.needed, row.model.judged_by = _written(_needed(draft, row)), by
        row.model.judged_of = row.model.updated_at
        fields = draft.schema.fields_of(row.kind, row.roles)
        row.model.judged_until = summary_expires(fields, row.record.answers, today=draft.today)
        row.model.identity = identity_digest(draft, row)
    names = ["needed", "judged_by", "judged_of", "judged_until", "identity"]
    Party.objects.bulk_update([row.model for row in rows], names, batch_size=_AT_ONCE)


def _stale(application: int, by: str, today: date) -> QuerySet[Party]:
    """Whose summary doesn't hold, of an application, by what it has to be judged on this day."""
    present = Party.objects.filter(application=application, removed_at=None).order_by("position", "pk")
    return present.exclude(judged_by=by, judged_of=F("updated_at"), judged_until__gt=today)


_STALE = PreparedQuery(lambda *values: _stale(*values).values_list("token"), dates=(2,))


def _holds(draft: Draft, by: str, model: Party) -> bool:
    return bool(by) and model.judged_by == by and model.is_judged(draft.today)


def _needed(draft: Draft, row: PartyRow) -> Tally:
    """What a party's own answers, roles and documents lack; shares are counted by themselves."""
    needed = needs_of_party(draft.form_state, row.record, has_shares=True)
    return Counter((need.section, need.code) for need in needed)


def _written(tally: Tally) -> str:
    return json.dumps(sorted([*place, count] for place, count in tally.items()))


def _read(needed: str) -> Tally:
    return Counter({(section, code): count for section, code, count in json.loads(needed)})


def _holding_rows(application: int) -> QuerySet[Holding]:
    return Holding.objects.filter(application=application, party__removed_at=None).order_by()


# What is read of an application: each party's summary, its files, and how many shares there are.
_SUMMARIES = PreparedQuery(
    lambda application: (
        Party.objects.filter(application=application, removed_at=None)
        .order_by("position", "pk")
        .annotate(is_of_now=Case(When(judged_of=F("updated_at"), then=True), default=False))
        .values_list("token", "kind", "roles", "needed", "judged_by", "judged_until", "is_of_now")
    )
)
_UPLOADED = PreparedQuery(
    lambda application: (
        Document.objects.in_use()
        .filter(application=application)
        .order_by()
        .values_list("application")
        .annotate(count=Count("*"))
    )
)
_HOLDERS = PreparedQuery(
    lambda application: (
        _holding_rows(application)
        .values_list("party__token")
        .annotate(some=Count("pk", filter=Q(shares__gt=0)), unread=Count("pk", filter=Q(shares=None)))
    )
)
_GIVEN = PreparedQuery(
    lambda application: (
        _holding_rows(application)
        .values_list("party__kind", "party__roles", "share_class")
        .annotate(given=Sum("shares", default=0))
    )
)


@dataclass(frozen=True, slots=True)
class PartySummary:
    """The needs of one party, counted by section and code; those of its documents and shares are included."""

    kind: str
    roles: tuple[str, ...]
    needed: Tally

    @property
    def group(self) -> Group:
        return self.kind, self.roles

    @property
    def codes(self) -> Counter[str]:
        """Count the needs by code, whichever section asks."""
        codes: Counter[str] = Counter()
        for (_, code), count in self.needed.items():
            codes[code] += count
        return codes


@dataclass(frozen=True)
class Totals:
    """What an application needs, in numbers, and how many there are. Each is counted when it is asked for."""

    draft: Draft

    @cached_property
    def parties(self) -> dict[str, PartySummary]:
        """Summarise every party, by token: three queries."""
        return {
            token: PartySummary(*group, tally + self._share_tally(token, group))
            for token, (group, tally) in self._own_tallies.items()
        }

    @cached_property
    def _own_tallies(self) -> dict[str, tuple[Group, Tally]]:
        """Count what each party needs beside shares. Judges only parties whose stored summary does not hold."""
        stored = self._stored_tallies
        stale = [token for token, (_, tally) in stored.items() if tally is None]
        if len(stale) > 1:
            _ = self.draft.documents
        judged = {row.token: _needed(self.draft, row) for row in (self.draft.parties_of(stale) if stale else ())}
        return {
            token: (group, judged.get(token, Counter()) if tally is None else tally)
            for token, (group, tally) in stored.items()
        }

    @cached_property
    def _stored_tallies(self) -> dict[str, tuple[Group, Tally | None]]:
        """Return each party's group and stored summary, by token; None for a summary that does not hold."""
        draft, by = self.draft, judged_by(self.draft)
        tallies: dict[str, tuple[Group, Tally | None]] = {}
        if draft.has_all_parties:
            for model in draft.party_models:
                tally = _read(model.needed) if _holds(draft, by, model) else None
                tallies[model.token] = (model.kind, tuple(model.roles)), tally
            return tallies
        for token, kind, roles, needed, judged, until, is_of_now in _SUMMARIES.tuples(draft.application.pk):
            holds = bool(by and judged == by and is_of_now and until and until > draft.today)
            tallies[token] = (kind, tuple(roles)), _read(needed) if holds else None
        return tallies

    def _share_tally(self, token: str, group: Group) -> Tally:
        """Count what a party's shareholdings need: shares at all, and numbers that cannot be parsed."""
        section = self.draft.schema.share_section
        if section is None or not self._is_shareholder(group):
            return Counter()
        some, unread = self._holdings.get(token, (0, 0))
        return +Counter({(section.key, "holding"): int(not some), (section.key, "unreadable"): unread})

    def _is_shareholder(self, group: Group) -> bool:
        is_holder = canonical.SHAREHOLDER in self.draft.form_state.active_roles_of(*group)
        return self.draft.holds_shares and is_holder

    @cached_property
    def _holdings(self) -> dict[str, tuple[int, int]]:
        """Count each party's shareholdings with shares, and those that cannot be parsed, by token."""
        rows = _HOLDERS.tuples(self.draft.application.pk) if self.draft.share_class_models else ()
        return {token: (some, unread) for token, some, unread in rows}

    @cached_property
    def groups(self) -> Counter[Group]:
        """How many parties there are of each kind with the same roles."""
        return Counter(group for group, _ in self._stored_tallies.values())

    def parties_in(self, section: Section) -> int:
        """How many have the section's role, which their kind can have."""
        return sum(count for (kind, roles), count in self.groups.items() if section.counts(kind, roles))

    def complete_in(self, section: Section) -> int:
        """Count the parties in a role that need nothing at all, whichever of their sections asks."""
        return sum(not one.needed for one in self.parties.values() if section.counts(one.kind, one.roles))

    @cached_property
    def of_parties(self) -> Tally:
        """Count what all parties lack, by section and code."""
        tally: Tally = Counter()
        for party in self.parties.values():
            tally += party.needed
        return tally

    @cached_property
    def slots(self) -> int:
        """How many documents are asked for."""
        of_parties = sum(len(self.draft.form_state.slots_of(*group)) * count for group, count in self.groups.items())
        return len(self.draft.form_state.slots()) + of_parties

    @cached_property
    def required_slots(self) -> int:
        """Count the documents that are required."""
        state = self.draft.form_state
        count = sum(slot.required for slot in state.slots())
        for group, number in self.groups.items():
            count += number * sum(slot.required for slot in state.slots_of(*group))
        return count

    @cached_property
    def uploaded(self) -> int:
        """How many files there are in slots, asked for or not."""
        if self.draft.has_all_documents:
            return len(self.draft.documents)
        return sum(count for _, count in _UPLOADED.tuples(self.draft.application.pk))

    @cached_property
    def missing_documents(self) -> Counter[str]:
        """How many required documents are missing, by the section that asks for them."""
        state, there = self.draft.form_state, self.draft.record.documents
        of_entity = (one for one in state.slots() if one.required and (None, one.name) not in there)
        found = Counter(slot.section.key for slot in of_entity)
        for _, tally in self._own_tallies.values():
            for (section, code), count in tally.items():
                if code == "document":
                    found[section] += count
        return found

    @cached_property
    def _share_needs(self) -> tuple[Need, ...]:
        """What is needed of the classes themselves."""
        tokens = {model.pk: model.token for model in self.draft.share_class_models}
        given: Counter[str] = Counter()
        for kind, roles, pk, shares in _GIVEN.tuples(self.draft.application.pk) if tokens else ():
            given[tokens[pk]] += shares if self._is_shareholder((kind, tuple(roles))) else 0
        state = self.draft.form_state
        return (*needs_of_share_classes(state), *over_issued_of(state, given))

    @cached_property
    def of_shares(self) -> int:
        """How much the shares still need: classes, their answers, holders without shares, numbers that don't fit."""
        section = self.draft.schema.share_section
        if section is None or not self.draft.holds_shares:
            return 0
        of_holders = sum(count for (key, _), count in self.of_parties.items() if key == section.key)
        return len(self._share_needs) + of_holders

    @cached_property
    def only_share_need(self) -> str:
        """The words of what the shares need, where that is one thing."""
        section = self.draft.schema.share_section
        if section is None or self.of_shares != 1:
            return ""
        if self._share_needs:
            return self._share_needs[0].text
        holders = self.parties.items()
        token = next(token for token, party in holders if any(key == section.key for key, _ in party.needed))
        return next(need.text for need in self.draft.needs_of_party(token) if need.section == section.key)

    @cached_property
    def count(self) -> int:
        """How much is needed in all, as many as `draft.needs` lists."""
        state = self.draft.form_state
        of_roles = sum(1 for _ in (*needs_of_roles(state, self.parties_in), *needs_of_role_bounds(state)))
        of_shares = len(self._share_needs) if self.draft.holds_shares else 0
        return len(needs_of_entity(state)) + of_roles + self.of_parties.total() + of_shares

    def needs_of_role(self, section: Section) -> tuple[Need, ...]:
        """Return what a role itself needs: more or fewer parties, or answers that add up."""
        state = self.draft.form_state
        needs = (*needs_of_roles(state, self.parties_in), *needs_of_role_bounds(state))
        return tuple(need for need in needs if need.section == section.key)

    def codes_in(self, section: Section) -> Counter[str]:
        """Count the needs of the parties with a role by code, whichever of their sections asks."""
        codes: Counter[str] = Counter()
        for party in self.parties.values():
            if section.role in party.roles:
                codes += party.codes
        return codes
