"""What narrows the queue: the controls above it, and a chip for each that is set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from formation_portal.contract.lifecycle import State
from formation_portal.ui.forms.controls import as_options

from .coming_from import queue_url
from .filter_controls import FilterControl
from .models import Offer
from .queue_state import NOBODY, STATES, QueueState, View
from .state_words import state_words


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address without it."""

    words: str
    url: str


def filters(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> tuple[FilterControl, ...]:
    """The controls, as they are set. `agents` are their names by their numbers."""
    places = {"": "Any", **{one.place: one.place for one in offers}}
    fitting = [one for one in offers if one.place == chosen.place or not chosen.place or one.pk == chosen.product]
    products = {"": "Any", **{one.pk: str(one) for one in fitting}}
    any_state = "Any" if chosen.looks_at_closed or chosen.view is View.CLOSED else "All open"
    states = {"": any_state, **{one.value: state_words(one) for one in STATES}}
    holders = {"": "Anyone", NOBODY: "Unassigned", **agents}
    orders = {"": "Oldest first", "newest": "Newest first"}
    return (
        FilterControl("q", "Company, person or reference", value=chosen.text, key="/"),
        FilterControl("place", "Jurisdiction", choices=as_options(places.items(), chosen.place)),
        FilterControl("product", "Company type", choices=as_options(products.items(), chosen.product)),
        FilterControl("state", "Status", choices=as_options(states.items(), chosen.state)),
        FilterControl("holder", "Claimed by", choices=as_options(holders.items(), chosen.holder)),
        FilterControl("sort", "Sort by", choices=as_options(orders.items(), "newest" if chosen.newest_first else "")),
        FilterControl("view", value="" if chosen.view is View.WAITING else chosen.view.value, is_hidden=True),
    )


def chips(chosen: QueueState, agents: Mapping[str, str], offers: Sequence[Offer]) -> tuple[Chip, ...]:
    """Whatever narrows the view, each with the way to do without."""
    top = chosen.from_the_top
    product = next((one.name for one in offers if one.pk == chosen.product), chosen.product)
    holder = agents.get(chosen.holder, "someone else")
    told = (
        (chosen.text, f"“{chosen.text}”", replace(top, text="")),
        (chosen.place, chosen.place, replace(top, place="")),
        (chosen.product, product, replace(top, product="")),
        (chosen.state, state_words(State(chosen.state)) if chosen.state else "", replace(top, state="")),
        (chosen.holder, "Unassigned" if chosen.holder == NOBODY else f"Claimed by {holder}", replace(top, holder="")),
    )
    return tuple(Chip(words, queue_url(without)) for is_set, words, without in told if is_set)
