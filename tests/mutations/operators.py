"""The ways in which a module of Python is broken, one at a time: each gives the source that takes a node's place.

Left alone: strings, annotations, what is logged, `__str__`, `__repr__`, assertions and a model's `Meta` (the tables are
made by the migrations).
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_CONDITIONS = {"filter", "exclude", "Q"}  # any condition may be dropped; of these, one of several:
_LOOKUPS = {"get", "get_object_or_404", "get_or_create", "update_or_create"}
_ESCAPES = {"escape", "conditional_escape", "quote"}
_LOGS = {"log", "logger", "logging", "warnings"}
_CONSTANTS = {
    "bool": ("True", "False"),
    "str": ("''",),
    "int": ("0",),
    "list": ("[]",),
    "tuple": ("()",),
    "dict": ("{}",),
}


@dataclass(frozen=True)
class Mutation:
    """One change: `source` takes the place of the characters from `start` to `end`."""

    path: Path
    line: int
    last_line: int
    start: int
    end: int
    source: str
    at_import: bool = False  # the line runs once, when its module is imported or a cache is filled

    def applied(self, text: str) -> str:
        """The module with the change."""
        return text[: self.start] + self.source + text[self.end :]

    def shown(self, text: str) -> str:
        """`before → after`, of the lines that change."""
        begin = text.rfind("\n", 0, self.start) + 1
        end = text.find("\n", self.end) % (len(text) + 1)
        before, after = text[begin:end], text[begin : self.start] + self.source + text[self.end : end]
        return f"{' '.join(before.split())} → {' '.join(after.split())}"


def enums(paths: Iterable[Path]) -> list[tuple[str, list[str]]]:
    """Each enum of the modules: its name, and the names of its members."""
    classes = (
        node for path in paths for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)
    )
    return [
        (
            node.name,
            [
                target.id
                for line in node.body
                if isinstance(line, ast.Assign)
                for target in line.targets
                if isinstance(target, ast.Name)
            ],
        )
        for node in classes
        if any(ast.unparse(base).endswith(("Enum", "Choices")) for base in node.bases)
    ]


def mutations(path: Path, text: str, known: list[tuple[str, list[str]]]) -> list[list[Mutation]]:
    """For each place of the module that can be broken, the ways to break it."""
    return [ways for ways in _Walk(path, text, known).node(ast.parse(text), None) if ways]


class _Walk:
    def __init__(self, path: Path, text: str, known: list[tuple[str, list[str]]]) -> None:
        self.path = path
        self.lines = text.splitlines(keepends=True)
        self.known = known
        self.returns = ""
        self.at_import = True

    def node(self, node: ast.AST, parent: ast.AST | None) -> Iterator[list[Mutation]]:
        """The places in a node and below it."""
        match node:
            case ast.Assert() | ast.ClassDef(name="Meta") | ast.FunctionDef(name="__str__" | "__repr__"):
                return
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                return
            case ast.Expr(ast.Call(func)) if ast.unparse(func).split(".")[0] in _LOGS:
                return
            case ast.JoinedStr():  # Python 3.11 doesn't know where the parts of an f-string are: it is written anew
                yield from ([self._change(node, source)] for source in _without_escape(node))
                return
        yield [self._change(node, way) for way in self._ways(node, parent) if way != ast.unparse(node)]
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns"}:
                continue
            was = self.at_import, self.returns
            if name == "body" and isinstance(node, ast.FunctionDef):
                self.at_import = any("cache" in ast.unparse(one) for one in node.decorator_list)
                self.returns = ast.unparse(node.returns).split("[")[0] if node.returns else ""
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self.node(child, node)
            self.at_import, self.returns = was

    def _ways(self, node: ast.AST, parent: ast.AST | None) -> Iterator[str]:
        match node:
            case ast.Compare(left, ops, comparators):
                for index, op in enumerate(ops):
                    for turned in _TURNED[type(op)]:
                        yield _source(ast.Compare(left, [*ops[:index], turned(), *ops[index + 1 :]], comparators))
            case ast.BoolOp(op, values):
                yield _source(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
                for index in range(len(values)):
                    yield _source(ast.BoolOp(op, [*values[:index], *values[index + 1 :]]))
            case ast.UnaryOp(ast.Not() | ast.Invert(), operand):
                yield _source(operand)
            case ast.Expr(ast.Call()):
                yield "pass"
            case ast.Return(ast.Constant(bool() as value)):
                yield f"return {not value}"
            case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
                yield from (f"return {one}" for one in _CONSTANTS.get(self.returns, ("None",)))
            case ast.Constant(int() as value) if not isinstance(value, bool) and isinstance(
                parent, ast.Slice | ast.Compare | ast.BinOp | ast.Return
            ):
                yield str(value + 1)
            case ast.Call(ast.Attribute(value, "on_commit"), [called, *_]):
                yield f"({_source(called)})()"
            case ast.Call(func, args, keywords) if (name := _name(func)) in _CONDITIONS | _LOOKUPS | _ESCAPES:
                if name in _ESCAPES:
                    yield _source(args[0])
                if name in _CONDITIONS and not (args and isinstance(func, ast.Name) and name != "Q"):
                    yield from (
                        _source(ast.Call(func, [*args[:n], *args[n + 1 :]], keywords)) for n in range(len(args))
                    )
                if name in _CONDITIONS or (name in _LOOKUPS and len(keywords) > 1):
                    for index in range(len(keywords)):
                        yield _source(ast.Call(func, args, [*keywords[:index], *keywords[index + 1 :]]))
            case ast.Attribute(value, attr):
                for name, members in self.known:
                    if name == _name(value) and attr in members:
                        yield from (f"{ast.unparse(value)}.{other}" for other in members if other != attr)
            case ast.Name() | ast.Call() if isinstance(parent, ast.If | ast.IfExp | ast.While) and node is parent.test:
                yield f"(not {ast.unparse(node)})"

    def _change(self, node: ast.AST, source: str) -> Mutation:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno
        assert node.end_col_offset is not None
        start, end = self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)
        return Mutation(self.path, node.lineno, node.end_lineno, start, end, source, self.at_import)

    def _offset(self, line: int, column: int) -> int:
        return sum(map(len, self.lines[: line - 1])) + len(self.lines[line - 1].encode()[:column].decode())


def _without_escape(text: ast.JoinedStr) -> Iterator[str]:
    for part in text.values:
        if (
            isinstance(part, ast.FormattedValue)
            and isinstance(part.value, ast.Call)
            and _name(part.value.func) in _ESCAPES
        ):
            call, part.value = part.value, part.value.args[0]
            yield ast.unparse(text)
            part.value = call


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _source(node: ast.expr) -> str:
    """The node's source; in brackets, so that it may stand wherever the node stood, on one line."""
    if isinstance(node, ast.BoolOp) and len(node.values) == 1:
        return _source(node.values[0])
    source = ast.unparse(node)
    return source if isinstance(node, ast.Call | ast.Name | ast.Attribute) else f"({source})"
