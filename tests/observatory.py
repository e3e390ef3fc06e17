"""`make observatory`: what Mozilla's HTTP Observatory and Google's CSP Evaluator say of five kinds of pages over HTTPS.

The portal serves behind nginx as operators have it (deploy/nginx.conf), with a certificate made here. Both judges come
by npm, without their install steps, and ask nobody else: the list of hosts that browsers know to be HTTPS-only is empty
here, which costs points that only a listed host gets. Lines of `name value`; exit 1 where a page has less than 130, or
where the evaluator has a finding.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from tests.journeys.clients import HttpBrowser
from tests.journeys.page_states.screenshots import PASSWORD, Story
from tests.management.served import READY, Served, free_port
from tests.nginx import PROGRAM, Nginx, running_nginx

_PACKAGES = ("@mdn/mdn-http-observatory@1.4.8", "csp_evaluator@1.1.8")
_GOAL = 130
_SETTINGS = {"SECURE_COOKIES": "true", "TRUSTED_PROXIES": "127.0.0.1/32", "WEB_PROCESSES": "1", "LOG_LEVEL": "ERROR"}
# Reads pages from standard input, and writes score and findings of each. Other statuses than 2xx and 3xx are no page to
# the Observatory's own command, so its parts are put together here.
_JUDGE = """
import { ALL_TESTS } from "@mdn/mdn-http-observatory/src/constants.js";
import { getScoreModifier } from "@mdn/mdn-http-observatory/src/grader/grader.js";
import { MINIMUM_SCORE_FOR_EXTRA_CREDIT } from "@mdn/mdn-http-observatory/src/grader/charts.js";
import { retrieve } from "@mdn/mdn-http-observatory/src/retriever/retriever.js";
import evaluating from "csp_evaluator/dist/evaluator.js";
import parsing from "csp_evaluator/dist/parser.js";

const { ports, pages } = JSON.parse(await new Response(process.stdin).text());
const judged = {};
for (const [name, { path, cookie }] of Object.entries(pages)) {
  const headers = ["Accept: text/html", ...(cookie ? [`Cookie: ${cookie}`] : [])];
  const found = await retrieve("127.0.0.1", { ...ports, path, headers });
  const results = ALL_TESTS.map((test) => test(found)).map((one) => [one.constructor.name, one.result]);
  const modifiers = results.map(([test, result]) => [test, result, getScoreModifier(result)]);
  const sum = (wanted) => modifiers.reduce((total, [, , points]) => total + (wanted(points) ? points : 0), 100);
  const plain = sum((points) => points < 0);
  const { status, headers: said } = found.responses.auto;
  const policy = new parsing.CspParser(said["content-security-policy"] ?? "").csp;
  judged[name] = {
    status,
    score: plain >= MINIMUM_SCORE_FOR_EXTRA_CREDIT ? sum(() => true) : plain,
    lost: modifiers.filter(([, , points]) => points < 0),
    findings: new evaluating.CspEvaluator(policy).evaluate().map((one) => `${one.directive}: ${one.description}`),
  };
}
process.stdout.write(JSON.stringify(judged));
"""


def main() -> int:
    """The exit code."""
    missing = [name for name in ("npm", "node", "openssl") if not which(name)] + ([] if PROGRAM else ["nginx"])
    if missing:
        sys.stdout.write(f"not run: {missing[0]} is not installed\n")
        return 0
    folder = Path(os.environ.get("BENCH_FOLDER", tempfile.gettempdir())) / "formation-portal-observatory"
    if not _install(folder):
        sys.stdout.write("not run: npm can't get the Observatory\n")
        return 0
    with _portal() as nginx:
        judged = _judge(folder, nginx, _pages(nginx))
    failed = False
    for name, one in judged.items():
        sys.stdout.write(f"{name}_status {one['status']}\n{name}_observatory {one['score']}\n")
        sys.stdout.write(f"{name}_csp_findings {len(one['findings'])}\n")
        sys.stdout.writelines(f"{name}_lost {test} {result} {points}\n" for test, result, points in one["lost"])
        sys.stdout.writelines(f"{name}_finding {finding}\n" for finding in one["findings"])
        failed |= one["score"] < _GOAL or bool(one["findings"])
    return int(failed)


def _install(folder: Path) -> bool:
    """Whether npm has, or has got, what judges."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    (folder / "judge.js").write_text(_JUDGE)
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", *_PACKAGES]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=300)
    lists = folder / "node_modules/@mdn/mdn-http-observatory/conf"
    if done.returncode or not lists.is_dir():
        return False
    # What its install step would fetch.
    (lists / "hsts-preload.json").write_text("{}")
    (lists / "tld-list.json").write_text("[]")
    return True


@contextmanager
def _portal() -> Iterator[Nginx]:
    with tempfile.TemporaryDirectory() as scratch:
        served = Served(Path(scratch) / "data", free_port(), _SETTINGS).start()
        served.until(READY)
        try:
            with running_nginx(Path(scratch) / "nginx", (served.port, served.port)) as nginx:
                yield nginx
        finally:
            served.end()


def _pages(nginx: Nginx) -> dict[str, dict[str, str]]:
    """Path and cookies of each kind of page. Those for whom no cookie is named have none yet."""
    customer, agent = (_signed_in(nginx, email) for email in ("demo@example.com", "agent@example.com"))
    story = Story(customer, agent)
    shots = {shot.name: shot for shot in (*story.halfway(), *story.complete(), *story.submitted())}
    case = next(address for _, address in agent.get("/desk/").links() if address.startswith("/desk/FP-"))
    overview = shots["overview-complete"].address
    cookies = [_cookies(one) for one in (customer, agent)]
    return {
        "sign-in": {"path": "/accounts/login/", "cookie": ""},
        "form": {"path": shots["section"].address, "cookie": cookies[0]},
        "review": {"path": case, "cookie": cookies[1]},
        "error": {"path": "/there-is-no-such-page/", "cookie": ""},
        "download": {"path": f"{overview}record.json", "cookie": cookies[0]},
    }


def _signed_in(nginx: Nginx, email: str) -> HttpBrowser:
    assert nginx.tls is not None
    browser = HttpBrowser(nginx.base)
    browser.session.trust_env, browser.session.verify = False, str(nginx.tls.certificate)
    browser.session.headers["Origin"] = nginx.base
    form = browser.get("/accounts/login/").form(button="Sign in")
    form.control("E-mail").filled = [email]
    form.control("Password").filled = [PASSWORD]
    browser.send(form, form.button("Sign in"))
    return browser


def _cookies(browser: HttpBrowser) -> str:
    return "; ".join(f"{name}={value}" for name, value in browser.session.cookies.items())


def _judge(folder: Path, nginx: Nginx, pages: dict[str, dict[str, str]]) -> dict[str, Any]:
    assert nginx.tls is not None
    given = {"ports": {"httpPort": nginx.plain_port, "httpsPort": nginx.port}, "pages": pages}
    trusted = os.environ | {"NODE_EXTRA_CA_CERTS": str(nginx.tls.certificate)}
    done = subprocess.run(
        ["node", "judge.js"],
        cwd=folder,
        input=json.dumps(given),
        env=trusted,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    )
    judged: dict[str, Any] = json.loads(done.stdout)
    return judged


if __name__ == "__main__":
    sys.exit(main())
