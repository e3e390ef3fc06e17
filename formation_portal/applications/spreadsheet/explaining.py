"""What is to be known of each column, in words: of whom it is asked, whether it is needed, and what to type."""

from dataclasses import dataclass

from formation_portal.contract import canonical
from formation_portal.contract.language import say
from formation_portal.contract.reasons import only_if
from formation_portal.contract.rules import named_place
from formation_portal.contract.schema import FormSchema

from .columns import KIND, Asking, Column, kind_word
from .template import TemplateColumn

# More than these are a list of their own.
_FEW = 8


@dataclass(frozen=True, slots=True)
class Explanation:
    """One column in words."""

    heading: str
    asked_of: str
    needed: str
    what: str
    answers: str

    @property
    def cells(self) -> tuple[str, ...]:
        """As the sheet of explanations has it."""
        return (self.heading, self.asked_of, self.needed, self.what, self.answers)


def titles() -> tuple[str, ...]:
    """The headings of the explanations."""
    return (say("Column"), say("Who it is for"), say("Required"), say("What to type"), say("Allowed answers"))


def explanation(schema: FormSchema, found: TemplateColumn) -> Explanation:
    """The column as the form explains it, and as we do."""
    column = found.column
    return Explanation(column.heading, _asked_of(column), _needed(schema, column), _what(column), _answers(found))


def _asked_of(column: Column) -> str:
    """Person: director, shareholder. Company: director."""
    roles: dict[str, list[str]] = {}
    for one in column.askings:
        roles.setdefault(one.kind, []).append(canonical.role_word(one.section.role or ""))
    said = (f"{kind_word(kind)}: {', '.join(dict.fromkeys(words))}" for kind, words in roles.items())
    return ". ".join(said) or say("Everyone")


def _needed(schema: FormSchema, column: Column) -> str:
    if column.key == KIND:
        return say("Yes")
    if column.role:
        return say("At least one role")
    if column.is_needed:
        return say("Before you submit")
    needed = (one for one in column.askings if one.spec.required and column.part not in one.spec.optional_parts)
    conditions = dict.fromkeys(_condition(schema, one) for one in needed)
    return ". ".join(one for one in conditions if one) or say("No")


def _condition(schema: FormSchema, asking: Asking) -> str:
    rule = asking.spec.depends_on
    place = named_place(schema, rule, asking.section, asking.kind, None) if rule else None
    return only_if(rule, place.spec) if rule and place else ""


def _what(column: Column) -> str:
    if column.role:
        return say("Yes if they have this role. If not, leave it empty.")
    if column.spec is None:
        return ""
    return " ".join(
        text for text in (column.spec.help, say(column.spec.cell_hint) if column.spec.cell_hint else "") if text
    )


def _answers(found: TemplateColumn) -> str:
    if not found.choices:
        return ""
    if len(found.choices) > _FEW:
        return say("See the list under “{title}”", title=say("Allowed answers"))
    return "; ".join(choice.label for choice in found.choices)
