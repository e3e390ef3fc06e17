"""Two web nodes and two nodes of workers behind nginx, in small: whatever is killed or goes away, nothing that people
were told is lost or doubled, and no page and no save fails. `make scale` is the same for long, and measures.
"""

import pytest

from tests.campaigns.crowd import Crowd
from tests.needed import needed
from tests.nginx import needs_nginx
from tests.object_store import needs_a_bucket
from tests.scratch_postgres import server_programs
from tests.scratch_redis import has_redis
from tests.waiting import wait_until

from .cluster import running
from .disturbances import kill_nodes, take_cache_away, take_storage_away
from .disturbed import at_work, compared

pytestmark = [
    # Each part of it is in the ordinary run: tests/management/test_servers_away.py, the faults, tests/deploy.
    pytest.mark.long,
    pytest.mark.postgres,
    needed("PostgreSQL", server_programs() is not None),
    needed("Redis", has_redis()),
    needs_nginx,
    needs_a_bucket,
]


def test_nothing_fails_and_nothing_is_lost_while_nodes_and_servers_come_and_go() -> None:
    people = {"products": ["delaware-llc"], "customers": 2, "agents": 1, "pauses": (0.1, 0.5), "pace": 0.15}
    with running(workers=(("relay",), ("relay", "mail")), at_once=False) as cluster:
        with at_work(cluster, **people, asks_every=2) as crowd:
            _let_them_save(crowd)
            kill_nodes(cluster, times=1, every=2, seed=1)
            take_cache_away(cluster, seconds=1)
            _let_them_save(crowd)
            cluster.rolling_restart(cluster.web)
            take_storage_away(cluster, seconds=2)
        found = compared(cluster)
        assert cluster.faults() == []
    assert (crowd.troubles, crowd.total("failures")) == ([], [])
    assert found["applications"] >= 2
    assert found["decisions"] >= 1
    assert found["sentences"] == []
    assert found["lost"] == found["doubled"] == found["files_lost"] == found["stuck"] == 0


def _let_them_save(crowd: Crowd) -> None:
    before = crowd.total("saves")
    wait_until(lambda: crowd.total("saves") >= before + 10 or crowd.troubles, what="ten saves")
