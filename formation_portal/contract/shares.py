"""Numbers of shares: read as typed, held against what there is to give, and split equally. Whole numbers throughout."""

import re
from collections import Counter
from collections.abc import Iterator

from . import canonical
from .fields import parsing
from .fields.values import AnswerError
from .localisation import format_number, gettext, gettext_noop, ngettext
from .needs import Need
from .record import Holder, ShareClass
from .rules import FormState

_POINTS_IN_IT = re.compile(r"-?\d{1,3}(\.\d{3})+", re.ASCII)
_IN_DIGITS = gettext_noop("Enter the number of {of} in digits, like 5000")
_TOO_LONG = gettext_noop("Enter the number of {of} with at most {limit} digits")


def parse_number_of_shares(raw: object, *, of: str) -> int:
    """The number that was typed. Raises AnswerError with the way out, naming what it is a number `of`.

    Nought is a way to say that there are none.
    """
    if isinstance(raw, str) and _POINTS_IN_IT.fullmatch(parsing.without_group_marks(raw)):
        # Ten to some, and ten thousand to others.
        raise AnswerError(
            "ambiguous", gettext("Enter the number of {of} without a full stop or comma, like 10000", of=of)
        )
    try:
        number = parsing.number(raw, label=of)
    except AnswerError as error:
        is_long = error.code == "too_many_digits"
        said = _TOO_LONG if is_long else _IN_DIGITS
        raise AnswerError(error.code, gettext(said, of=of, limit=parsing.DIGITS_LIMIT)) from None
    if not isinstance(number, int):
        raise AnswerError("not_whole", gettext("Enter a whole number of {of}", of=of))
    if number < 0:
        raise AnswerError("negative", gettext("Enter the number of {of} as zero or more", of=of))
    return number


def shares_of_class(form_state: FormState, share_class: ShareClass) -> int | None:
    """How many shares the class has, where the schema asks and the answer says so."""
    return _positive_count(form_state, canonical.CLASS_SHARES, share_class)


def shares_of_entity(form_state: FormState) -> int | None:
    """How many shares there are of all classes together, where the schema asks and the answer says so."""
    return _positive_count(form_state, canonical.ENTITY_SHARES, None)


def _positive_count(form_state: FormState, name: str, holder: Holder) -> int | None:
    found = next((value for spec, value in form_state.active_answers(holder) if spec.canonical_field == name), None)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def over_issued(form_state: FormState) -> Iterator[Need]:
    """What is given beyond what there is, of each class and of all together.

    The interface knows no such need, so the service doesn't refuse what has it; whoever asks for shares should.
    """
    section = form_state.schema.share_section
    if section is None or not form_state.section_activation(section).active:
        return
    holders = {
        party.id for party in form_state.record.parties if canonical.SHAREHOLDER in form_state.active_roles(party)
    }
    given_of: Counter[str] = Counter()
    for holding in form_state.record.holdings:
        if holding.party_id in holders:
            given_of[holding.share_class_id] += holding.shares
    yield from over_issued_of(form_state, given_of)


def over_issued_of(form_state: FormState, given_of: Counter[str]) -> Iterator[Need]:
    """The same, where it is known how many shares of each class its holders have, by the class's id."""
    section = form_state.schema.share_section
    if section is None or not form_state.section_activation(section).active:
        return
    for one in form_state.record.share_classes:
        given = given_of[one.id]
        limit = shares_of_class(form_state, one)
        if limit is not None and given > limit:
            text = ngettext(
                "Reduce “{name}” by {count} share, to the {limit} available",
                "Reduce “{name}” by {count} shares, to the {limit} available",
                given - limit,
                name=one.label or gettext("Unnamed share class"),
                limit=format_number(limit),
            )
            yield Need("over_issued", text, section.key, share_class_id=one.id)
    given, limit = given_of.total(), shares_of_entity(form_state)
    if limit is not None and given > limit:
        text = ngettext(
            "Reduce all share classes together by {count} share, to the {limit} available",
            "Reduce all share classes together by {count} shares, to the {limit} available",
            given - limit,
            limit=format_number(limit),
        )
        yield Need("over_issued", text, section.key)


def split_equally(total: int, *, among: int) -> tuple[int, ...]:
    """The total in equal parts; what is left over goes to the first ones, one share each."""
    each, left = divmod(total, among)
    return tuple(each + (place < left) for place in range(among))
