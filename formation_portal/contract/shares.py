"""Read numbers of shares, compare them with the shares that exist, and split them equally. All are whole numbers."""

from collections import Counter
from collections.abc import Iterator

from . import canonical
from .conditions import count_of
from .fields import parsing
from .fields.values import AnswerError
from .localisation import format_number, gettext, gettext_noop, ngettext
from .needs import Need
from .record import ShareClass
from .rules import FormState

_IN_DIGITS = gettext_noop("Enter the number of {of} in digits, like 5000")
_TOO_LONG = gettext_noop("Enter the number of {of} with at most {limit} digits")


def parse_number_of_shares(raw: object, *, of: str) -> int:
    """Parse a typed number of shares. Raises AnswerError with a message that calls the shares `of`."""
    if isinstance(raw, str) and parsing.POINT_AND_THREE.fullmatch(parsing.without_group_marks(raw)):
        # 10.000 is ten to some people, and ten thousand to others.
        text = gettext("Enter the number of {of} without a full stop or comma, like 10000", of=of)
        raise AnswerError("ambiguous", text)
    try:
        number = parsing.number(raw, label=of)
    except AnswerError as error:
        message = _TOO_LONG if error.code == "too_many_digits" else _IN_DIGITS
        raise AnswerError(error.code, gettext(message, of=of, limit=parsing.DIGITS_LIMIT)) from None
    if not isinstance(number, int):
        raise AnswerError("not_whole", gettext("Enter a whole number of {of}", of=of))
    if number < 0:
        raise AnswerError("negative", gettext("Enter the number of {of} as zero or more", of=of))
    return number


def existing_shares(form_state: FormState, share_class: ShareClass | None) -> int | None:
    """Count the shares of the class or, without one, of all classes together. Return None if that is unknown or 0."""
    name = canonical.CLASS_SHARES if share_class else canonical.ENTITY_SHARES
    for spec, value in form_state.active_answers(share_class):
        if spec.canonical_field == name:
            return count_of(value) or None
    return None


def over_issued(form_state: FormState) -> Iterator[Need]:
    """Yield a need for each class, and for all together, with too many shares allocated. No service checks this."""
    section = form_state.active_share_section
    if section is None:
        return
    record = form_state.record
    shareholders = {party.id for party in record.parties if canonical.SHAREHOLDER in form_state.active_roles(party)}
    allocated: Counter[str] = Counter()
    for holding in record.holdings:
        if holding.party_id in shareholders:
            allocated[holding.share_class_id] += holding.shares
    for share_class in record.share_classes:
        limit = existing_shares(form_state, share_class)
        if limit is not None and allocated[share_class.id] > limit:
            text = ngettext(
                "Reduce “{name}” by {count} share, to the {limit} available",
                "Reduce “{name}” by {count} shares, to the {limit} available",
                allocated[share_class.id] - limit,
                name=share_class.label or gettext("Unnamed share class"),
                limit=format_number(limit),
            )
            yield Need("over_issued", text, section.key, share_class_id=share_class.id)
    limit = existing_shares(form_state, None)
    if limit is not None and allocated.total() > limit:
        text = ngettext(
            "Reduce all share classes together by {count} share, to the {limit} available",
            "Reduce all share classes together by {count} shares, to the {limit} available",
            allocated.total() - limit,
            limit=format_number(limit),
        )
        yield Need("over_issued", text, section.key)


def split_equally(total: int, *, among: int) -> tuple[int, ...]:
    """Split the total into equal parts. A remainder goes to the first parts, one share each."""
    share, rest = divmod(total, among)
    return (share + 1,) * rest + (share,) * (among - rest)
