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


# What is counted of an application: parties by summary, its files, and who holds how many shares.
_SUMMARIES = PreparedQuery(
    lambda application: (
        Party.objects.filter(application=application, removed_at=None)
        .order_by()
        .annotate(is_of_now=Case(When(judged_of=F("updated_at"), then=True), default=False))
        .values_list("kind", "roles", "needed", "judged_by", "judged_until", "is_of_now")
        .annotate(count=Count("pk"))
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
        .values_list("party__kind", "party__roles")
        .annotate(
            some=Count("party", filter=Q(shares__gt=0), distinct=True),
            unread=Count("pk", filter=Q(shares=None)),
        )
    )
)
_GIVEN = PreparedQuery(
    lambda application: (
        _holding_rows(application)
        .values_list("party__kind", "party__roles", "share_class")
        .annotate(given=Sum("shares", default=0))
    )
)


class PartyNeeds:
    """How much each party needs, of many who are read together: of whoever's summary holds, no answer is validated."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._by = judged_by(draft)

    def count(self, row: PartyRow) -> tuple[int, int]:
        """How many things beside shares, and how many of them are documents."""
        if _holds(self._draft, self._by, row.model):
            needed = _read(row.model.needed)
        else:
            # Everybody's at once: others may have to be judged anew, too.
            _ = self._draft.documents
            needed = _needed(self._draft, row)
        return needed.total(), sum(count for (_, code), count in needed.items() if code == "document")


@dataclass(frozen=True)
class Totals:
    """What an application needs, in numbers, and how many there are. Each is counted when it is asked for."""

    draft: Draft

    @cached_property
    def _summaries(self) -> list[tuple[Group, str, bool, int]]:
        """How many parties there are of each group with the same summary, and whether it holds: one query."""
        draft, by = self.draft, judged_by(self.draft)
        if draft.has_all_parties:
            rows = ((one.kind, tuple(one.roles), one) for one in draft.party_models)
            read = Counter(((kind, roles), one.needed, _holds(draft, by, one)) for kind, roles, one in rows)
        else:
            read = Counter()
            for kind, roles, needed, its_by, until, is_of_now, count in _SUMMARIES.tuples(draft.application.pk):
                holds = bool(by and its_by == by and is_of_now and until and until > draft.today)
                read[(kind, tuple(roles)), needed, holds] += count
        return [(*what, count) for what, count in read.items()]

    @cached_property
    def groups(self) -> Counter[Group]:
        """How many parties there are of each kind with the same roles."""
        found: Counter[Group] = Counter()
        for group, _, _, count in self._summaries:
            found[group] += count
        return found

    def parties_in(self, section: Section) -> int:
        """How many have the section's role, which their kind can have."""
        return sum(count for (kind, roles), count in self.groups.items() if section.counts(kind, roles))

    @cached_property
    def of_parties(self) -> Tally:
        """What the parties' own answers, roles and documents lack."""
        found: Tally = Counter()
        for _, needed, holds, count in self._summaries:
            for place, each in _read(needed).items() if holds else ():
                found[place] += each * count
        if not all(holds for _, _, holds, _ in self._summaries):
            by = judged_by(self.draft)
            void = list(_stale(self.draft.application.pk, by, self.draft.today) if by else self._parties)
            if len(void) > 1:
                _ = self.draft.documents
            for model in void:
                found += _needed(self.draft, self.draft.as_party(model))
        return found

    @cached_property
    def slots(self) -> int:
        """How many documents are asked for."""
        of_parties = sum(len(self.draft.form_state.slots_of(*group)) * count for group, count in self.groups.items())
        return len(self.draft.form_state.slots()) + of_parties

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
        for (section, code), count in self.of_parties.items():
            if code == "document":
                found[section] += count
        return found

    @cached_property
    def _holdings(self) -> dict[Group, tuple[int, int]]:
        """Of each group of shareholders, how many have no shares, and how many of their numbers can't be read."""
        state = self.draft.form_state
        holders = {one: n for one, n in self.groups.items() if canonical.SHAREHOLDER in state.active_roles_of(*one)}
        found = {group: (count, 0) for group, count in holders.items()}
        counted = _HOLDERS.tuples(self.draft.application.pk) if self.draft.share_class_models else ()
        for kind, roles, has_some, unreadable in counted:
            if (group := (kind, tuple(roles))) in found:
                found[group] = (holders[group] - has_some, unreadable)
        return found

    @cached_property
    def _share_needs(self) -> tuple[Need, ...]:
        """What is needed of the classes themselves."""
        tokens = {model.pk: model.token for model in self.draft.share_class_models}
        given: Counter[str] = Counter()
        for kind, roles, pk, shares in _GIVEN.tuples(self.draft.application.pk) if tokens else ():
            given[tokens[pk]] += shares if (kind, tuple(roles)) in self._holdings else 0
        state = self.draft.form_state
        return (*needs_of_share_classes(state), *over_issued_of(state, given))

    @cached_property
    def of_shares(self) -> int:
        """How much the shares still need: classes, their answers, holders without shares, numbers that don't fit."""
        if not self.draft.holds_shares:
            return 0
        return len(self._share_needs) + sum(without + unread for without, unread in self._holdings.values())

    @cached_property
    def only_share_need(self) -> str:
        """The words of what the shares need, where that is one thing."""
        draft, section = self.draft, self.draft.schema.share_section
        if section is None or self.of_shares != 1:
            return ""
        if self._share_needs:
            return self._share_needs[0].text
        (group, (_, unread)) = next(one for one in self._holdings.items() if any(one[1]))
        if unread:
            row = self._holding_rows.filter(shares=None, party__kind=group[0], party__roles=list(group[1]))
            token = row.values_list("party__token", flat=True)[0]
        else:
            lacking = self._parties.filter(kind=group[0], roles=list(group[1]))
            has_some = self._holding_rows.filter(shares__gt=0).values("party")
            token = lacking.exclude(pk__in=has_some).values_list("token", flat=True)[0]
        return next(need.text for need in draft.needs_of_party(token) if need.section == section.key)

    @property
    def _holding_rows(self) -> QuerySet[Holding]:
        return _holding_rows(self.draft.application.pk)

    @cached_property
    def count(self) -> int:
        """How much is needed in all, as many as `draft.needs` lists."""
        state = self.draft.form_state
        of_roles = sum(1 for _ in (*needs_of_roles(state, self.parties_in), *needs_of_role_bounds(state)))
        return len(needs_of_entity(state)) + of_roles + self.of_parties.total() + self.of_shares

    def needs_of_role(self, section: Section) -> Counter[str]:
        """What those in a role lack of what its section asks, by code, without documents; and whether they are few."""
        of_section = {code: count for (key, code), count in self.of_parties.items() if key == section.key}
        found = Counter({code: count for code, count in of_section.items() if code != "document"})
        state = self.draft.form_state
        for need in (*needs_of_roles(state, self.parties_in), *needs_of_role_bounds(state)):
            found[need.code] += need.section == section.key
        return +found

    @property
    def _parties(self) -> QuerySet[Party]:
        return self.draft.application.parties.filter(removed_at=None).order_by()
