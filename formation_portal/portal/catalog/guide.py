"""Which product may be right: a few questions that tell this catalog's products apart, and those that fit the answers.

Asked is only what items and schemas tell of any product, and only where an answer would leave some out. Answers stand
in the address, and nothing of a visitor is kept. What comes of it is no advice, and the page says so.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from operator import attrgetter

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.fields.iso_codes import format_money, sort_key
from formation_portal.contract.localisation import in_quotes, join_list, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.ui.forms.controls import Option, as_options

from .filters import CatalogFilter, PriceCeiling, filtered_url
from .pages import COMPARED_AT_MOST, least_roles
from .requirements import Requirements

_LISTED_AT_MOST = 5
# Nobody chooses among more at a glance; a question with more is left out.
_MOST_OPTIONS = 12
_MOST_LIMITS = 4
_KINDS = {"Corporation": gettext_noop("Company"), "Foundation": gettext_noop("Foundation")}


@dataclass(frozen=True, slots=True)
class GuideQuestion:
    """One question. An answer is met, or not, or None where the catalog doesn't tell.

    `labels` are the words of each answer by its value in the address, `short` those that do under the legend; `fact`
    says how a product is, whatever is chosen.
    """

    name: str
    legend: str
    labels: Mapping[str, str]
    meets: Callable[[CatalogItem, str], bool | None]
    fact: Callable[[CatalogItem], str]
    hint: str = ""
    short: Mapping[str, str] = field(default_factory=dict)
    # Empty where it doesn't matter.
    answer: str = ""
    # Whether the options are the portal's own words.
    is_ours: bool = True

    @property
    def options(self) -> tuple[Option, ...]:
        pairs = as_options([("", gettext("Doesn’t matter")), *(self.short or self.labels).items()], self.answer)
        return tuple(replace(one, is_ours=self.is_ours or not one.value) for one in pairs)

    def divides(self, items: tuple[CatalogItem, ...]) -> bool:
        """Whether some answer is met by some of the products, and not by all."""
        met = (sum(self.meets(item, value) is True for item in items) for value in self.labels)
        return len(self.labels) <= _MOST_OPTIONS and any(0 < count < len(items) for count in met)

    def reason(self, item: CatalogItem) -> str:
        """How the product stands to the answer, in a line."""
        fact, answer = self.fact(item), in_quotes(self.labels[self.answer])
        match self.meets(item, self.answer):
            case True:
                return fact
            case False:
                return gettext("Not {answer}: {fact}").format(answer=answer, fact=fact)
            case _:
                return gettext("{answer} can’t be checked: {fact}").format(answer=answer, fact=fact)


@dataclass(frozen=True)
class Candidate:
    """A product with how it stands to each answer."""

    product: CatalogProduct
    item: CatalogItem
    asked: tuple[GuideQuestion, ...]

    @cached_property
    def standing(self) -> dict[str, bool | None]:
        """By the name of each question that was answered."""
        return {one.name: one.meets(self.item, one.answer) for one in self.asked if one.answer}

    @property
    def missed(self) -> frozenset[str]:
        """What it does not meet, as far as the catalog tells."""
        return frozenset(name for name, is_met in self.standing.items() if not is_met)

    @property
    def met_count(self) -> int:
        """How many answers it meets."""
        return len(self.standing) - len(self.missed)

    @property
    def rank(self) -> tuple[int, int, int]:
        """The fewer answers it misses, the better; then what is ready soonest."""
        values = list(self.standing.values())
        _, most = working_days(self.item.original.estimated_timeline) or (0, 1_000)
        return len(self.missed), values.count(False), most

    @property
    def reasons(self) -> list[tuple[bool, str]]:
        """A line for each answer, and whether it is met; those that are stand first."""
        lines = [(self.standing[one.name] is True, one.reason(self.item)) for one in self.asked if one.answer]
        return sorted(lines, key=lambda line: not line[0])

    @property
    def other_facts(self) -> str:
        """How it is where nothing was chosen."""
        return " · ".join(one.fact(self.item) for one in self.asked if not one.answer)


@dataclass(frozen=True)
class GuidePage:
    """The questions, and the shortlist where one is answered. What an address names and isn't offered is ignored."""

    catalog: Catalog
    query: Mapping[str, str]

    @cached_property
    def questions(self) -> tuple[GuideQuestion, ...]:
        """Those that tell the products apart, with their answers."""
        items = tuple(product.item for product in self.catalog.items if product.item and product.is_available)
        useful = (one for one in _questions(items) if one.divides(items))
        given = ((one, self.query.get(one.name, "")) for one in useful)
        return tuple(replace(one, answer=value if value in one.labels else "") for one, value in given)

    @cached_property
    def answers(self) -> dict[str, str]:
        """What was chosen, by the question's name in the address."""
        return {one.name: one.answer for one in self.questions if one.answer}

    @cached_property
    def ranked(self) -> list[Candidate]:
        """All that can be formed, the best first."""
        offered = (product for product in self.catalog.items if product.is_available)
        found = (Candidate(product, product.item, self.questions) for product in offered if product.item)
        return sorted(found, key=attrgetter("rank"))

    @cached_property
    def fitting(self) -> list[Candidate]:
        """Those that meet every answer."""
        return [one for one in self.ranked if not one.missed] if self.answers else []

    @property
    def more(self) -> list[Candidate]:
        """Those of them that the shortlist has no room for."""
        return self.fitting[_LISTED_AT_MOST:]

    @cached_property
    def near(self) -> list[Candidate]:
        """The nearest of the others, where the shortlist has room: they meet more than they miss, if anything fits."""
        room = _LISTED_AT_MOST - len(self.fitting)
        others = [one for one in self.ranked if 0 < len(one.missed) < len(one.standing)]
        close = [one for one in others if not self.fitting or 2 * len(one.missed) < len(one.standing)]
        return close[: max(0, room)]

    @cached_property
    def shortlist(self) -> list[Candidate]:
        """A few products, those that meet every answer first."""
        return [*self.fitting[:_LISTED_AT_MOST], *self.near]

    @cached_property
    def _to_loosen(self) -> tuple[GuideQuestion, int] | None:
        """The one answer without which the most would fit, and how many; None where no single one is in the way."""
        best: tuple[GuideQuestion, int] | None = None
        for one in self.questions if self.answers and not self.fitting else ():
            count = sum(candidate.missed == {one.name} for candidate in self.ranked)
            if count and (best is None or count > best[1]):
                best = one, count
        return best

    @property
    def loosen_words(self) -> str:
        """What that would show: "Without “Europe”, 9 company types match"."""
        if self._to_loosen is None:
            return ""
        one, count = self._to_loosen
        return ngettext(
            "Without “{filter}”, {count} company type matches",
            "Without “{filter}”, {count} company types match",
            count,
            filter=one.labels[one.answer],
        )

    @property
    def loosen_url(self) -> str:
        """The address without that answer."""
        name = self._to_loosen[0].name if self._to_loosen else ""
        return _guide_url({key: value for key, value in self.answers.items() if key != name})

    @property
    def url(self) -> str:
        """The page's address with what was chosen alone."""
        return _guide_url(self.answers)

    @property
    def compared(self) -> list[Candidate]:
        """The first of the shortlist, as many as are compared."""
        return self.shortlist[:COMPARED_AT_MOST]

    @property
    def compare_url(self) -> str:
        """Them side by side."""
        return filtered_url("portal:compare", CatalogFilter(), (one.product.key for one in self.compared))

    @property
    def count_words(self) -> str:
        """How many meet every answer."""
        if not self.answers:
            return gettext("Answer at least one question")
        if not self.fitting:
            return gettext("No company type matches all your answers")
        return ngettext(
            "{count} company type matches all your answers",
            "{count} company types match all your answers",
            len(self.fitting),
        )


