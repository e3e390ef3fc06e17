"""Limits that hold for several machines: counted by Redis, and by the database while that is away."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from allauth.core import ratelimit
from django.core.cache import caches
from django.core.management.base import OutputWrapper
from django.test import RequestFactory

from formation_portal.core.servers import shared_cache
from formation_portal.core.servers.server_urls import cache_settings
from formation_portal.management.commands.setup_portal import prepare_databases
from tests.needed import needed
from tests.scratch_redis import Redis, has_redis, scratch_redis
from tests.service.caller import Caller, forget_calls

needs_redis = needed("Redis", has_redis())

# Two dozen attempts of one address, and as many calls of one key; how many of the first were allowed, and which number
# each of the others got.
ONE_PROCESS = """
import django, json
django.setup()
from allauth.core import ratelimit
from django.core.cache import caches
from django.test import RequestFactory
attempts = [ratelimit.consume(RequestFactory().post("/"), action="unsent") for _ in range(24)]
print(json.dumps([attempts.count(True), [caches["default"].count("key", seconds=60) for _ in range(24)]]))
"""


@pytest.fixture(autouse=True)
def _no_outage_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_cache, "_outage", shared_cache._Outage())
    monkeypatch.setattr(shared_cache, "_PAUSE_SECONDS", 0.0)


@pytest.fixture
def redis() -> Iterator[Redis]:
    with scratch_redis() as server:
        yield server


def use(settings: Any, url: str) -> None:
    """As with CACHE_URL; the database's cache is in memory, as everywhere in the tests."""
    settings.CACHES = cache_settings(url) | {"database": settings.CACHES["default"]}


def attempt() -> bool:
    return bool(ratelimit.consume(RequestFactory().post("/"), action="unsent"))


@needs_redis
def test_processes_of_two_machines_share_a_limit(redis: Redis, tmp_path: Path) -> None:
    variables = {
        "CACHE_URL": redis.url.replace("redis", "valkey", 1),
        "DJANGO_SETTINGS_MODULE": "formation_portal.settings",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ONE_PROCESS],
            env=os.environ | variables | {"DATA_DIR": str(tmp_path / name)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "other")
    ]
    outputs = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    assert sum(allowed for allowed, _ in outputs) == 30, "of one address in an hour"
    counted = [number for _, numbers in outputs for number in numbers]
    assert sorted(counted) == list(range(1, 49)), "none was counted twice, and none was lost"


@needs_redis
@pytest.mark.django_db(databases=["service"])
def test_a_cache_that_goes_away_refuses_nobody_and_comes_back(
    redis: Redis, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    use(settings, redis.url)
    settings.SERVICE_RATE_LIMIT = 2
    forget_calls()
    caller = Caller.with_scopes(account="ours")

    def remaining() -> str:
        answer = caller.get("/entities")
        return f"{answer.status_code} {answer['RateLimit-Remaining']}"

    assert [remaining() for _ in range(3)] == ["200 1", "200 0", "429 0"]
    assert attempt()
    redis.stop()
    assert [remaining() for _ in range(3)] == ["200 1", "200 0", "429 0"], "counted without it"
    assert [attempt() for _ in range(31)] == [True] * 30 + [False]
    redis.start()
    assert [remaining() for _ in range(3)] == ["200 1", "200 0", "429 0"], "it begins anew, and counts again"
    cache: Any = caches["default"]
    cache.set("history", [1.5, 2])
    assert cache._cache.get_client().get("formation-portal:1:history") == b"[1.5, 2]", "it can run nothing"
    assert (cache.get("history"), cache.get("absent", "nothing")) == ([1.5, 2], "nothing")
    assert attempt()
    messages = [record.message for record in caplog.records if record.name == shared_cache.__name__]
    assert messages == ["The cache does not answer (ConnectionError): the database counts", "The cache answers again"]


@needs_redis
def test_nobody_asks_a_cache_that_was_away_a_moment_ago(
    redis: Redis, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(settings, redis.url)
    monkeypatch.setattr(shared_cache, "_PAUSE_SECONDS", 3600.0)
    cache: Any = caches["default"]
    redis.stop()
    assert cache.count("key", seconds=60) is None
    redis.start()
    cache.set("key", [1.5])
    assert cache.count("key", seconds=60) is None
    assert cache.get("key") == caches["database"].get("key") == [1.5]


def test_a_cache_that_never_answers_keeps_nobody_waiting(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use(settings, f"redis://127.0.0.1:{silent.getsockname()[1]}")
        assert attempt()
    assert "The cache does not answer (TimeoutError)" in caplog.text


@needs_redis
@pytest.mark.django_db(databases=["default", "service"])
def test_setting_up_warns_of_a_cache_that_refuses_or_is_away_and_tells_no_password(settings: Any) -> None:
    output = StringIO()
    with scratch_redis(password="right-secret") as redis:

        def set_up(url: str) -> None:
            use(settings, url)
            settings.ENV = settings.ENV.model_copy(update={"cache_url": url})
            prepare_databases(OutputWrapper(output))

        set_up(redis.url)
        assert output.getvalue() == ""
        set_up(redis.url.replace("right", "wrong"))
        redis.stop()
        set_up(redis.url)
        redis.start()
    refused, away = output.getvalue().splitlines()
    warning = "Warning: CACHE_URL: the cache does not answer, and the database counts meanwhile: "
    assert refused.startswith(warning)
    assert away.startswith(warning)
    assert "invalid username-password pair" in refused
    assert "Connection refused" in away
    assert "secret" not in output.getvalue()
