"""Where a rule's named field stands (supplement, "Rules"): its own section, the entity's, then the others."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .field import FieldSpec
from .schema import ENTITY, FormSchema, Section


@dataclass(frozen=True, slots=True)
class Place:
    """One field in one list of one section."""

    section: Section = field(compare=False)
    group: str
    spec: FieldSpec = field(compare=False)
    id: tuple[str, str, str]

    @classmethod
    def of(cls, section: Section, group: str, spec: FieldSpec) -> "Place":
        """The place of a field; its id is hashable and stable."""
        return cls(section, group, spec, (section.key, group, spec.key))


def all_places(schema: FormSchema) -> Iterator[Place]:
    """Every field of the schema, with those that are implied."""
    for section in schema.sections:
        for group, specs in section.groups.items():
            for spec in specs:
                yield Place.of(section, group, spec)


class Directory:
    """Finds the fields that a rule's word may mean, best first. Made once for a schema."""

    def __init__(self, schema: FormSchema) -> None:
        self._named: dict[str, list[Place]] = {}
        for place in all_places(schema):
            for word in {place.spec.key, place.spec.canonical_field, place.spec.csp_field_key} - {None}:
                self._named.setdefault(str(word), []).append(place)

    def candidates(self, word: str, *, section: Section, group: str) -> list[Place]:
        """The fields called `word`, in the order in which a rule standing in the section means them."""

        def distance(place: Place) -> int:
            if place.section.key == section.key:
                return 0 if place.group == group else 1
            return 2 if place.section.is_entity else 3

        return sorted(self._named.get(word, ()), key=distance)

    def entity_field(self, word: str) -> Place | None:
        """The entity's field called `word`; a conditional minimum never reads a party's answer."""
        return next((place for place in self._named.get(word, ()) if place.group == ENTITY), None)
