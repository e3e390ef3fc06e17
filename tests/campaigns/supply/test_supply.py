"""What `make supply` stands on: each rule has a sample, and lock files pin everything and name nobody."""

import re
from pathlib import Path

import pytest

from tests.campaigns.supply import __main__ as supply
from tests.campaigns.supply.__main__ import PROJECT, pinned

LOCKS = (*sorted(PROJECT.glob("requirements*.txt")), *sorted((PROJECT / "tests").glob("*/requirements.txt")))


def test_every_rule_has_a_sample_and_every_sample_a_rule() -> None:
    assert {rule for _, rule, _ in supply._samples()} == supply.rules()
    assert {rule for _, rule, _ in supply._samples("ok")} <= supply.rules()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.relative_to(PROJECT)))
def test_a_lock_has_a_hash_for_everything_and_names_no_host(lock: Path) -> None:
    text = lock.read_text()
    entries = re.findall(r"^[a-zA-Z0-9].*?(?=^[a-zA-Z0-9]|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(entries) == len(pinned(lock)) > 0
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"https?:|file:/|--index|--find-links|@ ", text)


def test_what_runs_is_pinned_the_same_where_it_is_tested() -> None:
    tested = pinned(PROJECT / "requirements-dev.txt")
    assert {name: tested.get(name) for name in pinned()} == pinned()


def test_every_build_lists_what_is_shipped() -> None:
    assert "\nmake supply\n" in (PROJECT / ".ci/run").read_text()
