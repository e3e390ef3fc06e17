"""What is done to a cluster while people work on it. Each returns once all is there again."""

import random
import time
from collections.abc import Callable

from .cluster import Cluster


def kill_nodes(cluster: Cluster, *, times: int, every: float, seed: int) -> int:
    """kill -9 of a web node and of a node of workers, at two random moments of each `every` seconds; both are started
    again at once, as a supervisor does. Return how many were killed."""
    dice = random.Random(seed)
    for number in range(times):
        began = time.monotonic()
        victims = [cluster.web[number % len(cluster.web)], cluster.workers[number % len(cluster.workers)]]
        dice.shuffle(victims)
        moments = sorted(dice.uniform(0, every * 0.5) for _ in victims)
        for moment, victim in zip(moments, victims, strict=True):
            _sleep_until(began + moment)
            victim.kill()
            victim.start()
            victim.until_ready()
        _sleep_until(began + every)
    return 2 * times


def take_storage_away(cluster: Cluster, *, seconds: float) -> None:
    """The bucket's server says nothing for a while, then answers again."""
    with cluster.store.silent():
        time.sleep(seconds)


def take_cache_away(cluster: Cluster, *, seconds: float) -> None:
    """Redis is killed, and comes back with nothing in it."""
    cluster.redis.stop()
    time.sleep(seconds)
    cluster.redis.start()


def take_database_away(cluster: Cluster, *, seconds: float) -> None:
    """PostgreSQL is killed with everything that it has started, and recovers."""
    cluster.postgres.kill()
    time.sleep(seconds)
    cluster.postgres.start()


OUTAGES: tuple[Callable[..., None], ...] = (take_storage_away, take_cache_away, take_database_away)


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
