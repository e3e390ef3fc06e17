"""A key opens at the service what table.md says of its scopes, and nothing of another account."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import get_resolver
from django.utils import timezone

from formation_portal.service.auth import DEMO_KEY, SCOPES, create_key, ensure_demo_key
from formation_portal.service.models import ApiKey
from tests import factories
from tests.access.table import Row, section
from tests.access.world import undone
from tests.service.caller import Caller, forget_calls

pytestmark = pytest.mark.usefixtures("_quiet")

ROUTES, OPEN, KEYS = section("The service"), section("Open addresses of the service"), section("Keys of the service")


@pytest.fixture(scope="module")
def records(both_databases: None) -> dict[str, str]:
    """An entity of our account with one of everything, by the names in the paths."""
    with override_settings(DEMO=True):
        ensure_demo_key()
    forget_calls()
    ours = Caller.with_scopes(account="ours")
    entity = ours.entity(factories.ITEM["jurisdiction_product_id"], name="Larkfield Limited")
    party, share_class = ours.person(entity, "shareholder"), ours.share_class(entity)
    document: Any = ours.upload(f"/entities/{entity}/documents", file=_file(), document_key="Business plan")
    return {
        "entity_id": entity,
        "party_id": party,
        "share_class_id": share_class,
        "shareholding_id": ours.holding(entity, party, share_class),
        "document_id": document.json()["data"]["id"],
        "webhook_id": ours.webhook(),
    }


def path_of(row: Row) -> str:
    """Return the path of a row; what follows a comma is what its body says."""
    return row.name.partition(", ")[0]


def call(caller: Caller, row: Row, records: dict[str, str]) -> Any:
    """Call a route with a well-formed body, and undo what it does."""
    method, path = row["method"], path_of(row).format(**records)
    forget_calls()
    with undone():
        if method == "POST" and path.endswith("/documents"):
            response: Any = caller.upload(path, file=_file(), document_key="Business plan")
        else:
            body = _body(method, row.name, records)
            response = caller.call(method, path, body)
        response.body = b"".join(response)
    return response


def _file() -> SimpleUploadedFile:
    return SimpleUploadedFile("plan.pdf", b"%PDF-1.7\n")


def _body(method: str, path: str, records: dict[str, str]) -> Any:
    share_class = {"name": "B", "currency": "USD", "par_value": 2, "voting_rights": True, "dividend_rights": False}
    holding = {"party_id": records["party_id"], "share_class_id": records["share_class_id"], "shares_held": 7}
    bodies: dict[str, Any] = {
        "entities": {"jurisdiction_product_id": factories.ITEM["jurisdiction_product_id"]},
        "status, withdrawn": {"status": "withdrawn"},
        "status, in_review": {"status": "in_review"},
        "csp-data": {"csp_form_schema_id": factories.ITEM["schema"]["id"], "csp_data": {}},
        "reuse": {"source_party_id": records["party_id"], "roles": ["director"]},
        "parties": {"party_type": "person", "first_name": "Eve", "last_name": "Fox", "roles": ["director"]},
        "share-classes": share_class,
        "shareholdings": holding,
        "webhooks": {"url": "https://hooks.example.com/other", "events": ["party.added"]},
    }
    if method == "PATCH":
        return {"shares_held": 5} if "shareholding" in path else {}
    return bodies.get(path.rpartition("/")[2]) if method == "POST" else None


def test_every_route_is_in_the_table_once() -> None:
    def below(resolver: Any, prefix: str) -> list[str]:
        paths = []
        for entry in resolver.url_patterns:
            path = prefix + str(entry.pattern)
            paths += below(entry, path) if hasattr(entry, "url_patterns") else [path]
        return paths

    registered = {path for path in below(get_resolver(), "") if path.startswith("api/")}
    routes = {f"api/v1{path_of(row)}".replace("{", "<").replace("}", ">") for row in ROUTES}
    # The last two catch every path that is no route.
    assert registered == routes | {f"api/v1/{row.name}" for row in OPEN} | {"api/v1", "api/v1/<path:rest>"}


def test_a_route_takes_no_method_that_the_table_does_not_name(records: dict[str, str]) -> None:
    caller, wrong = Caller.with_scopes(account="ours"), []
    for path in {path_of(row) for row in ROUTES}:
        methods = {row["method"] for row in ROUTES if path_of(row) == path}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            forget_calls()
            status = caller.call(method, path.format(**records)).status_code
            if status != 405:
                wrong.append(f"{method} {path}: {status}")
    assert not wrong, "\n".join(wrong)


def test_each_scope_alone_opens_what_it_names(records: dict[str, str]) -> None:
    wrong = []
    for scope in (*SCOPES, "none"):
        caller = Caller(create_key(scopes=[scope] if scope in SCOPES else [], account="ours")[1])
        for row in ROUTES:
            response = call(caller, row, records)
            expected = int(row["status"]) if scope == row["scope"] else 403
            is_challenged = "insufficient_scope" in response.headers.get("WWW-Authenticate", "")
            if response.status_code != expected or is_challenged != (expected == 403):
                wrong.append(f"{row['method']} {row.name} with {scope}: {response.status_code}, not {expected}")
    assert not wrong, "\n".join(wrong)


def test_another_account_finds_nothing_of_ours(records: dict[str, str]) -> None:
    caller, wrong = Caller.with_scopes(account="theirs"), []
    for row in ROUTES:
        status, _, without = row["of another account"].partition(", ")
        response = call(caller, row, records)
        is_absent = not without or not any(key.encode() in response.body for key in records.values())
        if response.status_code != int(status) or not is_absent:
            wrong.append(f"{row['method']} {row.name}: {response.status_code}")
    assert not wrong, "\n".join(wrong)


@override_settings(DEMO=False)
def test_a_key_that_does_not_count_opens_nothing(records: dict[str, str]) -> None:
    now, wrong = timezone.now(), []
    revoked, expired = (create_key(scopes=SCOPES, account="ours") for _ in range(2))
    ApiKey.objects.filter(pk=revoked[0].pk).update(revoked_at=now)
    ApiKey.objects.filter(pk=expired[0].pk).update(expires_at=now)
    live = create_key(scopes=SCOPES, account="ours")[1]
    headers = {
        "none": "",
        "wrong": "Bearer sk_test_wrong",
        "not a bearer's": f"Basic {live}",
        "revoked": f"Bearer {revoked[1]}",
        "expired": f"Bearer {expired[1]}",
        "the demo's, without the demo": f"Bearer {DEMO_KEY}",
    }
    assert [row.name for row in KEYS] == [*headers]
    for key in KEYS:
        client = Client(headers={"Authorization": headers[key.name]})
        for row in ROUTES:
            response = client.generic(row["method"], f"/api/v1{path_of(row).format(**records)}")
            is_challenged = response.headers.get("WWW-Authenticate", "").startswith("Bearer")
            if response.status_code != int(key["answer"]) or not is_challenged:
                wrong.append(f"{row['method']} {row.name} with {key.name}: {response.status_code}")
    assert not wrong, "\n".join(wrong)


def test_the_documents_are_open_and_nothing_else_is_there(records: dict[str, str]) -> None:
    for row in OPEN:
        for method in ("GET", "POST"):
            assert Client().generic(method, f"/api/v1/{row.name}").status_code == int(row[method]), row.name
