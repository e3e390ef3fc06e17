"""`make calls`: record the system calls that the sandbox's tasks make while the corpus, spreadsheets and a record run.

Prints each call with its count, and marks those that `formation_portal/documents/system_calls.py` does not allow. The
tasks run unconfined, in a process each, so that nothing hides a call. On another machine's emulator, which can't be
traced: `QEMU_STRACE=1 python -m tests.documents.system_calls --run-without-limits 2>trace`, then `--read trace`.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from formation_portal.applications.imports.readers import read_file
from formation_portal.documents import system_calls
from formation_portal.documents.inspection_task import draw_content, inspect_content
from formation_portal.documents.sandbox_process import MEMORY_BYTES, limit_resources
from formation_portal.documents.typesetting import typeset
from tests.applications.imports.sample_sheets import ADA, HEADS, as_csv, as_xlsx

from .corpus.hostile import files_for_the_sandbox

_SOURCE = '#set document(title: "A record")\n#json(bytes(sys.inputs.record)).title'
_SECONDS = 40
# No library calls it: it marks the beginning of a task.
_MARK = "getpgid"
_CALL = re.compile(r"(\d+)\s+(\w+)\((.*)")
# Of these an argument is compared, too.
_COMPARED = {"fcntl": 1, "ioctl": 1, "prctl": 0, "clone": 0, "clone3": 0}

Task = Callable[[], bytes]


def tasks(folder: Path) -> Iterator[Task]:
    """Yield a task for two records, each kind of spreadsheet and each file of the corpus.

    Records come first: making the corpus starts the typesetter's threads, which a fork would wait for without end.
    """
    source = folder / "record.typ"
    source.write_text(_SOURCE)
    for title in ("Larkfield", "\U00010380"):
        record = json.dumps({"title": title}).encode()
        yield partial(
            typeset, record, source=str(source), fonts=str(folder), logo="", made_at=1_700_000_000, is_accessible=True
        )
    for sheet in (as_csv(HEADS, ADA), as_xlsx(HEADS, ADA), b"PK\3\4broken"):
        yield partial(read_file, sheet, headings=HEADS)
    for _, content, mime_type in files_for_the_sandbox():
        yield partial(inspect_content, content, mime_type=mime_type, side=320)
        yield partial(draw_content, content, mime_type=mime_type, side=320, page=1)


def run(*, is_limited: bool) -> None:
    """Do each task in a process of its own, which makes the marking call first.

    An emulator takes memory for itself, and does not survive the other limits.
    """
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks(Path(folder)):
            if (child := os.fork()) == 0:
                resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
                if is_limited:
                    limit_resources(_SECONDS, MEMORY_BYTES)
                os.getpgid(0)
                try:
                    task()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)


def recorded(trace: Iterable[str]) -> Counter[str]:
    """Count the calls of the tasks in a trace; of some calls with the argument that the filter compares."""
    counts: Counter[str] = Counter()
    main, is_task = "", False
    for line in trace:
        if not (match := _CALL.match(line)):
            continue
        process, call, arguments = match.groups()
        main = main or process
        if process == main:
            is_task = is_task and not call.startswith(("clone", "fork", "vfork"))
        elif call == _MARK:
            is_task = True
        elif is_task:
            compared = arguments.split(",")[_COMPARED[call]] if call in _COMPARED else ""
            counts[f"{call} {compared}".strip()] += 1
    return counts


def is_allowed(call: str) -> bool:
    """Return True if the filter names the call. Which arguments it takes is to be read there."""
    return re.search(rf"\b{call.split()[0]} \d+", Path(system_calls.__file__).read_text()) is not None


def main(arguments: list[str]) -> None:
    """Trace this machine's calls, or read another's trace, and print each call with its count."""
    if arguments in (["--run"], ["--run-without-limits"]):
        run(is_limited=arguments == ["--run"])
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments:
            trace = Path(arguments[1])
        else:
            trace = Path(folder) / "trace"
            traced = ["strace", "-f", "-qq", "-o", str(trace), sys.executable, "-m", "tests.documents.system_calls"]
            subprocess.run([*traced, "--run"], check=True)
        with trace.open(errors="replace") as lines:
            counts = recorded(lines)
    for call, count in sorted(counts.items()):
        sys.stdout.write(f"{call} {count}{'' if is_allowed(call) else '  NOT ALLOWED'}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
