"""Two nodes of `manage.py web`, begun at once on empty databases, a cache and a bucket. What is asked of them is in
test_nodes.py and test_servers_away.py."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needed import needed
from tests.object_store import ObjectStore, needs_a_bucket
from tests.scratch_postgres import Cluster, running_cluster, server_programs
from tests.scratch_redis import Redis, has_redis, scratch_redis

from .nodes import new_key
from .served import PATIENCE, READY, Served, free_port

# One process asks all of it, so that they are started once.
NEEDED = [
    pytest.mark.postgres,
    needed("PostgreSQL", server_programs() is not None),
    needed("Redis", has_redis()),
    needs_a_bucket,
    pytest.mark.xdist_group("site"),
]


class Site:
    """Servers, and two nodes that stand on them."""

    def __init__(self, cluster: Cluster, redis: Redis, store: ObjectStore, folder: Path) -> None:
        self.cluster, self.redis, self.store, self.folder = cluster, redis, store, folder
        self.settings = {
            **cluster.make_databases(),
            "CACHE_URL": redis.url,
            "STORAGE_URL": store.url(),
            "SECRETS_KEY": new_key("a"),
            # Made in the database, as an operator's first start does: the tests' own key would hide it.
            "FIELD_KEYS": "",
            "AUDIT_KEY": "",
            "WEB_PROCESSES": "1",
        }
        self.nodes = [Served(folder / name, free_port(), dict(self.settings), "web") for name in ("one", "other")]

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.until(READY)
            # Its pipe must not fill up.
            node.reader = threading.Thread(target=lambda node=node: node.lines.extend(node.process.stdout))
            node.reader.start()

    def log(self) -> str:
        return "".join(line for node in self.nodes for line in node.lines)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_cluster(durable=True) as cluster, scratch_redis() as redis:
        store = ObjectStore()
        store.start_again()
        site = Site(cluster, redis, store, tmp_path_factory.mktemp("site"))
        try:
            site.start()
            yield site
        finally:
            for node in site.nodes:
                if not hasattr(node, "process"):
                    continue
                with contextlib.suppress(ProcessLookupError):
                    node.process.send_signal(signal.SIGKILL)
                node.process.wait(PATIENCE)
                if node.reader.ident:
                    node.reader.join(PATIENCE)
                assert node.process.stdout is not None
                node.process.stdout.close()
            store.end()
