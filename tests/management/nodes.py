"""Nodes of one installation: processes with a DATA_DIR of their own on one PostgreSQL."""

import base64
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from .served import begin, end


def new_key(letter: str) -> str:
    """A SECRETS_KEY, always the same for a letter."""
    return base64.b64encode(letter.encode() * 32).decode()


@dataclass
class Node:
    """A machine, as far as the portal can tell."""

    data: Path
    settings: dict[str, str]

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        """A command of manage.py, begun."""
        self.data.mkdir(exist_ok=True)
        return begin(self.data, *arguments, **self.settings | more)

    def run(self, *arguments: str, **more: str) -> tuple[int, str]:
        """Its exit code, and all that it said."""
        return end(self.start(*arguments, **more))

    def says(self, code: str, **more: str) -> str:
        """What a piece of code prints there."""
        exit_code, said = self.run("shell", "-v", "0", "-c", code, **more)
        assert exit_code == 0, said
        return said.strip().splitlines()[-1]


@dataclass
class Installation:
    """A server with two databases, and folders for nodes."""

    url: str
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> str:
        return f"{self.url}/portal"

    def node(self, name: str, **more: str) -> Node:
        shared = {"DATABASE_URL": self.database, "SERVICE_DATABASE_URL": f"{self.url}/formation"}
        return Node(self.folder / name, {"LOG_LEVEL": "WARNING"} | shared | self.settings | more)

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []
