"""Reads the service's records after a call in doubt, and counts those that may be what was sent.

A list is read until two readings are equal, so that nobody concludes from a list that is just changing.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.gateway import FormationService
from formation_portal.gateway.envelopes import LONGEST_ID
from formation_portal.gateway.errors import Unclear

from .echoes import agrees
from .kinds import ENTITY, Kind, Name
from .parcel import Parcel

Records = list[dict[str, Any]]

_MOST_READINGS = 5
# Where a record's own id may stand; other ids in it are those of what it refers to.
_ID_NAMES: Mapping[Kind, tuple[str, ...]] = {
    Kind.ENTITY: ("id", "entity_id"),
    Kind.PARTY: ("party_id", "id"),
    Kind.SHARE_CLASS: ("id", "share_class_id"),
    Kind.SHAREHOLDING: ("id", "shareholding_id"),
    Kind.DOCUMENT: ("id", "document_id"),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the service's list shows: how many records, and the ids of those that agree with what was sent.

    `is_certain`: the match is by our own reference, not by likeness.
    """

    records: int
    matches: tuple[str, ...]
    is_certain: bool = False


def look(parcel: Parcel) -> Evidence:
    """The evidence about what a create may have made. Raises GatewayError where no list can be read."""
    records = _steady(lambda: _READERS[parcel.kind](parcel.service, parcel.ids, parcel))
    body = parcel.described()
    reference = body.get("client_reference")
    if reference and (named := [record for record in records if record.get("client_reference") == reference]):
        return Evidence(len(records), _ids(parcel.kind, named), is_certain=True)
    carried = [record for record in records if not _is_anothers(record, reference)]
    alike = [record for record in carried if agrees(parcel.kind, body, record)]
    return Evidence(len(records), _ids(parcel.kind, alike))


def _is_anothers(record: Mapping[str, Any], reference: Any) -> bool:
    carried = record.get("client_reference")
    return isinstance(carried, str) and carried != "" and carried != reference


def _ids(kind: Kind, records: Collection[Mapping[str, Any]]) -> tuple[str, ...]:
    found = (next((record[name] for name in _ID_NAMES[kind] if record.get(name)), None) for record in records)
    return tuple(dict.fromkeys(one for one in found if isinstance(one, str) and len(one) <= LONGEST_ID))


def _steady(read: Callable[[], Records]) -> Records:
    last = read()
    for _ in range(_MOST_READINGS - 1):
        newest = read()
        if newest == last:
            return newest
        last = newest
    raise Unclear("The list changed each time it was read")


def _entities(service: FormationService, ids: Mapping[Name, str], parcel: Parcel) -> Records:
    # A service may ignore the filter, so the reference is compared again.
    return service.entities(client_reference=str(parcel.sent.get("client_reference") or ""))


def _parties(service: FormationService, ids: Mapping[Name, str], parcel: Parcel) -> Records:
    return service.parties(ids[ENTITY])


def _share_classes(service: FormationService, ids: Mapping[Name, str], parcel: Parcel) -> Records:
    return service.share_classes(ids[ENTITY])


def _shareholdings(service: FormationService, ids: Mapping[Name, str], parcel: Parcel) -> Records:
    return service.shareholdings(ids[ENTITY])


def _documents(service: FormationService, ids: Mapping[Name, str], parcel: Parcel) -> Records:
    return service.documents(ids[ENTITY])


_READERS: Mapping[Kind, Callable[[FormationService, Mapping[Name, str], Parcel], Records]] = {
    Kind.ENTITY: _entities,
    Kind.PARTY: _parties,
    Kind.SHARE_CLASS: _share_classes,
    Kind.SHAREHOLDING: _shareholdings,
    Kind.DOCUMENT: _documents,
}
