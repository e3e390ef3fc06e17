"""Two web nodes and two nodes of workers behind nginx, in small: whatever is killed or goes away, nothing that people
were told is lost or doubled, and no page and no save fails. `make scale` is the same for long, and measures.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.needed import needed
from tests.nginx import needs_nginx
from tests.object_store import needs_a_bucket
from tests.scratch_postgres import server_programs
from tests.scratch_redis import has_redis

from .load.crowd import Crowd, at_work, promised_in
from .load.promises import Promises
from .machines.cluster import Cluster, running
from .machines.disturbances import kill_nodes, take_cache_away, take_storage_away

pytestmark = [
    # Each part of it is in the ordinary run: tests/management/test_servers_away.py, the faults, tests/deploy.
    pytest.mark.long,
    pytest.mark.postgres,
    needed("PostgreSQL", server_programs() is not None),
    needed("Redis", has_redis()),
    needs_nginx,
    needs_a_bucket,
    # The tests read one story.
    pytest.mark.xdist_group("scale"),
]

PRODUCTS = ["delaware-llc"]


@pytest.fixture(scope="module")
def story() -> Iterator[dict[str, Any]]:
    """People come, a node of each kind is killed, the servers go and come back, both web nodes are restarted."""
    with running(workers=(("relay",), ("relay", "mail")), at_once=False) as cluster:
        cluster.run("tests.campaigns.scale.preparing", "--customers", "2", "--agents", "1")
        promises = promised_in(cluster.folder)
        with at_work(
            cluster.address, promises, products=PRODUCTS, customers=2, agents=1, pace=0.15, asks_every=2
        ) as crowd:
            _busy(crowd)
            kill_nodes(cluster, times=1, every=2, seed=1)
            take_cache_away(cluster, seconds=1)
            _busy(crowd)
            cluster.rolling_restart(cluster.web)
            take_storage_away(cluster, seconds=2)
        compared = _compared(cluster, promises)
        yield {"crowd": crowd, "compared": compared, "faults": cluster.faults(), "cluster": cluster}


def _compared(cluster: Cluster, promises: Promises) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cluster.run("tests.campaigns.scale.comparing", str(promises.path)))
    return found


def _busy(crowd: Crowd) -> None:
    """Let them all do something in between."""
    before = crowd.total("saves")
    while crowd.total("saves") < before + 10 and not crowd.troubles:
        time.sleep(0.05)


def test_people_bring_everything_to_its_end(story: dict[str, Any]) -> None:
    assert story["crowd"].troubles == []
    assert story["compared"]["applications"] >= 2
    assert story["compared"]["decisions"] >= 1


def test_no_page_and_no_save_fails(story: dict[str, Any]) -> None:
    assert story["crowd"].failures == []


def test_nothing_is_lost_or_doubled(story: dict[str, Any]) -> None:
    compared = story["compared"]
    assert compared["sentences"] == []
    assert compared["lost"] == compared["doubled"] == compared["files_lost"] == compared["stuck"] == 0


def test_no_process_gives_up(story: dict[str, Any]) -> None:
    assert story["faults"] == []
