"""What a report of wapiti says: its findings, and those that were looked into and are none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

# As wapiti numbers them.
_SEVERITIES = ("info", "low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: a category of wapiti's, how bad it is, and the request that showed it."""

    category: str
    severity: str
    module: str
    method: str
    path: str
    parameter: str
    info: str

    def __str__(self) -> str:
        """A line for whoever looks into it."""
        where = f" in {self.parameter}" if self.parameter else ""
        words = " ".join(self.info.split())
        return f"{self.category} ({self.severity}, {self.module}): {self.method} {self.path}{where}: {words}"


@dataclass(frozen=True, slots=True)
class Dismissed:
    """Findings that were looked into and are none: by category, path (* is any text), and words of what was said."""

    category: str
    path: str
    words: str
    reason: str

    def fits(self, finding: Finding) -> bool:
        is_there = fnmatchcase(finding.path, self.path)
        return is_there and finding.category == self.category and self.words in finding.info


DISMISSED = (
    Dismissed(
        "Cross Site Request Forgery",
        "/display/",
        "Lack of anti CSRF token",
        "Language and theme are chosen without a token, so that a visitor's page needs no cookie. Posts that a browser "
        "says come from another site are refused, and the session doesn't come along from there.",
    ),
    Dismissed(
        "Path Traversal",
        "/desk/*/documents/*/pages/*/picture/",
        "PHP local inclusion",
        "It looks for one character in the answer, ¸, which any picture has a byte of. The size is one of two words.",
    ),
)


def findings(report: Mapping[str, Any]) -> list[Finding]:
    """Vulnerabilities and anomalies. What wapiti only adds, like the methods that an address knows, is none."""
    return [
        Finding(
            category=category,
            severity=_SEVERITIES[one["level"]],
            module=one["module"],
            method=one["method"],
            path=one["path"],
            parameter=one["parameter"] or "",
            info=one["info"],
        )
        for kind in ("vulnerabilities", "anomalies")
        for category, found in report[kind].items()
        for one in found
    ]


def is_dismissed(finding: Finding) -> bool:
    return any(one.fits(finding) for one in DISMISSED)


def still_open(found: Iterable[Finding]) -> list[Finding]:
    """Those that nobody has looked into yet, and those that are to be mended."""
    return [one for one in found if not is_dismissed(one)]


def counts(found: Iterable[Finding]) -> dict[str, int]:
    """How many there are of each category and severity, by a name for a line of figures."""
    by_name: dict[str, int] = {}
    for one in found:
        name = "_".join((*one.category.lower().replace("-", " ").split(), one.severity))
        by_name[name] = by_name.get(name, 0) + 1
    return dict(sorted(by_name.items()))
