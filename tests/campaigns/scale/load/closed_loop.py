"""Readers who each ask for the next page as soon as they have the last one, on connections that they keep."""

import http.client
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_PATIENCE_SECONDS = 120.0


@dataclass
class Round:
    """So many connections for so many seconds: how long each answer took, in ms, and what was no answer."""

    seconds: float
    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds


def percentile(times: Sequence[float], share: float) -> float:
    """The time that this share of the answers took at most."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def read_pages(
    port: int, paths: Sequence[str], headers: Mapping[str, str], *, connections: int, seconds: float
) -> Round:
    """One round; only what is answered within the time counts."""
    done = Round(seconds)
    until = time.monotonic() + seconds

    def read(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
        while (began := time.monotonic()) < until:
            number += 1
            try:
                connection.request("GET", paths[number % len(paths)], headers=dict(headers))
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException) as error:
                done.failures.append(type(error).__name__)
                connection.close()
                continue
            ended = time.monotonic()
            if answer.status != 200:
                done.failures.append(str(answer.status))
            elif ended < until:
                done.times.append((ended - began) * 1000)
        connection.close()

    readers = [threading.Thread(target=read, args=(number,)) for number in range(connections)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return done
