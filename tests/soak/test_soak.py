"""The soak itself: it sees what grows, says so, and comes to an end."""

import mmap
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from .report import Moment, Report
from .samples import Sample, sample

QUIET = Moment({"web": Sample(100_000_000, 4, 40), "service": Sample(50_000_000, 1, 20)}, ["a.pipe", "b.pipe"])


def report(end: Moment) -> Report:
    peaks = {name: one.memory for name, one in end.processes.items()}
    return Report(start=QUIET, end=end, peaks=peaks, applications=1, calls=2, faults=1, held=0)


def with_web(**changes: int) -> Moment:
    web = replace(QUIET.processes["web"], **changes)
    return Moment(QUIET.processes | {"web": web}, QUIET.files)


def test_nothing_is_wrong_where_everything_ends_as_it_began() -> None:
    assert report(QUIET).broken() == []
    assert "memory_growth 0.0 percent" in report(QUIET).lines()


@pytest.mark.parametrize(
    ("end", "name"),
    [
        (with_web(memory=105_100_000), "memory_growth"),
        (with_web(sockets=5), "sockets_growth"),
        (with_web(descriptors=43), "descriptors_growth"),
        (Moment(QUIET.processes, [*QUIET.files, "upload"]), "temp_files_growth"),
    ],
)
def test_growth_of_one_process_is_told(end: Moment, name: str) -> None:
    assert report(end).broken()[0].startswith(name)


def test_growth_within_five_percent_is_allowed() -> None:
    assert report(with_web(memory=104_900_000, descriptors=42)).broken() == []


def test_a_process_that_shrank_does_not_pay_for_another() -> None:
    smaller = {"service": replace(QUIET.processes["service"], memory=10_000_000)}
    assert report(Moment(with_web(memory=120_000_000).processes | smaller, QUIET.files)).broken() != []


def test_a_file_that_took_anothers_place_is_named() -> None:
    assert report(Moment(QUIET.processes, ["a.pipe", "upload"])).broken() == ["left over: upload"]


def test_an_open_socket_is_seen() -> None:
    before = sample(os.getpid())
    with socket.socket():
        after = sample(os.getpid())
    assert after.sockets == before.sockets + 1
    assert after.descriptors == before.descriptors + 1
    assert after.memory > 1_000_000


def test_memory_that_is_kept_is_seen() -> None:
    before = sample(os.getpid())
    # Asked of the kernel: what other tests have left free in this process is not used again for it.
    with mmap.mmap(-1, 30_000_000) as kept:
        kept.write(os.urandom(30_000_000))
        assert sample(os.getpid()).memory - before.memory > 25_000_000


@pytest.mark.long
def test_a_short_soak_leaves_no_file_and_comes_to_rest(tmp_path: Path) -> None:
    how = ("--minutes", "0.02", "--customers", "1", "--faults", "0", "--keep", str(tmp_path / "soak"))
    command = [sys.executable, "-m", "tests.soak", *how]
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    results = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert results["temp_files_growth"] == "0.0 percent", done.stderr
    assert results["sockets_growth"] == "0.0 percent", done.stderr
    assert int(results["applications"]) > 0
    assert int(results["calls"]) > 0
    # So short a time says nothing about memory, which has hardly been used by then.
    assert {line.partition(":")[0] for line in done.stderr.splitlines()} <= {"memory_growth", "descriptors_growth"}
