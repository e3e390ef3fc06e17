"""What the catalog's data files may say, and what it becomes on the wire (interface, "Section" to "Document slots").

* A question is listed under its name. `entity.`, `person.`, `party.`, `corporate.`, `foundation.` and `share_class.`
  make a canonical field, any other prefix a field of the provider; the last part is its key. It is required unless
  `optional`, a text unless it has a `type`; `declare: words` makes the tick box of a declaration; `agent` says that
  the agent's address is the answer. An amount allows its own `currencies`, else the product's.
* A list of questions gives names of questions or of field sets; `name: {…}` says or changes what the question is.
  The `fields` of a product change a shared question wherever the product asks it.
* `groups` gives the headings under which questions stand together, wherever they are asked.
* `options` are words, or the name of a list of words, or `countries`; `exclusive` lists those that exclude the others.
* Bounds have the supplement's names: `minimum`, `maximum`, `integer`, `decimals`, `minimum_age`, `maximum_age`,
  `max_length` of a question, `maximum` and `total` of a role section, `bound_message` of both. A number that bounds an
  amount holds in each of its currencies.
* `when: {question: value}` is a rule by equality, with a list of values one by `includes_any`, with a name one of
  the shared rules. `at_least: {minimum, when}` is a role section's other minimum.
* A section is a block's name, or its own members: `use` takes a block, members beside it replace the block's, and
  `add` lengthens its lists. `allows` names the kinds of party beside persons; what the section would ask of other
  kinds is left out, so that one block serves sections that differ in whom they allow.
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
# In a slot list the key "entity" is for corporate parties (supplement, "Documents").
SLOT_GROUPS = {"person": "person", "corporate": "entity", "foundation": "foundation"}


class CatalogError(Exception):
    """A data file names something that is not there; the message says what and where."""


@dataclass(frozen=True, kw_only=True)
class SharedBlocks:
    """The shared blocks by name, and how what takes them is written out."""

    options: Block
    rules: Block
    fields: Block
    field_sets: Block
    # The heading of a question, by its name.
    groups: Mapping[str, str]
    slots: Block
    slot_sets: Block
    sections: Block
    currencies: tuple[str, ...] = ()

    def for_product(self, *, fields: Mapping[str, Block], currencies: Iterable[str]) -> "SharedBlocks":
        """The same blocks with a product's questions laid over them."""
        own = {name: self.fields.get(name, {}) | block for name, block in fields.items()}
        return replace(self, fields=self.fields | own, currencies=tuple(currencies))

    def section(self, entry: str | Block) -> Block:
        """One section as the wire has it."""
        block = self._block(entry)
        scope = block.get("scope", "entity")
        head = {"scope": scope, "title": block["title"]} | {k: block[k] for k in SECTION_MEMBERS if k in block}
        if scope.startswith("role:"):
            body = self._role_members(block)
        else:
            body = {"fields": self._fields(block["fields"])}
            if "documents" in block:
                body["documents"] = {"entity": self._slots(block["documents"]["entity"])}
        return head | body | self._conditions(block)

    def _block(self, entry: str | Block) -> Block:
        own: Block = {"use": entry} if isinstance(entry, str) else entry
        if "use" not in own:
            return own
        if own["use"] not in self.sections:
            raise CatalogError(f"no section is called {own['use']}")
        block = self._block(self.sections[own["use"]]) | {k: v for k, v in own.items() if k not in ("use", "add")}
        return _with_additions(block, own.get("add", {}))

    def _role_members(self, block: Block) -> Block:
        kinds = ["person", *block.get("allows", [])]
        slots = {SLOT_GROUPS[kind]: self._slots(block["documents"][SLOT_GROUPS[kind]]) for kind in kinds}
        return (
            {f"allows_{kind}": kind in kinds for kind in ("corporate", "foundation")}
            | {FIELD_GROUPS[kind]: self._fields(block[FIELD_GROUPS[kind]]) for kind in kinds}
            | {"documents": slots}
        )

    def _conditions(self, block: Block) -> Block:
        conditions: Block = {}
        if "at_least" in block:
            field, value = _only(block["at_least"]["when"])
            wanted = "value_in" if isinstance(value, list) else "value"
            conditions["conditional_min"] = {"field": field, wanted: value, "minimum": block["at_least"]["minimum"]}
        if "when" in block:
            conditions["depends_on"] = self._rule(block["when"])
        return conditions

    def _rule(self, when: str | Block) -> Block:
        field, value = _only(self.rules[when] if isinstance(when, str) else when)
        operator = {"operator": "includes_any"} if isinstance(value, list) else {}
        return {"field": field, **operator, "value": value}

    def _fields(self, entries: Entries) -> list[Block]:
        named = _named(entries, known=self.fields, sets=self.field_sets)
        # Those under one heading are neighbours, wherever a product adds one.
        headings = list(dict.fromkeys(self.groups.get(name, "") for name in named))
        in_order = sorted(named, key=lambda name: headings.index(self.groups.get(name, "")))
        return [self._field(name, named[name]) for name in in_order]

    def _field(self, name: str, block: Block) -> Block:
        said = block | ({"type": "multi_select", "options": [block["declare"]]} if "declare" in block else {})
        prefix, _, key = name.rpartition(".")
        field: Block = {
            "key": key,
            "canonical_field" if prefix in CANONICAL_PREFIXES else "csp_field_key": name,
            "label": said["label"],
            "field_type": said.get("type", "text"),
            "required": not said.get("optional", False),
        }
        if "options" in said:
            options = said["options"]
            if isinstance(options, str):
                options = COUNTRIES if options == "countries" else self.options[options]
            field["options"] = list(options)
        if "exclusive" in said:
            field["exclusive_options"] = list(said["exclusive"])
        if said.get("type") == "currency_amount":
            field["allowed_currencies"] = list(said.get("currencies", self.currencies))
        field |= _bounds(said, field)
        if said.get("agent"):
            field["provided_by_agent"] = True
        if "when" in said:
            field["depends_on"] = self._rule(said["when"])
        if name in self.groups:
            field["group"] = self.groups[name]
        return field | ({"help": said["help"]} if "help" in said else {})

    def _slots(self, entries: Entries) -> list[Block]:
        named = _named(entries, known=self.slots, sets=self.slot_sets)
        return [
            {"name": name, "required": not slot.get("optional", False)}
            | ({"help": slot["help"]} if "help" in slot else {})
            for name, slot in named.items()
        ]


def _bounds(block: Block, field: Block) -> Block:
    """Return a question's bounds. An amount in one of several currencies has each limit by currency."""
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


def _named(entries: Entries, *, known: Block, sets: Block) -> Block:
    """Blocks by name, in order: a set stands for its entries, a later entry of a name changes the earlier one."""
    found: Block = {}
    for entry in entries:
        name, own = (entry, {}) if isinstance(entry, str) else _only(entry)
        if name in sets:
            found |= _named(sets[name], known=known, sets=sets)
        elif name in known or own:
            found[name] = {**(found.get(name) or known.get(name, {})), **own}
        else:
            raise CatalogError(f"nothing is called {name}")
    return found


def _only(block: Block) -> tuple[str, Any]:
    """The one member of a block that must have one."""
    if len(block) != 1:
        raise CatalogError(f"one name was expected in {block}")
    return next(iter(block.items()))


def _with_additions(block: Block, more: Block) -> Block:
    """The block with its lists lengthened, at any depth."""
    longer = dict(block)
    for name, value in more.items():
        is_block = isinstance(value, dict)
        longer[name] = _with_additions(block.get(name, {}), value) if is_block else [*block.get(name, []), *value]
    return longer
