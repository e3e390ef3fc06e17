"""Customers and agents at a web server and a relay, by discrete events: what a run of the same should show."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import simpy

from .model import Application

# The mean pause before a request. Short beside what people take: less of a run is waiting.
THINK_SECONDS = 0.5


@dataclass(frozen=True)
class Outcome:
    seconds: float
    applications: float
    requests: float
    calls: float
    web_seconds: float
    relay_seconds: float
    database_seconds: float
    # From the product's page to the approval.
    journey_seconds: float

    def figures(self) -> dict[str, float]:
        return {
            "applications a minute": 60 * self.applications / self.seconds,
            "requests a second": self.requests / self.seconds,
            "calls to the service a second": self.calls / self.seconds,
            "web processor, share of a core": self.web_seconds / self.seconds,
            "relay processor, share of a core": self.relay_seconds / self.seconds,
            "database processor, share of a core": self.database_seconds / self.seconds,
            "journey, seconds": self.journey_seconds,
        }


def arrivals(rate: float, seconds: float, *, seed: int) -> list[float]:
    """When applications are begun: as many as the rate says, independent of one another."""
    dice = random.Random(seed)
    return sorted(dice.uniform(0, seconds) for _ in range(max(1, round(rate * seconds))))


def simulate(one: Application, moments: list[float], *, calls_per_second: float, seed: int) -> Outcome:
    dice, environment = random.Random(seed), simpy.Environment()
    web, relay = simpy.Resource(environment, 1), simpy.Resource(environment, 1)
    requests, calls = round(one.requests), round(one.used.calls)
    web_each, database_each = one.used.web / requests, one.used.database / (requests + calls)
    relay_each, spacing = one.used.relay / calls, 1 / calls_per_second
    busy = {"web": 0.0, "relay": 0.0, "database": 0.0}
    journeys: list[float] = []

    def call() -> Iterator[Any]:
        with relay.request() as turn:
            yield turn
            began = environment.now
            yield environment.timeout(relay_each + database_each)
            busy["relay"] += relay_each
            busy["database"] += database_each
            yield environment.timeout(max(0.0, began + spacing - environment.now))

    def journey(moment: float) -> Iterator[Any]:
        yield environment.timeout(moment)
        sent = 0
        for number in range(1, requests + 1):
            yield environment.timeout(dice.expovariate(1 / THINK_SECONDS))
            with web.request() as turn:
                yield turn
                yield environment.timeout(web_each + one.sandbox / requests)
            yield environment.timeout(database_each)
            busy["web"] += web_each
            busy["database"] += database_each
            for _ in range(calls * number // requests - sent):
                environment.process(call())
                sent += 1
        journeys.append(environment.now - moment)

    for moment in moments:
        environment.process(journey(moment))
    environment.run()
    return Outcome(
        seconds=environment.now,
        applications=len(journeys),
        requests=len(journeys) * requests,
        calls=len(journeys) * calls,
        web_seconds=busy["web"] + one.idle.web * environment.now,
        relay_seconds=busy["relay"] + one.idle.relay * environment.now,
        database_seconds=busy["database"] + one.idle.database * environment.now,
        journey_seconds=sum(journeys) / len(journeys),
    )
