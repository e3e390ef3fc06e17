"""What people were told is saved, a line each in a file, so that it can be compared with what there is in the end."""

import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.journeys.actors.generic_client import GenericClient, SentFile, TypedAnswer

Json = dict[str, Any]


@dataclass
class Promises:
    """The file. Any number of processes may write to it: a line is one write."""

    path: Path

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def application(self, reference: str, slug: str, client: GenericClient) -> None:
        self._write(
            kind="application",
            reference=reference,
            slug=slug,
            typed=[[*where, asdict(answer)] for where, answer in client.typed.items()],
            sent=[asdict(one) for one in client.sent],
            pressed=client.pressed,
        )

    def decision(self, reference: str, decision: str, queries: list[str]) -> None:
        """An agent has accepted every fact of the case but those with queries, and decided it."""
        self._write(kind="decision", reference=reference, decision=decision, queries=queries)

    def _write(self, **line: Any) -> None:
        with self._lock, self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def read(self, kind: str) -> list[Json]:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [line for line in map(json.loads, lines) if line["kind"] == kind]


def as_client(line: Json) -> Any:
    typed = {
        (address, token, control): TypedAnswer(
            **{**answer, "values": tuple(answer["values"]), "chosen": tuple(answer["chosen"])}
        )
        for address, token, control, answer in line["typed"]
    }
    sent = [SentFile(**{**one, "form_values": [tuple(pair) for pair in one["form_values"]]}) for one in line["sent"]]
    return SimpleNamespace(typed=typed, sent=sent, pressed=line["pressed"])
