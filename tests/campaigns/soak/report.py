"""What a soak has found: a line for each process and number, and the growth of the whole."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory in bytes that is in the machine's memory, shared pages included, so that a fork changes nothing."""

    memory: int
    sockets: int
    descriptors: int


def sample(pid: int) -> Sample:
    """Raises OSError where there is no such process any more."""
    links: list[str] = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        # One may have been closed since the folder was read.
        with suppress(FileNotFoundError):
            links.append(str(path.readlink()))
    # The quick numbers in `status` are counted by thread and only now and then added up.
    lines = dict(line.split(":") for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    memory = int(lines["Rss"].split()[0]) * 1024
    return Sample(memory, sum(link.startswith("socket:") for link in links), len(links))


# Percent.
MOST = 5.0


@dataclass
class Moment:
    """Everything at one time of rest: each process, and the files left lying about."""

    processes: dict[str, Sample]
    files: list[str]


@dataclass
class Report:
    start: Moment
    end: Moment
    peaks: dict[str, int]
    applications: int
    calls: int
    faults: int
    held: int
    troubles: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        for name, was in self.start.processes.items():
            now = self.end.processes[name]
            yield f"memory_{name} {_mb(was.memory)} {_mb(now.memory)} MB (at most {_mb(self.peaks[name])})"
            yield f"sockets_{name} {was.sockets} {now.sockets}"
            yield f"descriptors_{name} {was.descriptors} {now.descriptors}"
        yield f"temp_files {len(self.start.files)} {len(self.end.files)}"
        for name in ("applications", "calls", "faults", "held"):
            yield f"{name} {getattr(self, name)}"
        for name, percent in self.growth().items():
            yield f"{name} {percent:.1f} percent"

    def growth(self) -> dict[str, float]:
        """In percent. Of memory and of descriptors, the process that grew most; a shrinking one pays for nobody."""
        pairs = [(was, self.end.processes[name]) for name, was in self.start.processes.items()]
        return {
            "memory_growth": max(_percent(was.memory, now.memory) for was, now in pairs),
            "sockets_growth": _percent(sum(was.sockets for was, _ in pairs), sum(now.sockets for _, now in pairs)),
            "descriptors_growth": max(_percent(was.descriptors, now.descriptors) for was, now in pairs),
            "temp_files_growth": _percent(len(self.start.files), len(self.end.files)),
        }

    def broken(self) -> list[str]:
        found = [f"{name}: {value:.1f} percent, over {MOST}" for name, value in self.growth().items() if value > MOST]
        left = sorted(set(self.end.files) - set(self.start.files))
        return [*found, *(f"left over: {name}" for name in left), *self.troubles]


def _percent(was: int, now: int) -> float:
    return 100 * (now - was) / max(was, 1)


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"
