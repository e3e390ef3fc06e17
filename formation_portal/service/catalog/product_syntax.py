"""Translate the catalog's data files to the interface's form (INTERFACE.md, "Section", "Document slots"). Syntax:

* A question is listed under its name. `entity.`, `person.`, `party.`, `corporate.`, `foundation.` and `share_class.`
  make a canonical field, any other prefix a field of the provider; the last part is its key. It is required unless
  `optional`, a text unless it has a `type`; `declare: words` makes the tick box of a declaration; `agent` says that
  the agent's address is the answer. An amount allows its own `currencies`, else the product's.
* A list of questions gives names of questions or of field sets; `name: {…}` defines a question or changes a shared
  one. The `fields` of a product change a shared question wherever the product asks it.
* `groups` gives the headings under which questions stand together, in every section that asks them.
* `options` are words, or the name of a list of words, or `countries`; `exclusive` lists those that exclude the others.
* Bounds have the names of the interface: `minimum`, `maximum`, `integer`, `decimals`, `minimum_age`, `maximum_age`,
  `max_length` of a question, `maximum` and `total` of a role section, `bound_message` of both. A number that bounds an
  amount holds in each of its currencies.
* `when: {question: value}` is a rule by equality; with a list of values, a rule by `includes_any`; with a name, a
  shared rule. `at_least: {minimum, when}` is a role section's conditional minimum.
* A section is a block's name, or its own members: `use` takes a block, other members replace the block's members, and
  `add` appends to the block's lists. `allows` names the allowed kinds of party besides persons; questions for other
  kinds are left out, so that sections that allow different kinds can share a block.
* `validations` of a product or a section list rules across answers, each by the name of a shared one or as `rule`,
  `message`, `at` (the name of a question, or the scope of a section, where the message stands) and `level: advice`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from formation_portal.contract.fields.iso_codes import COUNTRIES

Block = dict[str, Any]
Entries = Iterable[str | Block]

CANONICAL_PREFIXES = {"entity", "person", "party", "corporate", "foundation", "share_class"}
FIELD_GROUPS = {"person": "person_fields", "corporate": "corporate_fields", "foundation": "foundation_fields"}
FIELD_BOUNDS = ("integer", "decimals", "minimum_age", "maximum_age", "max_length", "bound_message")
SECTION_MEMBERS = ("help", "minimum", "maximum", "total", "bound_message")
# In a slot list the key "entity" is for corporate parties (INTERFACE.md, "Documents").
SLOT_GROUPS = {"person": "person", "corporate": "entity", "foundation": "foundation"}


class CatalogError(Exception):
    """Raised for a data file that names a missing block, or a faulty form schema. The message names the place."""


@dataclass(frozen=True, kw_only=True)
class SharedBlocks:
    """The blocks that products share, by name, and the methods that make sections of them."""

    options: Block
    rules: Block
    fields: Block
    field_sets: Block
    # Maps a question's name to its heading.
    groups: Mapping[str, str]
    slots: Block
    slot_sets: Block
    sections: Block
    validations: Block
    currencies: tuple[str, ...] = ()

    def for_product(self, *, fields: Mapping[str, Block], currencies: Iterable[str]) -> "SharedBlocks":
        own = {name: self.fields.get(name, {}) | block for name, block in fields.items()}
        return replace(self, fields=self.fields | own, currencies=tuple(currencies))

    def section(self, entry: str | Block) -> Block:
        block = self._block(entry)
        section = {"scope": block.get("scope", "entity"), "title": block["title"]}
        section |= {name: block[name] for name in SECTION_MEMBERS if name in block}
        if section["scope"].startswith("role:"):
            section |= self._role_members(block)
        else:
            section["fields"] = self._fields(block["fields"])
            if "documents" in block:
                section["documents"] = {"entity": self._slots(block["documents"]["entity"])}
        return section | self._conditions(block)

    def all_validations(self, product: Block) -> list[Block]:
        """Return the validations of the product's sections, then its own."""
        entries: list[str | Block] = []
        for section in product["sections"]:
            entries += self._block(section).get("validations", [])
        return [self._validation(entry) for entry in (*entries, *product.get("validations", []))]

    def _validation(self, entry: str | Block) -> Block:
        if isinstance(entry, str) and entry not in self.validations:
            raise CatalogError(f"no validation is called {entry}")
        block: Block = self.validations[entry] if isinstance(entry, str) else entry
        place = "section" if ":" in block["at"] or block["at"] == "share_structure" else "field"
        return {
            "rule": " ".join(block["rule"].split()),
            "message": block["message"],
            "level": block.get("level", "error"),
            place: block["at"],
        }

    def _block(self, entry: str | Block) -> Block:
        own: Block = {"use": entry} if isinstance(entry, str) else entry
        if "use" not in own:
            return own
        if own["use"] not in self.sections:
            raise CatalogError(f"no section is called {own['use']}")
        block = self._block(self.sections[own["use"]]) | own
        additions = block.pop("add", {})
        del block["use"]
        return _with_additions(block, additions)

    def _role_members(self, block: Block) -> Block:
        kinds = ["person", *block.get("allows", [])]
        members: Block = {"allows_corporate": "corporate" in kinds, "allows_foundation": "foundation" in kinds}
        for kind in kinds:
            members[FIELD_GROUPS[kind]] = self._fields(block[FIELD_GROUPS[kind]])
        members["documents"] = {SLOT_GROUPS[kind]: self._slots(block["documents"][SLOT_GROUPS[kind]]) for kind in kinds}
        return members

    def _conditions(self, block: Block) -> Block:
        conditions: Block = {}
        if "at_least" in block:
            field, value = _only(block["at_least"]["when"])
            operator = "value_in" if isinstance(value, list) else "value"
            conditions["conditional_min"] = {"field": field, operator: value, "minimum": block["at_least"]["minimum"]}
        if "when" in block:
            conditions["depends_on"] = self._rule(block["when"])
        return conditions

    def _rule(self, when: str | Block) -> Block:
        field, value = _only(self.rules[when] if isinstance(when, str) else when)
        rule = {"field": field}
        if isinstance(value, list):
            rule["operator"] = "includes_any"
        return rule | {"value": value}

    def _fields(self, entries: Entries) -> list[Block]:
        blocks = _named(entries, shared=self.fields, sets=self.field_sets)
        # Questions under the same heading become neighbours, wherever a product adds a question.
        by_heading: dict[str, list[str]] = {}
        for name in blocks:
            by_heading.setdefault(self.groups.get(name, ""), []).append(name)
        return [self._field(name, blocks[name]) for names in by_heading.values() for name in names]

    def _field(self, name: str, block: Block) -> Block:
        if "declare" in block:
            block = block | {"type": "multi_select", "options": [block["declare"]]}
        prefix, _, key = name.rpartition(".")
        field: Block = {
            "key": key,
            "canonical_field" if prefix in CANONICAL_PREFIXES else "csp_field_key": name,
            "label": block["label"],
            "field_type": block.get("type", "text"),
            "required": not block.get("optional", False),
        }
        if "options" in block:
            options = block["options"]
            if isinstance(options, str):
                options = COUNTRIES if options == "countries" else self.options[options]
            field["options"] = list(options)
        if "exclusive" in block:
            field["exclusive_options"] = list(block["exclusive"])
        if block.get("type") == "currency_amount":
            field["allowed_currencies"] = list(block.get("currencies", self.currencies))
        field |= _bounds(block, field)
        if block.get("agent"):
            field["provided_by_agent"] = True
        if "when" in block:
            field["depends_on"] = self._rule(block["when"])
        if name in self.groups:
            field["group"] = self.groups[name]
        if "help" in block:
            field["help"] = block["help"]
        return field

    def _slots(self, entries: Entries) -> list[Block]:
        slots = []
        for name, block in _named(entries, shared=self.slots, sets=self.slot_sets).items():
            slot = {"name": name, "required": not block.get("optional", False)}
            if "help" in block:
                slot["help"] = block["help"]
            slots.append(slot)
        return slots