def _guide_url(answers: Mapping[str, str]) -> str:
    return reverse("portal:guide") + (f"?{urlencode(answers)}" if answers else "")


def _questions(items: tuple[CatalogItem, ...]) -> Iterator[GuideQuestion]:
    """All that could be asked, in the order of the page."""
    yield _form_question(items)
    yield _place_question(items)
    counts = sorted({_fewest(item) for item in items})
    people = {str(count): ngettext("{count} person", "{count} people", count) for count in counts}
    short = {value: value for value in people}
    if counts:
        short[str(counts[-1])] = gettext("{count} or more").format(count=counts[-1])
    yield GuideQuestion(
        "people",
        gettext("How many people can take a role?"),
        people,
        lambda item, value: _fewest(item) <= int(value),
        _people_fact,
        gettext("We count the roles that are always required. One person or company can have several."),
        short,
    )
    limits = _limits([Decimal(span[1]) for item in items if (span := working_days(item.original.estimated_timeline))])
    yield GuideQuestion(
        "days",
        gettext("Within how many working days must it be ready?"),
        {
            str(most): ngettext("Within {count} working day", "Within {count} working days", int(most))
            for most in limits
        },
        lambda item, value: span[1] <= int(value) if (span := working_days(item.original.estimated_timeline)) else None,
        lambda item: (
            gettext("Ready in {days}").format(days=said) if (said := Requirements(item).days) else _not_stated()
        ),
        short={str(most): str(most) for most in limits},
    )
    yield _price_question(items)


