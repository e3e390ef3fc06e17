"""Read the table of access (table.md): which answer each kind of person gets at each address."""

from dataclasses import dataclass
from pathlib import Path

TEXT = Path(__file__).with_name("table.md").read_text()


@dataclass(frozen=True)
class Row:
    """One address of one section: the answers to who may, and the cell of each column of people."""

    name: str
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def status(self, method: str) -> int:
        """Return the status that somebody who may gets; no address takes other methods than these."""
        column = {"HEAD": "GET"}.get(method, method)
        return int(self.cells.get(column, "405"))


def section(title: str) -> list[Row]:
    """Read the rows of the first Markdown table below a heading."""
    below = TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [Row(cells[0], dict(zip(header, cells, strict=True))) for cells in rows]
