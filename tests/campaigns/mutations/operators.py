"""The ways to break a module of Python. Each operator yields the source that replaces a node.

Left alone: strings, annotations, logging, `__str__`, `__repr__`, assertions, and a model's `Meta` but for its ordering
(the tables are made by the migrations).
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from .mutation import Mutation, number

Enums = list[tuple[str, list[str]]]
Ways = Iterator[tuple[str, str]]  # operator, source

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
_COLUMNS = {"values_list", "values", "order_by", "only", "defer", "select_related", "prefetch_related", "attrgetter"}
_OPPOSITES = {"first": "last", "last": "first", "latest": "earliest", "earliest": "latest", "min": "max", "max": "min"}
_ESCAPES = {"escape", "conditional_escape", "quote", "format_html"}
_LOGS = {"log", "logger", "logging", "warnings"}
_ACCOUNT_POLICIES = {"public": "signed_in", "signed_in": "public", "customer": "signed_in", "agent": "signed_in"}
_GUARDS = {
    "recently_authenticated",
    "reauthenticated",
    "opens",
    "csrf_exempt",
}
_CONSTANTS = {
    "bool": ("True", "False"),
    "str": ("''",),
    "int": ("0",),
    "list": ("[]",),
    "tuple": ("()",),
    "dict": ("{}",),
}


def enums(paths: Iterable[Path]) -> Enums:
    known = []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(base).endswith(("Enum", "Choices")) for base in node.bases
            ):
                targets = [target for line in node.body if isinstance(line, ast.Assign) for target in line.targets]
                known.append((node.name, [target.id for target in targets if isinstance(target, ast.Name)]))
    return known


def mutations(path: Path, text: str, known: Enums) -> list[Mutation]:
    return number(_Walk(path, text, known).visit(ast.parse(text), None), text)


class _Walk:
    def __init__(self, path: Path, text: str, known: Enums) -> None:
        self.path = path
        self.lines = text.splitlines(keepends=True)
        self.known = known
        self.names: tuple[str, ...] = ()
        self.first_lines: tuple[int, ...] = ()
        self.is_cached = False
        self.returns = ""
        self.siblings: dict[str, list[str]] = {}

    def visit(self, node: ast.AST, parent: ast.AST | None) -> Iterator[Mutation]:
        match node:
            case ast.Assert() | ast.FunctionDef(name="__str__" | "__repr__"):
                return
            case ast.ClassDef(name="Meta"):
                for line in node.body:
                    if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "ordering":
                        for source in _reversed_columns(line.value):
                            yield self._change(line.value, "reverse-order", source)
                return
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                return
            case ast.Expr(ast.Call(func)) if ast.unparse(func).split(".")[0] in _LOGS:
                return
            case ast.JoinedStr():  # Python 3.11 has no positions of the parts: the whole text is replaced
                for source in _without_escape(node):
                    yield self._change(node, "unescape", source)
                return
        for operator, source in self._ways(node, parent):
            yield self._change(node, operator, source)
        is_function = isinstance(node, ast.FunctionDef)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                for operator, source in _policies(decorator):
                    yield self._change(decorator, operator, source, owner=node)
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns"}:
                continue
            state = self.names, self.first_lines, self.is_cached, self.returns, self.siblings
            if name == "body" and isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.names += (node.name,)
                if is_function:
                    self._enter(node)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self.visit(child, node)
            self.names, self.first_lines, self.is_cached, self.returns, self.siblings = state

    def _enter(self, node: ast.FunctionDef) -> None:
        self.first_lines += (min(line.lineno for line in (node, *node.decorator_list)),)
        caches = ("cache", "lru_cache")
        self.is_cached = any(ast.unparse(one).split("(")[0].split(".")[-1] in caches for one in node.decorator_list)
        self.returns = ast.unparse(node.returns).split("[")[0] if node.returns else ""
        self.siblings = {}
        called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and id(inner) not in called:
                attributes = self.siblings.setdefault(inner.value.id, [])
                if inner.attr not in attributes:
                    attributes.append(inner.attr)

    def _ways(self, node: ast.AST, parent: ast.AST | None) -> Ways:
        match node:
            case ast.Compare(left, ops, comparators):
                for index, op in enumerate(ops):
                    for turned in _TURNED[type(op)]:
                        compared = ast.Compare(left, [*ops[:index], turned(), *ops[index + 1 :]], comparators)
                        yield "compare", _source(compared)
            case ast.BoolOp(op, values):
                yield "condition", _source(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
                for index in range(len(values)):
                    yield "condition", _source(ast.BoolOp(op, [*values[:index], *values[index + 1 :]]))
            case ast.UnaryOp(ast.Not() | ast.Invert(), operand):
                yield "condition", _source(operand)
            case ast.Expr(ast.Call()):
                yield "drop-call", "pass"
            case ast.Return(ast.Constant(bool() as value)):
                yield "return", f"return {not value}"
            case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
                for constant in _CONSTANTS.get(self.returns, ("None",)):
                    yield "return", f"return {constant}"
            case ast.BinOp(ast.Constant(10), ast.Pow(), right):
                yield "minor-units", "10 ** 2" if ast.unparse(right) != "2" else "10 ** 3"
            case ast.Constant(int() as value) if not isinstance(value, bool) and isinstance(
                parent, ast.Slice | ast.Compare | ast.BinOp | ast.Return
            ):
                yield "number", str(value + 1)
            case ast.Call():
                yield from self._calls(node)
            case ast.Attribute(ast.Name(name) as value, attr, ast.Load()):
                for enum, members in self.known:
                    if name == enum and attr in members:
                        kind = "permission" if enum == "Right" else "enum"
                        yield from ((kind, f"{name}.{other}") for other in members if other != attr)
                called = isinstance(parent, ast.Call) and parent.func is node
                if not called and name not in {"self", "cls", "request", "models", "settings"} and name.islower():
                    attributes = self.siblings.get(name, [attr])
                    sibling = attributes[(attributes.index(attr) + 1) % len(attributes)]
                    yield "swap-columns", f"{name}.{sibling}"
            case ast.Attribute(value, attr):
                for enum, members in self.known:
                    if enum == _name(value) and attr in members:
                        yield from (("enum", f"{ast.unparse(value)}.{other}") for other in members if other != attr)
        is_test = isinstance(parent, ast.If | ast.IfExp | ast.While) and node is parent.test
        if is_test and isinstance(node, ast.Name | ast.Call | ast.Attribute):
            yield "condition", f"(not {ast.unparse(node)})"

    def _calls(self, node: ast.Call) -> Ways:
        func, args, keywords = node.func, node.args, node.keywords
        name = _name(func)
        if name in _ESCAPES and args:
            yield "unescape", _source(args[0])
        if name == "on_commit":
            yield "on-commit", f"({_source(args[0])})()"
        if name in _CONDITIONS and not (args and isinstance(func, ast.Name) and name != "Q"):
            for index in range(len(args)):
                yield "drop-filter", _source(ast.Call(func, [*args[:index], *args[index + 1 :]], keywords))
        if name in _CONDITIONS or (name in _LOOKUPS and len(keywords) > 1):
            for index in range(len(keywords)):
                yield "drop-filter", _source(ast.Call(func, args, [*keywords[:index], *keywords[index + 1 :]]))
        if name == "visible_to" and isinstance(func, ast.Attribute):
            yield "permission", f"{ast.unparse(func.value)}.all()"
        if name in {"has_perm", "covers"}:
            yield "permission", "True"
        if name == "atomic":
            yield "drop-atomic", '__import__("contextlib").nullcontext()'
        if name == "select_for_update" and isinstance(func, ast.Attribute):
            yield "drop-lock", f"{ast.unparse(func.value)}.all()"
        yield from _orders(node, name)
        yield from _times(node, name)
        if name in {"minor_units", "decimals_of"}:
            yield "minor-units", "2"
        if name == "quantize":
            yield "minor-units", ast.unparse(func).rsplit(".", 1)[0]
        yield from _swaps(node, name)

    def _change(
        self, node: ast.expr | ast.stmt | ast.AST, operator: str, source: str, owner: ast.AST | None = None
    ) -> Mutation:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno
        assert node.end_col_offset is not None
        start, end = self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)
        names = (*self.names, owner.name) if isinstance(owner, ast.FunctionDef | ast.ClassDef) else self.names
        return Mutation(
            self.path,
            operator,
            ".".join(names),
            node.lineno,
            start,
            end,
            source,
            at_import=owner is not None or not self.first_lines,
            is_cached=self.is_cached,
            first_lines=self.first_lines,
        )

    def _offset(self, line: int, column: int) -> int:
        return sum(map(len, self.lines[: line - 1])) + len(self.lines[line - 1].encode()[:column].decode())


def _policies(decorator: ast.expr) -> Ways:
    """Yield the weaker policies of a view, and the decorator of a transaction without its effect."""
    name = _name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    policies = '__import__("formation_portal.accounts.policies", fromlist=["public"])'
    if name in _ACCOUNT_POLICIES:
        yield "permission", f"{policies}.{_ACCOUNT_POLICIES[name]}"
    elif name in ("agent_with", "case_action"):
        yield "permission", f"{policies}.agent"
    elif name in _GUARDS:
        yield "permission", "(lambda view: view)"
    elif name == "atomic" and not isinstance(decorator, ast.Call):
        yield "drop-atomic", "(lambda function: function)"


def _orders(node: ast.Call, name: str) -> Ways:
    if name == "order_by" and isinstance(node.func, ast.Attribute):
        for index, column in enumerate(node.args):
            for source in _reversed_columns(column):
                parts = [ast.unparse(arg) for arg in node.args]
                parts[index] = source
                yield "reverse-order", f"{ast.unparse(node.func)}({', '.join(parts)})"
        if node.args:
            yield "reverse-order", ast.unparse(node.func.value)
    if name == "sorted":
        order = [keyword for keyword in node.keywords if keyword.arg == "reverse"]
        others = [keyword for keyword in node.keywords if keyword.arg != "reverse"]
        if not order:
            others.append(ast.keyword("reverse", ast.Constant(True)))
        yield "reverse-order", _source(ast.Call(node.func, node.args, others))
    if name in _OPPOSITES:
        if isinstance(node.func, ast.Attribute):
            yield (
                "reverse-order",
                _source(ast.Call(ast.Attribute(node.func.value, _OPPOSITES[name]), node.args, node.keywords)),
            )
        else:
            yield "reverse-order", _source(ast.Call(ast.Name(_OPPOSITES[name]), node.args, node.keywords))


def _times(node: ast.Call, name: str) -> Ways:
    func = ast.unparse(node.func)
    owner = func.rsplit(".", 1)[0] if "." in func else ""
    given = ast.unparse(node.args[0]) if node.args else '__import__("django").utils.timezone.now()'
    if name in ("localdate", "operators_day"):
        yield "time-zone", f"({given}).date()"
    if name == "localtime":
        yield "time-zone", f"({given})"
    if name == "astimezone":
        yield "time-zone", owner
    if name == "fromtimestamp" and len(node.args) == 2:
        zone = '__import__("datetime").timezone(__import__("datetime").timedelta(hours=9))'
        yield "time-zone", f"{func}({given}, {zone})"
    if name == "timedelta" and node.keywords and isinstance(node.keywords[0].value, ast.Constant):
        value = node.keywords[0].value.value
        if isinstance(value, int):
            first = ast.keyword(node.keywords[0].arg, ast.Constant(value + 1))
            yield "number", _source(ast.Call(node.func, node.args, [first, *node.keywords[1:]]))


def _swaps(node: ast.Call, name: str) -> Ways:
    """Yield the call with two neighbouring arguments of one kind exchanged."""
    args, keywords = node.args, node.keywords
    operator = "swap-columns" if name in _COLUMNS else "swap-arguments"
    if name in {"only", "defer", "select_related", "prefetch_related", "isinstance", "values"}:
        return  # in any order they do the same
    for index, (left, right) in enumerate(pairwise(args)):
        if _are_alike(left, right):
            yield operator, _source(ast.Call(node.func, [*args[:index], right, left, *args[index + 2 :]], keywords))
    if name in _CONDITIONS:
        return
    for index, (first, second) in enumerate(pairwise(keywords)):
        if first.arg and second.arg and _are_alike(first.value, second.value):
            swapped = [ast.keyword(first.arg, second.value), ast.keyword(second.arg, first.value)]
            swapped_keywords = [*keywords[:index], *swapped, *keywords[index + 2 :]]
            operator = "swap-columns" if isinstance(first.value, ast.Attribute) else "swap-arguments"
            yield operator, _source(ast.Call(node.func, args, swapped_keywords))


def _are_alike(left: ast.expr, right: ast.expr) -> bool:
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return type(left.value) is type(right.value)
    names = ast.Name | ast.Attribute
    return isinstance(left, names) and isinstance(right, names) and not ast.unparse(left)[:1].isupper()


def _reversed_columns(node: ast.expr) -> Iterator[str]:
    """Yield the source of an order with its first column turned round."""
    if isinstance(node, ast.Tuple | ast.List) and node.elts:
        for first in _reversed_columns(node.elts[0]):
            rest = "".join(f", {ast.unparse(column)}" for column in node.elts[1:])
            yield f"({first}{rest or ','})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield repr(node.value.removeprefix("-") if node.value.startswith("-") else f"-{node.value}")


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
    """Return the node's source, in brackets so that it may replace any other node."""
    if isinstance(node, ast.BoolOp) and len(node.values) == 1:
        return _source(node.values[0])
    source = ast.unparse(node)
    return source if isinstance(node, ast.Call | ast.Name | ast.Attribute) else f"({source})"