def _form_question(items: tuple[CatalogItem, ...]) -> GuideQuestion:
    """The type, and whether somebody holds shares of it, where products of the type differ in that."""
    forms = sorted({(item.product.type, _has_shares(item)) for item in items}, key=lambda form: (form[0], not form[1]))
    types = [kind for kind, _ in forms]
    labels = {}
    for kind, has_shares in forms:
        word = gettext(_KINDS[kind]) if kind in _KINDS else kind or gettext("Other")
        if types.count(kind) > 1:
            words = gettext("{type} with shareholders") if has_shares else gettext("{type} without shareholders")
            word = words.format(type=word)
        labels[_form_value(kind, has_shares)] = word

    def value_of(item: CatalogItem) -> str:
        return _form_value(item.product.type, _has_shares(item))

    def fact(item: CatalogItem) -> str:
        roles = join_list([canonical.role_count(role, count) for role, count in least_roles(item)])
        label = labels[value_of(item)]
        return label if _has_shares(item) or not roles else f"{label} ({roles})"

    legend = gettext("What do you want to form?")
    return GuideQuestion("form", legend, labels, lambda item, value: value_of(item) == value, fact)


def _form_value(kind: str, has_shares: bool) -> str:
    return f"{kind or 'other'}{'-shares' if has_shares else ''}"


def _has_shares(item: CatalogItem) -> bool:
    return any(role == canonical.SHAREHOLDER for role, _ in least_roles(item))


def _place_question(items: tuple[CatalogItem, ...]) -> GuideQuestion:
    """By region; where all are in one, by country."""
    regions = {item.original.jurisdiction.region: item.jurisdiction.region for item in items}
    is_by_region = len(regions) > 1
    countries = {item.jurisdiction.slug: item.jurisdiction.name for item in items}
    found = sorted((regions if is_by_region else countries).items(), key=lambda pair: sort_key(pair[1]))

    def value_of(item: CatalogItem) -> str:
        return item.original.jurisdiction.region if is_by_region else item.jurisdiction.slug

    return GuideQuestion(
        "region" if is_by_region else "country",
        gettext("Where should it be registered?"),
        {value: words for value, words in found if value},
        lambda item, value: value_of(item) == value if value_of(item) else None,
        lambda item: (item.jurisdiction.region if is_by_region else item.jurisdiction.name) or _not_stated(),
        is_ours=False,
    )


def _fewest(item: CatalogItem) -> int:
    """The smallest number of people who can fill every role that is filled in any case: one may have several roles."""
    return max((count for _, count in least_roles(item)), default=1)


def _people_fact(item: CatalogItem) -> str:
    fewest = _fewest(item)
    if fewest == 1:
        return gettext("One person can fill every required role")
    roles = join_list([canonical.role_count(role, count) for role, count in least_roles(item) if count == fewest])
    return gettext("At least {count} people: {roles}").format(count=fewest, roles=roles)


def _price_question(items: tuple[CatalogItem, ...]) -> GuideQuestion:
    """Products priced in another currency than the answer can't be compared: no rates are invented."""
    prices: dict[str, list[Decimal]] = {}
    for item in items:
        if item.price.currency:
            prices.setdefault(item.price.currency, []).append(item.price.one_off)
    # The currency of the most products first.
    ordered = sorted(prices.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    ceilings = [PriceCeiling(currency, limit) for currency, known in ordered for limit in _limits(known)]
    by_value = {str(one): one for one in ceilings}
    amounts = {value: format_money(one.amount, one.currency) for value, one in by_value.items()}

    def meets(item: CatalogItem, value: str) -> bool | None:
        return by_value[value].matches(item) if item.price.currency == by_value[value].currency else None

    def fact(item: CatalogItem) -> str:
        if not item.price.is_given:
            return _not_stated()
        once, annual = (format_money(one, item.price.currency) for one in (item.price.one_off, item.price.annual))
        return gettext("Set-up fee {once}, annual fee {annual}").format(once=once, annual=annual)

    return GuideQuestion(
        "price",
        gettext("What is the most you want to pay for set-up?"),
        {value: gettext("Up to {amount}").format(amount=amount) for value, amount in amounts.items()},
        meets,
        fact,
        gettext("Prices in different currencies are not compared.") if len(prices) > 1 else "",
        amounts,
    )


def _limits(values: list[Decimal]) -> list[Decimal]:
    """A few round limits (1, 2, 5, 10, …) that some of the values keep and others exceed, else the middle value."""
    most = max(values, default=Decimal(0))
    useful = {limit for value in values if value > 0 and (limit := _rounded_up(value)) < most}
    middle = sorted(values)[(len(values) - 1) // 2 :][:1]
    return sorted(useful or {value for value in middle if value < most})[:_MOST_LIMITS]


def _rounded_up(value: Decimal) -> Decimal:
    power = Decimal(10) ** value.adjusted()
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def _not_stated() -> str:
    return gettext("Not stated")
