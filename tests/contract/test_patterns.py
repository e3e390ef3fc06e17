"""No pattern comes from a schema: one that goes back and forth would keep a process busy for hours."""

import ast
from pathlib import Path

CONTRACT = Path(__file__).parents[2] / "formation_portal/contract"
MODULES = sorted(CONTRACT.rglob("*.py"))
_USED = {"compile", "match", "search", "fullmatch", "sub", "split", "findall", "finditer"}
# Telephone numbers' own plans, from a package.
_OF_PACKAGES = {("fields/parsing.py", "prefix")}


def test_every_pattern_is_written_in_the_code() -> None:
    calls = [(module, call) for module in MODULES for call in ast.walk(ast.parse(module.read_text()))]
    for path, call in calls:
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _USED:
            continue
        if not isinstance(call.func.value, ast.Name) or call.func.value.id != "re":
            continue
        pattern = ast.unparse(call.args[0])
        is_ours = (str(path.relative_to(CONTRACT)), pattern) in _OF_PACKAGES
        # A constant, or made of constants, which are written in capitals.
        names = {one.id for one in ast.walk(call.args[0]) if isinstance(one, ast.Name)}
        assert is_ours or all(name.strip("_").isupper() for name in names), f"{path}:{call.lineno}: {pattern}"
