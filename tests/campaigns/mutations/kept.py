"""The list of changes that were tried: one file of CSV for each package, in `kept/`."""

import csv
from dataclasses import dataclass, field
from pathlib import Path

from .mutation import Key

FOLDER = Path(__file__).with_name("kept")
_COLUMNS = ("module", "function", "operator", "before", "after", "nth", "seed", "found_by", "note")


@dataclass
class Row:
    """One change that was tried. `found_by` is empty where no test found it; `note` says why none has to."""

    key: Key
    seed: int
    found_by: str = ""
    note: str = ""

    @property
    def test_file(self) -> str:
        return self.found_by.split("::")[0]


@dataclass
class Kept:
    package: str
    rows: dict[Key, Row] = field(default_factory=dict)

    @classmethod
    def read(cls, package: str) -> "Kept":
        kept = cls(package)
        if kept.path.exists():
            with kept.path.open(newline="") as file:
                for line in csv.DictReader(file):
                    texts = (line["module"], line["function"], line["operator"], line["before"], line["after"])
                    key = (*texts, int(line["nth"]))
                    kept.rows[key] = Row(key, int(line["seed"]), line["found_by"], line["note"])
        return kept

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.package}.csv"

    def write(self) -> None:
        """Write the rows in a stable order, so that a change of one is a change of one line."""
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_COLUMNS)
            for key, row in sorted(self.rows.items()):
                writer.writerow([*key, row.seed, row.found_by, row.note])
