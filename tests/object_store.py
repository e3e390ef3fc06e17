"""A bucket of S3's kind on this machine: a server in a process of its own, which can be stopped and started again."""

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.request import urlopen

import pytest

from tests.management.served import PATIENCE, free_port
from tests.needed import needed
from tests.waiting import wait_until

BUCKET = "uploads"
KEY, SECRET = "a-key", "a+secret/of its own"

needs_a_bucket = needed("moto, a server for buckets,", importlib.util.find_spec("moto") is not None)


@dataclass
class ObjectStore:
    """The server; it keeps what it has through a stop, as a disk would."""

    more: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    kept: dict[str, bytes] = field(default_factory=dict)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, bucket: str = BUCKET) -> str:
        """What STORAGE_URL says of it."""
        return f"s3://{KEY}:a%2Bsecret%2Fof%20its%20own@{bucket}/here?endpoint={self.endpoint}&region=eu-west-1"

    @property
    def bucket(self) -> Any:
        """As an operator sees it, with a client of its own."""
        import boto3

        session = boto3.Session(aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="eu-west-1")
        return session.resource("s3", endpoint_url=self.endpoint).Bucket(BUCKET)

    @property
    def names(self) -> list[str]:
        return sorted(one.key for one in self.bucket.objects.all())

    def start(self) -> None:
        environment = os.environ | self.more
        command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self._answers("/moto-api/"), PATIENCE, "the server for buckets answers")
        # The first request of S3's loads what answers it, which takes longer than our patience with a bucket.
        self._answers("/")

    def _answers(self, path: str) -> bool:
        with contextlib.suppress(OSError), urlopen(self.endpoint + path, timeout=PATIENCE):
            return True
        return False

    def make_bucket(self) -> None:
        self.bucket.create(CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        for name, content in self.kept.items():
            self.bucket.put_object(Key=name, Body=content)

    def stop(self) -> None:
        self.kept = {one.key: one.get()["Body"].read() for one in self.bucket.objects.all()}
        self.end()

    def start_again(self) -> None:
        self.start()
        self.make_bucket()

    @contextlib.contextmanager
    def silent(self) -> Iterator[None]:
        """It takes connections, and says nothing."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def object_server() -> Iterator[ObjectStore]:
    store = ObjectStore()
    store.start_again()
    yield store
    store.end()


@pytest.fixture
def object_store(object_server: ObjectStore) -> ObjectStore:
    if object_server.process.poll() is not None:
        object_server.kept = {}
        object_server.start_again()
    object_server.bucket.objects.delete()
    return object_server
