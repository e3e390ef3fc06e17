"""The whole cluster: started in order, its parts taken away and given back, ended whatever happens."""

import base64
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaigns.environment import free_port, operators_command
from tests.management.served import PROJECT
from tests.nginx import Nginx
from tests.object_store import ObjectStore
from tests.scratch_postgres import Cluster as Postgres
from tests.scratch_postgres import running_cluster
from tests.scratch_redis import Redis, scratch_redis

from .nodes import Node, WebNode, environment

WORKERS = ("relay", "mail", "webhooks")
# Beside the static files of a node: what they were collected from.
STATIC_DIGEST = "static-digest"


@dataclass
class Cluster:
    folder: Path
    postgres: Postgres
    redis: Redis
    store: ObjectStore
    nginx: Nginx
    settings: dict[str, str]
    web: list[WebNode] = field(default_factory=list)
    workers: list[Node] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.nginx.port}"

    def run(self, module: str, *arguments: str) -> str:
        """Run a module of ours with the cluster's settings, as an operator at a machine of its own; what it prints."""
        settings = {**self.settings, "DATA_DIR": str(self.folder / "operator")}
        env = environment(settings | {"DJANGO_SETTINGS_MODULE": "tests.campaigns.scale.settings"})
        command = operators_command(module, *arguments)
        ran = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"{module} ended with {ran.returncode}: {ran.stdout[-2000:]}{ran.stderr[-4000:]}")
        return ran.stdout

    def rolling_restart(self, nodes: Sequence[Node] = ()) -> None:
        """One node after the other, or of these: told to end, waited for, started again."""
        for node in nodes or (*self.web, *self.workers):
            node.end()
            node.start()
            node.until_ready()

    def faults(self) -> list[str]:
        return [f"{node.name} has ended: {node.log()}" for node in (*self.web, *self.workers) if not node.is_alive]


@contextmanager
def running(
    *,
    web: Sequence[int] = (1, 1),
    workers: Sequence[Sequence[str]] = (WORKERS, WORKERS),
    durable: bool = False,
    at_once: bool = True,
    folder: Path | None = None,
) -> Iterator[Cluster]:
    """A cluster whose web nodes answer: how many processes each of them has, and what runs on each node of workers.

    `durable`: PostgreSQL waits for the disk. `at_once`: all nodes start at the same moment, as after a power cut, and
    one of them sets up the databases while the others wait; else the first one goes ahead, and the others have its
    static files, as those that are made from one image.
    """
    with ExitStack() as stack:
        folder = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scale-")))
        postgres = stack.enter_context(running_cluster(durable=durable))
        redis = stack.enter_context(scratch_redis())
        store = ObjectStore(port=free_port())
        store.start_again()
        stack.callback(store.end)
        ports = [free_port() for _ in web]
        nginx = Nginx(folder / "nginx", free_port(), ports)
        settings = _settings(folder, postgres, redis, store, nginx.port)
        cluster = Cluster(folder, postgres, redis, store, nginx, settings)
        for number, (port, processes) in enumerate(zip(ports, web, strict=True), 1):
            own = {"PORT": str(port), "WEB_PROCESSES": str(processes)}
            cluster.web.append(WebNode(f"web-{number}", folder / f"web-{number}", settings | own, ["web"], port=port))
        for number, commands in enumerate(workers, 1):
            cluster.workers.append(Node(f"worker-{number}", folder / f"worker-{number}", settings, commands))
        for name in ("operator", *(node.name for node in (*cluster.web, *cluster.workers))):
            (folder / name).mkdir(mode=0o700)
        stack.callback(lambda: [node.kill() for node in (*cluster.workers, *cluster.web)])
        first, *others = cluster.web
        first.start()
        if not at_once:
            first.until_ready()
            for other in others:
                shutil.copytree(first.folder / "static", other.folder / "static")
                shutil.copy(first.folder / STATIC_DIGEST, other.folder)
        for node in (*others, *cluster.workers):
            node.start()
        for node in cluster.web:
            node.until_ready()
        nginx.start()
        stack.callback(nginx.stop)
        yield cluster


def _settings(folder: Path, postgres: Postgres, redis: Redis, store: ObjectStore, port: int) -> dict[str, str]:
    mail = folder / "mail"
    mail.mkdir()
    return {
        **postgres.make_databases(),
        "CACHE_URL": redis.url,
        "STORAGE_URL": store.url(),
        "EMAIL_URL": f"file://{mail}",
        # All others are made by the node that starts first, and kept in the database.
        "SECRETS_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        "PORTAL_URL": f"http://127.0.0.1:{port}",
        "TRUSTED_PROXIES": "127.0.0.1/32",
        "LOG_LEVEL": "WARNING",
        # How fast the service may be called is measured elsewhere.
        "RELAY_CALLS_PER_SECOND": "1000",
        "RATE_LIMIT": "1000000",
    }