def _bounds(block: Block, field: Block) -> Block:
    """Return a question's bounds. For an amount with a choice of currencies, each limit is given by currency."""
    bounds = {name: block[name] for name in FIELD_BOUNDS if name in block}
    currencies = field.get("allowed_currencies", [])
    for name in ("minimum", "maximum"):
        if name not in block:
            continue
        limit = block[name]
        if len(currencies) > 1 and not isinstance(limit, dict):
            limit = dict.fromkeys(currencies, limit)
        bounds[name] = limit
    return bounds


def _named(entries: Entries, *, shared: Block, sets: Block) -> Block:
    """Return the blocks of the entries by name, in order. A set is replaced by its entries. A later entry changes an
    earlier entry of the same name."""
    blocks: Block = {}
    for entry in entries:
        name, changes = (entry, {}) if isinstance(entry, str) else _only(entry)
        if name in sets:
            blocks |= _named(sets[name], shared=shared, sets=sets)
        elif name in shared or changes:
            block = blocks.get(name) or shared.get(name, {})
            blocks[name] = {**block, **changes}
        else:
            raise CatalogError(f"nothing is called {name}")
    return blocks


def _only(block: Block) -> tuple[str, Any]:
    if len(block) != 1:
        raise CatalogError(f"one name was expected in {block}")
    return next(iter(block.items()))


def _with_additions(block: Block, additions: Block) -> Block:
    """Return the block with the additions appended to its lists, at any depth."""
    longer = dict(block)
    for name, value in additions.items():
        if isinstance(value, dict):
            longer[name] = _with_additions(block.get(name, {}), value)
        else:
            longer[name] = [*block.get(name, []), *value]
    return longer
