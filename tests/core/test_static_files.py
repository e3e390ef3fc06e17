"""Style sheets, script and the frame: weight, contrast, and nothing that the content policy forbids."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from pytest_django.fixtures import Settings

from formation_portal.core.static_files import SCRIPTS, SHEETS, bundle_css, minify_css
from tests.markup import Markup

ROOT = Path(__file__).parents[2]
CSS = ROOT / "static/css"
_QUOTED = re.compile(r'"[^"\n]*"')


def test_every_style_sheet_is_in_one_bundle_and_the_layers_come_first() -> None:
    sheets = [bundle_css(CSS.parent / name) for name in SHEETS]
    assert sheets[0].startswith("@layer reset,tokens,base,layout,components,agent,preferences,print;")
    assert not any("@import" in css for css in sheets)
    for path in set(CSS.rglob("*.css")) - {CSS.parent / name for name in SHEETS}:
        assert sum(minify_css(path.read_text()) in css for css in sheets) == 1, path


def test_squeezing_keeps_what_selectors_and_sums_mean() -> None:
    css = "/* a */ .a :is(b,  c) > d + e { color : red ;\n margin: calc(1px + 2px) ; }\n"
    assert minify_css(css) == ".a :is(b,c)>d+e{color :red;margin:calc(1px + 2px)}"


# What no template may hold, and what to call it. What runs first is known to the policy by its hash.
FORBIDDEN = {
    "a style attribute": r"\sstyle\s*=",
    "an inline style sheet": r"<style\b",
    "an inline script": r"<script\b(?![^>]*\bsrc=)(?!>{% first_script %}</script>)",
    "an event handler": r"\son[a-z]+\s*=",
    "script in an attribute": r"hx-on|hx-vars|js:|javascript:",
    "a filter, which is script too": r"hx-trigger=\"[^\"]*\[",
}
# A file in an archive, which no policy of ours reaches and which brings in itself.
EXPECTED = [("privacy/export.html", "an inline style sheet")]


def test_no_template_holds_what_the_content_policy_forbids() -> None:
    folder = ROOT / "templates"
    sources = {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.html"))}
    kinds = [(name, kind) for name in sources for kind in FORBIDDEN if re.search(FORBIDDEN[kind], sources[name])]
    assert kinds == EXPECTED


def test_htmx_runs_after_our_script_and_is_told_not_to_evaluate_store_or_swap_errors() -> None:
    frame = Markup(render_to_string("base.html"))
    first, *others = frame.all("script")
    assert "src" not in first.attributes
    assert [script.attributes["src"] for script in others] == [f"/static/{name}" for name in SCRIPTS]
    assert SCRIPTS[-1].startswith("django_htmx/htmx-2")
    assert all("defer" in script.attributes for script in others)
    config = json.loads(frame.one("meta", name="htmx-config").attributes["content"])
    forbidden = ("allowEval", "allowScriptTags", "includeIndicatorStyles")
    assert [config[name] for name in forbidden] == [False, False, False]
    assert config["historyCacheSize"] == 0
    assert config["selfRequestsOnly"] is True
    assert not {"withCredentials", "globalViewTransitions", "disableInheritance", "inlineScriptNonce"} & config.keys()

    def swaps(status: int) -> bool:
        return next(bool(one["swap"]) for one in config["responseHandling"] if re.search(one["code"], str(status)))

    assert [swaps(status) for status in (200, 422)] == [True, True]
    assert [swaps(status) for status in (204, 400, 403, 404, 409, 500, 503)] == [False] * 7


@pytest.fixture
def served(settings: Settings, tmp_path: Path) -> Path:
    """The folder of static files, as production serves them."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "formation_portal.core.static_files.BundledStaticFilesStorage"}
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def test_the_scripts_of_every_page_are_one_file_without_comments(served: Path) -> None:
    (script,) = [one for one in Markup(render_to_string("base.html")).all("script") if "src" in one.attributes]
    name = script.attributes["src"].removeprefix("/static/")
    assert re.fullmatch(r"js/index\.[0-9a-f]{12}\.js", name)
    text = (served / name).read_text()
    sources = [ROOT / "static" / one for one in SCRIPTS if one.startswith("js/")]
    assert "/*" not in text.partition("var htmx=")[0]
    for source in sources:
        quoted = _QUOTED.findall(re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.S))
        assert " ".join(quoted) in " ".join(_QUOTED.findall(text)), source
    assert text.index("window.saving") < text.index("var htmx=")
    # Where one file does not end as a statement ends, the next would be its argument.
    assert "})()\n(" not in text
    assert (served / f"{name}.gz").stat().st_size <= 23_400
    # Nothing is packed that no page asks for.
    left = [path for path in served.rglob("*") if path.is_file() and path.name.split(".")[0] in ("portal", "htmx-2")]
    assert left == []


@pytest.mark.parametrize(
    ("template", "sheets"),
    [
        ("base.html", {"index": 11_000}),
        ("allauth/layouts/base.html", {"index": 11_000}),
        ("desk/base.html", {"index": 11_000, "desk": 4_000}),
    ],
)
def test_production_serves_each_sheet_as_one_hashed_file(template: str, sheets: dict[str, int], served: Path) -> None:
    for _ in range(2):  # a second start finds the bundle where the first one put it
        links = Markup(render_to_string(template)).all("link", rel="stylesheet")
        names = [one.attributes["href"].removeprefix("/static/") for one in links]
        for name, (sheet, most) in zip(names, sheets.items(), strict=True):
            assert re.fullmatch(rf"css/{sheet}\.[0-9a-f]{{12}}\.css", name)
            assert (served / name).read_text() == bundle_css(CSS / f"{sheet}.css")
            assert (served / f"{name}.gz").stat().st_size <= most
        call_command("collectstatic", interactive=False, verbosity=0)
