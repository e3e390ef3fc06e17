"""Pages that ask a neutral form without the portal: the floor, the least HTML that holds it; and react-jsonschema-form.

The latter comes by npm into a scratch folder, bundled and minified by esbuild. Everything is packed by gzip at its
best and kept in memory, as a server would that has nothing else to do.
"""

import gzip
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.campaigns.bench.browser.neutral import Form, all_fields

_PACKAGES = (
    "@rjsf/core@6.11.1",
    "@rjsf/utils@6.11.1",
    "@rjsf/validator-ajv8@6.11.1",
    "react@19.3.1",
    "react-dom@19.3.1",
    "esbuild@0.25.12",
)
_MAIN = """
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import Form from "@rjsf/core";
import validator from "@rjsf/validator-ajv8";
const schema = JSON.parse(document.getElementById("schema").textContent);
createRoot(document.getElementById("app")).render(createElement(Form, { schema, validator }));
"""
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<title>{title}</title><link rel="icon" href="data:,">{more}</head><body><main>'
)
_INPUTS = {"number": "number", "date": "date", "phone": "tel", "boolean": "checkbox"}
_PARTS = {"address": ("street1", "city", "postcode", "country"), "money": ("amount", "currency")}


def floor_page(form: Form) -> str:
    """Labels and controls, shown and hidden by style alone."""
    body, rules = [], []
    for prefix, one in all_fields(form):
        name = prefix + one["id"]
        shown = one.get("show_if")
        mark = f' id="d-{name}"' if shown else ""
        if shown:
            rules.append(f"body:not(:has(#{prefix}{shown['field']}:checked)) #d-{name}{{display:none}}")
        body.append(f'<p{mark}><label for="{name}">{escape(one["label"])}</label> {_controls(form, name, one)}</p>')
    style = f"<style>label{{display:block}}{''.join(rules)}</style>"
    head = _HEAD.format(title=form["title"], more=style)
    return f"{head}<form>{''.join(body)}<button>Save</button></form></main></body></html>"


def _controls(form: Form, name: str, one: Mapping[str, Any]) -> str:
    parts = _PARTS.get(one["type"])
    if parts:
        kinds = [part if part in ("country", "currency") else "text" for part in parts]
        return " ".join(
            _controls(form, f"{name}-{part}" if at else name, {"type": kind})
            for at, (part, kind) in enumerate(zip(parts, kinds, strict=True))
        )
    if one["type"] in ("select", "multi_select", "country", "currency"):
        listed = {"country": "countries", "currency": "currencies"}.get(one["type"]) or one["options"]
        drawn = "".join(f'<option value="{value}">{escape(words)}' for value, words in form["option_sets"][listed])
        many = " multiple" if one["type"] == "multi_select" else ""
        return f'<select id="{name}" name="{name}"{many}><option value="">{drawn}</select>'
    if one["type"] == "textarea":
        return f'<textarea id="{name}" name="{name}"></textarea>'
    return f'<input id="{name}" name="{name}" type="{_INPUTS.get(one["type"], "text")}">'


def json_schema(form: Form) -> dict[str, Any]:
    """The same as a JSON Schema; what follows from an answer stands in its `dependencies`, as the library documents."""
    properties: dict[str, Any] = {}
    followers: dict[str, dict[str, Any]] = {}
    for prefix, one in all_fields(form):
        name = prefix + one["id"]
        if shown := one.get("show_if"):
            followers.setdefault(prefix + shown["field"], {})[name] = _property(one)
        else:
            properties[name] = _property(one)
    dependencies = {
        name: {"oneOf": [{"properties": {name: {"const": False}}}, {"properties": {name: {"const": True}} | following}]}
        for name, following in followers.items()
    }
    definitions = {
        name: {"type": "string", "oneOf": [{"const": value, "title": words} for value, words in options]}
        for name, options in form["option_sets"].items()
    }
    whole = {"title": form["title"], "type": "object", "definitions": definitions}
    return whole | {"properties": properties, "dependencies": dependencies}


def _property(one: Mapping[str, Any]) -> dict[str, Any]:
    kind, text = one["type"], {"type": "string"}
    said = {"title": one["label"]} | ({"description": one["help"]} if one.get("help") else {})
    if kind in ("select", "country"):
        return said | {"$ref": f"#/definitions/{one.get('options', 'countries')}"}
    if kind == "multi_select":
        return said | {"type": "array", "uniqueItems": True, "items": {"$ref": f"#/definitions/{one['options']}"}}
    if kind in _PARTS:
        parts = {part: text | {"title": part.capitalize()} for part in _PARTS[kind]}
        for part, name in (("country", "countries"), ("currency", "currencies")):
            if part in parts:
                parts[part] = {"title": part.capitalize(), "$ref": f"#/definitions/{name}"}
        return said | {"type": "object", "properties": parts}
    if kind in ("boolean", "number"):
        return said | {"type": kind}
    return said | text | ({"format": "date"} if kind == "date" else {})


def rjsf_page(form: Form) -> str:
    schema = json.dumps(json_schema(form)).replace("<", "\\u003c")
    return (
        f'{_HEAD.format(title=form["title"], more="")}<div id="app"></div></main>'
        f'<script type="application/json" id="schema">{schema}</script><script src="/rjsf.js"></script></body></html>'
    )


def rjsf_bundle(folder: Path) -> bytes:
    """The library with what it needs, installed into the folder where it isn't there yet."""
    bundle = folder / "rjsf.js"
    if not bundle.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}')
        (folder / "main.js").write_text(_MAIN)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *_PACKAGES], cwd=folder, check=True)
        options = ["--bundle", "--minify", '--define:process.env.NODE_ENV="production"', "--outfile=rjsf.js"]
        subprocess.run(["npx", "esbuild", "main.js", "--log-level=error", *options], cwd=folder, check=True)
    return bundle.read_bytes()


@contextmanager
def served_files(files: Mapping[str, bytes]) -> Iterator[str]:
    """Serve these files, by path, on a loopback port; gives the address."""
    packed = {path: gzip.compress(content) for path, content in files.items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            content = packed.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Cache-Control", "max-age=3600")
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            """A bench prints figures alone."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
