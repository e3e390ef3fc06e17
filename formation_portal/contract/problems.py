"""What can be wrong with an answer, as an exception inside one field and as data everywhere else."""

from dataclasses import dataclass


class AnswerError(Exception):
    """An answer that cannot be read. The code is stable; the message says how to put it right."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Problem:
    """One refused answer: the field's name, a stable code, and a sentence for the person."""

    field: str
    code: str
    message: str
