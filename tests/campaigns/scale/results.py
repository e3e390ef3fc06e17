"""One figure of `make scale`, with its goal where it has one."""

from collections.abc import Sequence
from dataclasses import dataclass

_SAID = 20


@dataclass
class Result:
    """`name value unit`; `least` and `most` are what it has to be, `sentences` say what is behind it."""

    name: str
    value: float | str
    unit: str = ""
    least: float | None = None
    most: float | None = None
    said: Sequence[str] = ()

    @property
    def line(self) -> str:
        value = f"{self.value:.3g}" if isinstance(self.value, float) else str(self.value)
        return f"{self.name} {value} {self.unit}".rstrip()

    @property
    def is_missed(self) -> bool:
        if isinstance(self.value, str):
            return False
        return (self.least is not None and self.value < self.least) or (
            self.most is not None and self.value > self.most
        )

    @property
    def goal(self) -> str:
        return f"at least {self.least}" if self.least is not None else f"at most {self.most}"

    @property
    def sentences(self) -> Sequence[str]:
        left = len(self.said) - _SAID
        return [*self.said[:_SAID], *([f"and {left} more"] if left > 0 else [])]
