"""`make uploads`: what opening each file of the corpus costs in the sandbox, and a page beside eight uploads.

Lines of `name value unit`; 1 for a missed goal: 200 MB beyond what the sandbox has, 5 seconds of processor time, and a
second for the other page.
"""

import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import requests

from formation_portal.documents import sandbox
from formation_portal.documents.inspection_task import inspect_content
from formation_portal.documents.sandbox_process import CPU_SECONDS, MEMORY_BYTES
from tests.documents import sample_files
from tests.documents.corpus import PNG, Sample
from tests.documents.corpus.honest import fine_scan
from tests.documents.corpus.hostile import files_for_the_sandbox
from tests.management.served import PATIENCE, READY, Served, free_port

_GOAL_BYTES, _GOAL_SECONDS, _GOAL_PAGE = MEMORY_BYTES, CPU_SECONDS, 1.0
_AT_ONCE = 8
_SETUP = """
from django.contrib.auth import get_user_model
from formation_portal.applications import services
from tests import factories
owner = get_user_model().objects.get(email="demo@example.com")
print("REFERENCE", services.start(owner=owner, product=factories.product()).reference)
"""


def measured(content: bytes, *, mime_type: str) -> bytes:
    """A task of the sandbox: inspects the content as ever, and says what it took: bytes and seconds."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    inspect_content(content, mime_type=mime_type, side=320)
    after = resource.getrusage(resource.RUSAGE_SELF)
    grown = (after.ru_maxrss - before.ru_maxrss) * 1024 + len(content)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.dumps([grown, spent]).encode()


def each() -> Iterator[tuple[str, int, float]]:
    """Each file that reaches the sandbox: its class and name, the bytes and the seconds it took. What was ended at a
    limit has taken all that there is of it."""
    for label, content, mime_type in files_for_the_sandbox():
        answer = sandbox.run_task("tests.documents.__main__:measured", content, answer_limit=100, mime_type=mime_type)
        grown, spent = json.loads(answer) if answer else (MEMORY_BYTES, float(CPU_SECONDS))
        yield label, grown, spent


def slowest() -> Sample:
    return Sample(sample_files.pdf_of(b"0 0 m 595 842 l 300 1 l S 1 1 593 840 re f " * 400_000))


def beside(served: Served, reference: str, samples: list[Sample]) -> tuple[list[float], list[float]]:
    """Seconds of each page that was asked while the files were sent at once, and of each upload."""
    waiting = [served.signed_in() for _ in range(_AT_ONCE + 1)]
    address = f"{served.base}/applications/{reference}/"

    def send(browser: requests.Session, sample: Sample) -> float:
        posted = {"slot": "/Business plan", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        begun = time.monotonic()
        files = {"file": (sample.name, io.BytesIO(sample.content), sample.declared)}
        answer = browser.post(f"{address}documents/", posted, files=files, timeout=PATIENCE)
        assert answer.status_code in (200, 422), answer.status_code
        return time.monotonic() - begun

    pages = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        uploads = [pool.submit(send, *pair) for pair in zip(waiting[1:], samples, strict=True)]
        while wait(uploads, timeout=0.02).not_done:
            begun = time.monotonic()
            waiting[0].get(address, timeout=PATIENCE).raise_for_status()
            pages.append(time.monotonic() - begun)
    return pages, [upload.result() for upload in uploads]


def main() -> int:
    missed = 0

    def say(name: str, value: float, unit: str, *, goal: float) -> None:
        nonlocal missed
        missed += value > goal
        sys.stdout.write(f"{name} {value:.2f} {unit}{'  MISSED' if value > goal else ''}\n")
        sys.stdout.flush()

    figures = [*each()]
    for name, grown, spent in figures:
        say(f"{name.replace(' ', '_')}_memory", grown / 1e6, "MB", goal=_GOAL_BYTES / 1e6)
        say(f"{name.replace(' ', '_')}_time", spent, "s", goal=_GOAL_SECONDS)
    say("most_memory", max(grown for _, grown, _ in figures) / 1e6, "MB", goal=_GOAL_BYTES / 1e6)
    say("most_time", max(spent for _, _, spent in figures), "s", goal=_GOAL_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), free_port()).start()
        try:
            served.until(READY)
            environment: dict[str, Any] = os.environ | {"DATA_DIR": folder, "PORT": str(served.port)}
            command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", _SETUP]
            made = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            reference = made.stdout.split("REFERENCE", 1)[1].split()[0]
            honest = Sample(fine_scan(), "scan.png", PNG)
            for name, sample in (("fine_scans", honest), ("slow_files", slowest())):
                pages, uploads = beside(served, reference, [sample] * _AT_ONCE)
                say(f"page_beside_8_{name}_median", statistics.median(pages), "s", goal=_GOAL_PAGE)
                say(f"page_beside_8_{name}_most", max(pages), "s", goal=_GOAL_PAGE)
                say(f"upload_of_8_{name}_most", max(uploads), "s", goal=float("inf"))
        finally:
            served.end()
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
