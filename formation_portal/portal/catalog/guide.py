"""Build the guide: a few questions that distinguish products, and a shortlist that fits the answers."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from operator import attrgetter

from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.catalog import CatalogItem, working_days
from formation_portal.contract.fields.iso_codes import format_money
from formation_portal.contract.localisation import in_quotes, join_list, ngettext
from formation_portal.gateway.catalog import Catalog, CatalogProduct
from formation_portal.ui.forms.controls import Option

from ..pages import Link, fees_of
from .filters import CatalogFilter, PriceCeiling, Removal, best_removal, by_name, filtered_url, most_days
from .pages import COMPARED_AT_MOST
from .requirements import Requirements, least_roles, role_counts

_LISTED_AT_MOST = 5
# A question with more options is left out, since they can't be compared at a glance.
_MAX_OPTIONS = 12
_MAX_LIMITS = 4


class GuideQuestion:
    """A question. `labels` are the answers by their value in the URL; below the legend, `short_labels` replace them."""

    name: str
    legend: str
    labels: Mapping[str, str]
    short_labels: Mapping[str, str] = {}
    hint = ""
    # The options are the portal's own texts, not the catalog's.
    is_ours = True
    # "" if the answer doesn't matter.
    answer = ""

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        raise NotImplementedError

    def meets(self, item: CatalogItem, value: str) -> bool | None:
        """Tell whether a product meets an answer; None if the catalog does not say."""
        raise NotImplementedError

    def fact(self, item: CatalogItem) -> str:
        raise NotImplementedError

    @property
    def options(self) -> list[Option]:
        options = [Option("", gettext("Doesn’t matter"), not self.answer, is_ours=True)]
        for value, label in (self.short_labels or self.labels).items():
            options.append(Option(value, label, value == self.answer, is_ours=self.is_ours))
        return options

    def is_useful(self, items: tuple[CatalogItem, ...]) -> bool:
        if len(self.labels) > _MAX_OPTIONS:
            return False
        counts = [sum(self.meets(item, value) is True for item in items) for value in self.labels]
        return any(0 < count < len(items) for count in counts)

    def reason(self, item: CatalogItem) -> str:
        """Say how a product meets or misses the answer."""
        fact = self.fact(item)
        answer = in_quotes(self.labels[self.answer])
        is_met = self.meets(item, self.answer)
        if is_met is None:
            return gettext("{answer} can’t be checked: {fact}").format(answer=answer, fact=fact)
        return fact if is_met else gettext("Not {answer}: {fact}").format(answer=answer, fact=fact)


class FormQuestion(GuideQuestion):
    """The type of product, with or without shareholders if products of the type differ in that."""

    name = "form"

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        self.legend = gettext("What do you want to form?")
        names = {"Corporation": gettext("Company"), "Foundation": gettext("Foundation"), "": gettext("Other")}
        forms = {(item.product.type, _has_shares(item)) for item in items}
        types = [kind for kind, _ in forms]
        self.labels: dict[str, str] = {}
        for kind, has_shares in sorted(forms, key=lambda form: (form[0], not form[1])):
            label = names.get(kind, kind)
            if types.count(kind) > 1 and has_shares:
                label = gettext("{type} with shareholders").format(type=label)
            elif types.count(kind) > 1:
                label = gettext("{type} without shareholders").format(type=label)
            self.labels[_form_value(kind, has_shares)] = label

    def meets(self, item: CatalogItem, value: str) -> bool:
        return _form_value(item.product.type, _has_shares(item)) == value

    def fact(self, item: CatalogItem) -> str:
        has_shares = _has_shares(item)
        label = self.labels[_form_value(item.product.type, has_shares)]
        roles = role_counts(least_roles(item))
        return label if has_shares or not roles else f"{label} ({join_list(roles)})"


def _form_value(kind: str, has_shares: bool) -> str:
    return f"{kind or 'other'}{'-shares' if has_shares else ''}"


def _has_shares(item: CatalogItem) -> bool:
    return canonical.SHAREHOLDER in dict(least_roles(item))


class PlaceQuestion(GuideQuestion):
    """The region, or the country if all products are in one region."""

    is_ours = False

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        self.legend = gettext("Where should it be registered?")
        self.name = "region"
        places = dict(map(self._place, items))
        if len(places) < 2:
            self.name = "country"
            places = dict(map(self._place, items))
        places.pop("", None)
        self.labels = by_name(places)

    def meets(self, item: CatalogItem, value: str) -> bool | None:
        place, _ = self._place(item)
        return place == value if place else None

    def fact(self, item: CatalogItem) -> str:
        _, name = self._place(item)
        return name or gettext("Not stated")

    def _place(self, item: CatalogItem) -> tuple[str, str]:
        if self.name == "country":
            return item.jurisdiction.slug, item.jurisdiction.name
        return item.original.jurisdiction.region, item.jurisdiction.region


class PeopleQuestion(GuideQuestion):
    """The number of people available for the required roles. One person can have several roles."""

    name = "people"

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        self.legend = gettext("How many people can take a role?")
        self.hint = gettext("We count the roles that are always required. One person or company can have several.")
        counts = sorted({self._fewest(item) for item in items})
        self.labels = {str(count): ngettext("{count} person", "{count} people", count) for count in counts}
        self.short_labels = {value: value for value in self.labels}
        if counts:
            self.short_labels[str(counts[-1])] = gettext("{count} or more").format(count=counts[-1])

    def meets(self, item: CatalogItem, value: str) -> bool:
        return self._fewest(item) <= int(value)

    def fact(self, item: CatalogItem) -> str:
        fewest = self._fewest(item)
        if fewest == 1:
            return gettext("One person can fill every required role")
        roles = role_counts(pair for pair in least_roles(item) if pair[1] == fewest)
        return gettext("At least {count} people: {roles}").format(count=fewest, roles=join_list(roles))

    def _fewest(self, item: CatalogItem) -> int:
        """Return the smallest number of people that can fill every required role."""
        return max((count for _, count in least_roles(item)), default=1)


class DaysQuestion(GuideQuestion):
    name = "days"

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        self.legend = gettext("Within how many working days must it be ready?")
        self.labels: dict[str, str] = {}
        self.short_labels: dict[str, str] = {}
        spans = filter(None, [working_days(item.original.estimated_timeline) for item in items])
        for limit in _limits([Decimal(days) for _, days in spans]):
            text = ngettext("Within {count} working day", "Within {count} working days", int(limit))
            self.labels[str(limit)] = text
            self.short_labels[str(limit)] = str(limit)

    def meets(self, item: CatalogItem, value: str) -> bool | None:
        span = working_days(item.original.estimated_timeline)
        return span[1] <= int(value) if span else None

    def fact(self, item: CatalogItem) -> str:
        days = Requirements(item).days
        return gettext("Ready in {days}").format(days=days) if days else gettext("Not stated")


class PriceQuestion(GuideQuestion):
    """The highest set-up fee. There are no exchange rates, so only prices in the same currency are compared."""

    name = "price"

    def __init__(self, items: tuple[CatalogItem, ...]) -> None:
        self.legend = gettext("What is the most you want to pay for set-up?")
        prices: dict[str, list[Decimal]] = {}
        for item in items:
            if item.price.currency:
                prices.setdefault(item.price.currency, []).append(item.price.one_off)
        if len(prices) > 1:
            self.hint = gettext("Prices in different currencies are not compared.")
        self._ceilings: dict[str, PriceCeiling] = {}
        self.labels: dict[str, str] = {}
        self.short_labels: dict[str, str] = {}
        # Currencies, the most common first.
        for currency in sorted(prices, key=lambda currency: (-len(prices[currency]), currency)):
            for limit in _limits(prices[currency]):
                ceiling = PriceCeiling(currency, limit)
                amount = format_money(limit, currency)
                self._ceilings[str(ceiling)] = ceiling
                self.labels[str(ceiling)] = gettext("Up to {amount}").format(amount=amount)
                self.short_labels[str(ceiling)] = amount

    def meets(self, item: CatalogItem, value: str) -> bool | None:
        ceiling = self._ceilings[value]
        return ceiling.matches(item) if item.price.currency == ceiling.currency else None

    def fact(self, item: CatalogItem) -> str:
        once, annual = fees_of(item.price)
        if not once:
            return gettext("Not stated")
        return gettext("Set-up fee {once}, annual fee {annual}").format(once=once, annual=annual)


# In the order of the page.
_QUESTIONS = (FormQuestion, PlaceQuestion, PeopleQuestion, DaysQuestion, PriceQuestion)


class Candidate:
    """A product, and whether it meets each answer."""

    def __init__(self, product: CatalogProduct, item: CatalogItem, questions: Sequence[GuideQuestion]) -> None:
        self.product = product
        self.item = item
        self._questions = questions
        # Whether each question's answer is met; None if the catalog does not say.
        self.results: dict[str, bool | None] = {}
        for question in questions:
            if question.answer:
                self.results[question.name] = question.meets(item, question.answer)
        self.missed = {name for name, is_met in self.results.items() if not is_met}
        self.met_count = len(self.results) - len(self.missed)
        # Sort by missed answers, then by answers known not to be met, then by working days.
        self.rank = (len(self.missed), list(self.results.values()).count(False), most_days(item))

    @property
    def reasons(self) -> list[tuple[bool, str]]:
        answered = [question for question in self._questions if question.answer]
        reasons = [(self.results[question.name] is True, question.reason(self.item)) for question in answered]
        return sorted(reasons, key=lambda reason: not reason[0])

    @property
    def other_facts(self) -> str:
        """Return the facts about the product that the unanswered questions ask for."""
        return " · ".join(question.fact(self.item) for question in self._questions if not question.answer)


class GuidePage:
    """The questions, and a shortlist after the first answer. Answers that are not offered are ignored."""

    def __init__(self, catalog: Catalog, query: Mapping[str, str]) -> None:
        self.catalog = catalog
        available = [(product, product.item) for product in catalog.items if product.item and product.is_available]
        items = tuple(item for _, item in available)
        self.questions: list[GuideQuestion] = []
        for kind in _QUESTIONS:
            question = kind(items)
            # A question that leaves no product out is not asked.
            if question.is_useful(items):
                self.questions.append(question)
                if query.get(question.name) in question.labels:
                    question.answer = query[question.name]
        self.answers = {question.name: question.answer for question in self.questions if question.answer}
        self.url = reverse("portal:guide", query=self.answers)
        candidates = (Candidate(product, item, self.questions) for product, item in available)
        self.ranked = sorted(candidates, key=attrgetter("rank"))
        self.fitting = [candidate for candidate in self.ranked if self.answers and not candidate.missed]
        self.more = self.fitting[_LISTED_AT_MOST:]

    @cached_property
    def shortlist(self) -> list[Candidate]:
        """Return the first fitting products, then, while there is room, the nearest others.

        If any product fits, the others must each meet more answers than they miss.
        """
        near: list[Candidate] = []
        for candidate in self.ranked:
            missed = len(candidate.missed)
            total = len(candidate.results)
            if 0 < missed < total and (not self.fitting or 2 * missed < total):
                near.append(candidate)
        fitting = self.fitting[:_LISTED_AT_MOST]
        return fitting + near[: _LISTED_AT_MOST - len(fitting)]

    @cached_property
    def loosened(self) -> Link | None:
        """If no product fits, return a link that drops one answer, so that the most products fit; else None."""
        removals: list[Removal] = []
        for question in self.questions:
            if question.answer and not self.fitting:
                count = sum(candidate.missed == {question.name} for candidate in self.ranked)
                answers = {name: answer for name, answer in self.answers.items() if name != question.name}
                removals.append(
                    Removal(question.labels[question.answer], count, reverse("portal:guide", query=answers))
                )
        return best_removal(removals)

    @property
    def compared(self) -> list[Candidate]:
        return self.shortlist[:COMPARED_AT_MOST]

    @property
    def compare_url(self) -> str:
        keys = [candidate.product.key for candidate in self.compared]
        return filtered_url("portal:compare", CatalogFilter(), keys)

    @property
    def count_words(self) -> str:
        if not self.answers:
            return gettext("Answer at least one question")
        if not self.fitting:
            return gettext("No company type matches all your answers")
        return ngettext(
            "{count} company type matches all your answers",
            "{count} company types match all your answers",
            len(self.fitting),
        )


def _limits(values: list[Decimal]) -> list[Decimal]:
    """Return a few round limits (1, 2, 5, 10, …) that only some values exceed; without any, the values' median."""
    largest = max(values, default=Decimal(0))
    limits: set[Decimal] = set()
    for value in values:
        if value > 0 and (limit := _rounded_up(value)) < largest:
            limits.add(limit)
    if not limits and values:
        limits.add(sorted(values)[(len(values) - 1) // 2])
        limits.discard(largest)
    return sorted(limits)[:_MAX_LIMITS]


def _rounded_up(value: Decimal) -> Decimal:
    power = Decimal(10) ** value.adjusted()
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)
