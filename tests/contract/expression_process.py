"""Compile and evaluate each expression that arrives on a line of JSON, and answer what came of it on a line.

A process of its own, so that a crash of the library, or an expression that never ends, is seen as one.
"""

import json
import sys
import time

from formation_portal.contract.expressions import ExpressionError, MissingAnswer, Values, compile_expression
from tests.contract.builders import VALUES

# As much as an application can hold.
_ANSWERS = {f"answer{number}": f"Words {number}" for number in range(25)}
_PARTY = {"kind": "person", "roles": ["director", "shareholder"], "answers": _ANSWERS, "age": 30}
_PARTIES = [_PARTY | {"id": f"party{number}"} for number in range(200)]
_LARGE = VALUES | {"entity": VALUES["entity"] | {"text": "a" * 10_000}, "parties": _PARTIES}


def outcome(text: str) -> str:
    try:
        compiled = compile_expression(text)
    except ExpressionError:
        return "not compiled"
    try:
        return str(compiled.holds(Values(_LARGE)))
    except (ExpressionError, MissingAnswer):
        return "not judged"


if __name__ == "__main__":
    for line in sys.stdin:
        start = time.process_time()
        try:
            result = outcome(json.loads(line))
        except Exception as error:
            result = repr(error)
        sys.stdout.write(json.dumps([result, time.process_time() - start]) + "\n")
        sys.stdout.flush()
