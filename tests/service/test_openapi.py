"""The service against its own OpenAPI document, by schemathesis with all its checks.

`SCHEMATHESIS_CASES` raises the number of cases of each run, and `SCHEMATHESIS_SEEDS` the number of seeds; `make
schemathesis` sets both, and sums them up.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.servers.basehttp import WSGIRequestHandler
from django.test import Client

from tests import factories
from tests.service import example_catalog
from tests.service.caller import Caller
from tests.service.operations import operations

CASES = int(os.environ.get("SCHEMATHESIS_CASES", "0"))
SEEDS = int(os.environ.get("SCHEMATHESIS_SEEDS", "1"))
FIGURES = os.environ.get("SCHEMATHESIS_FIGURES")
# Without being told otherwise, a few cases of every operation; their boundaries are left to the full run.
PHASES = "examples,coverage,fuzzing,stateful" if CASES else "fuzzing,stateful"
EXAMPLES = max(3, CASES // len(operations()))

# A body may have the right shape and still not be what this entity's form asks for, or lack what submitting needs:
# that is in the form schema, which no OpenAPI document can hold, and is answered 422. A file's bytes likewise, 415.
EXPECTED_WITH_RECORDS = ["2xx", "3xx", "401", "403", "404", "409", "415", "422", "429", "5xx"]


@pytest.fixture
def _unhindered(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """No rate limit, and no waiting of the small server for the client's acknowledgement of each header."""
    monkeypatch.setattr(WSGIRequestHandler, "disable_nagle_algorithm", True)
    settings.SERVICE_RATE_LIMIT = 10_000_000


@pytest.mark.django_db(databases=["service"], transaction=True)
@pytest.mark.long
@pytest.mark.usefixtures("_unhindered")
@pytest.mark.parametrize("with_records", [False, True], ids=["empty", "with-records"])
@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_the_service_keeps_its_own_document(
    caller: Caller, other_account: Caller, live_server: Any, tmp_path: Path, seed: int, with_records: bool
) -> None:
    # What the first account has read is asked for again as the second, which may see nothing of it.
    headers = {"ours": f"Bearer {caller.key}", "theirs": f"Bearer {other_account.key}"}
    users = [{"name": name, "fixedHeaders": [{"name": "Authorization", "value": headers[name]}]} for name in headers]
    (tmp_path / "users.json").write_text(json.dumps({"auth": users}))
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(_configuration(tmp_path / "users.json", records_to_aim_at(caller) if with_records else {}))
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        f"--config-file={configuration}",
        "run",
        f"{live_server.url}/api/v1/openapi.json",
        "--checks=all",
        f"--phases={PHASES}",
        f"--seed={seed}",
        f"--max-examples={EXAMPLES}",
        "--continue-on-failure",
        "--suppress-health-check=all",
        "--warnings=off",
        "--no-color",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    cases = sum(map(int, re.findall(r"(\d+) generated", done.stdout)[:1]))
    if FIGURES:
        failures = {kind: int(number) for kind, number in re.findall(r"(?m)^  ❌ ST\d+ (.+): (\d+)$", done.stdout)}
        with Path(FIGURES).open("a") as file:
            file.write(json.dumps({"seed": seed, "cases": cases, "failures": failures}) + "\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert cases >= CASES


def _configuration(users: Path, aims: dict[str, list[str]]) -> str:
    """Write what is not said on the command line. JSON's texts and lists are TOML's too.

    `aims` are values by parameter (`path.entity_id`, `body.party_id`) to try often.
    """
    lines = ["[auth.wfc]", f'path = {json.dumps(str(users))}\nuser = "ours"\npeers = ["ours", "theirs"]']
    for number, values in enumerate(aims.values()):
        lines += [f"[dictionaries.aim{number}]", f"values = {json.dumps(values)}"]
    if aims:
        lines.append("[parameters]")
        lines += [f'"{name}" = {{ dictionary = "aim{at}", probability = 0.8 }}' for at, name in enumerate(aims)]
        lines += ["[checks.positive_data_acceptance]", f"expected-statuses = {json.dumps(EXPECTED_WITH_RECORDS)}"]
    return "\n".join(lines) + "\n"


def records_to_aim_at(caller: Caller) -> dict[str, list[str]]:
    """Values for parameters, from entities that have one of everything."""
    made: dict[str, list[str]] = defaultdict(list)
    for number in range(20):
        entity = caller.entity(name=f"Company {number}")
        party, share_class = caller.person(entity, "shareholder", "director"), caller.share_class(entity)
        holding = caller.holding(entity, party, share_class)
        form = {"file": factories.upload(), "document_key": "Business plan"}
        document: Any = caller.upload(f"/entities/{entity}/documents", **form)
        made["entity_id"].append(entity)
        made["party_id"].append(party)
        made["share_class_id"].append(share_class)
        made["shareholding_id"].append(holding)
        made["document_id"].append(document.json()["data"]["id"])
    # Each event makes a row for each of them, and there may be twenty.
    made["webhook_id"] = [caller.webhook() for _ in range(10)]
    in_bodies = {
        "jurisdiction_product_id": [example_catalog.SHARES_PRODUCT, example_catalog.PLAIN_PRODUCT],
        "csp_form_schema_id": [example_catalog.SHARES_SCHEMA],
        "party_id": made["party_id"],
        "source_party_id": made["party_id"],
        "share_class_id": made["share_class_id"],
        "document_key": ["Business plan", "Passport"],
    }
    return {f"path.{name}": values for name, values in made.items()} | {
        f"body.{name}": values for name, values in in_bodies.items()
    }


@pytest.mark.django_db(databases=["service"])
def test_the_document_tells_of_every_route_with_its_problems_and_scopes(loaded: None) -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.status_code == 200, "without a key"
    routes = [
        (method.upper(), path, operation)
        for path, methods in answer.json()["paths"].items()
        for method, operation in methods.items()
    ]
    documented = {
        (method, path.removeprefix("/api/v1"), operation["operationId"]) for method, path, operation in routes
    }
    assert documented == set(operations())
    status = answer.json()["components"]["schemas"]["Problem"]["properties"]["status"]
    assert (status["minimum"], status["maximum"]) == (400, 599)
    page = Client().get("/api/v1/docs").content.decode()
    for method, path, operation in routes:
        statuses = {int(status) for status in operation["responses"]}
        assert {401, 403, 405, 429, 500, 503} <= statuses
        assert 404 in statuses or "{" not in path
        assert all(scopes["BearerKey"] for scopes in operation["security"])
        for status, response in operation["responses"].items():
            assert int(status) < 400 or list(response["content"]) == ["application/problem+json"]
        assert f"<b>{method}</b>" in page
        assert path in page
    schemas: dict[str, Any] = {}
    for method, path, operation in routes:
        for parameter in operation["parameters"]:
            schemas[f"{method} {path} {parameter['name']}"] = parameter["schema"]
        form = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data", {}).get("schema", {})
        for name, schema in form.get("properties", {}).items():
            schemas[f"{method} {path} {name}"] = schema
    # A parameter and a field of a form may be left out, and are never null.
    assert [name for name, schema in schemas.items() if "null" in json.dumps(schema)] == []
    upload = "POST /api/v1/entities/{entity_id}/documents"
    assert {schemas[f"{upload} {name}"]["type"] for name in ("document_key", "party_id", "scope")} == {"string"}
    party_type = schemas["GET /api/v1/entities/{entity_id}/parties party_type"]
    assert party_type["enum"] == ["person", "corporate", "foundation"]
