"""Runs schemathesis against a served API as one of two accounts, with or without records that it may aim at."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")

# A body may have the right shape and still not be what this entity's form asks for, or lack what submitting needs:
# that is in the form schema, which no OpenAPI document can hold, and is answered 422. A file's bytes likewise, 415.
REFUSED_BY_MEANING = ("415", "422")
# Who asks, and who may see nothing of what the first has made: what that has read is asked for again as the second.
OURS, THEIRS = "ours", "theirs"
_EXPECTED = ("2xx", "3xx", "401", "403", "404", "409", "429", "5xx")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: its exit code, how many cases it made, and what it said."""

    code: int
    cases: int
    output: str

    @property
    def failures(self) -> dict[str, int]:
        """How many failures there are of each kind, like "Server error"."""
        return {
            kind: int(number) for kind, number in re.findall(r"^  ❌ ST\d+ (.+): (\d+)$", self.output, re.MULTILINE)
        }


def run(
    url: str,
    keys: Mapping[str, str],
    *,
    seed: int,
    examples: int,
    phases: str,
    aims: Mapping[str, list[str]],
    folder: Path,
) -> Outcome:
    """All checks with one seed and the keys of both accounts. `aims` are values by parameter (`path.entity_id`,
    `body.party_id`) to try often."""
    config = folder / "schemathesis.toml"
    users = folder / "users.json"
    users.write_text(json.dumps({"auth": [_user(name, keys[name]) for name in (OURS, THEIRS)]}))
    config.write_text(_config(aims, users))
    command = [
        str(SCHEMATHESIS),
        f"--config-file={config}",
        "run",
        f"{url}/api/v1/openapi.json",
        "--checks=all",
        f"--phases={phases}",
        f"--seed={seed}",
        f"--max-examples={examples}",
        "--continue-on-failure",
        "--suppress-health-check=all",
        "--warnings=off",
        "--no-color",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    made = re.search(r"(\d+) generated", done.stdout)
    return Outcome(done.returncode, int(made.group(1)) if made else 0, done.stdout + done.stderr)


def _user(name: str, key: str) -> dict[str, object]:
    return {"name": name, "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {key}"}]}


def _config(aims: Mapping[str, list[str]], users: Path) -> str:
    """What is not said on the command line. JSON's texts and lists are TOML's too."""
    who = {"path": str(users), "user": OURS, "peers": [OURS, THEIRS]}
    lines = ["[auth.wfc]", *(f"{name} = {json.dumps(value)}" for name, value in who.items())]
    for number, values in enumerate(aims.values()):
        lines += [f"[dictionaries.aim{number}]", f"values = {json.dumps(values)}"]
    if aims:
        lines.append("[parameters]")
        lines += [
            f'"{parameter}" = {{ dictionary = "aim{number}", probability = 0.8 }}'
            for number, parameter in enumerate(aims)
        ]
        statuses = json.dumps([*_EXPECTED, *REFUSED_BY_MEANING])
        lines += ["[checks.positive_data_acceptance]", f"expected-statuses = {statuses}"]
    return "\n".join(lines) + "\n"
