"""A client with a key, as any other program would be one."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.service.auth import SCOPES, create_key
from tests.service import example_catalog


class Caller:
    """Speaks JSON to /api/v1 with one key; knows nothing of the service's Python."""

    def __init__(self, key: str) -> None:
        self.key = key
        self._client = Client(headers={"Authorization": f"Bearer {key}"})

    @classmethod
    def with_scopes(cls, *scopes: str, account: str = "") -> "Caller":
        _, key = create_key(scopes=scopes or SCOPES, account=account)
        return cls(key)

    def send(self, path: str, body: bytes, *, content_type: str = "application/json") -> Any:
        """Post bytes as they are."""
        return self._client.generic("POST", f"/api/v1{path}", body, content_type=content_type)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._client.generic(
            method,
            f"/api/v1{path}",
            b"" if body is None else json.dumps(body).encode(),
            content_type="application/json",
            headers=named,
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, {} if body is None else body, **headers)

    def patch(self, path: str, body: Any) -> Any:
        return self.call("PATCH", path, body)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)

    def queries_of(self, path: str) -> int:
        """How many queries a GET costs the service's database, once what it reads once is read."""
        self.get(path)
        with CaptureQueriesContext(connections["service"]) as captured:
            self.get(path)
        return len(captured)

    def upload(self, path: str, **form: Any) -> HttpResponse:
        headers = {"Idempotency-Key": form.pop("idempotency_key")} if "idempotency_key" in form else {}
        return self._client.post(f"/api/v1{path}", form, headers=headers)  # type: ignore[return-value]

    def made(self, path: str, body: Any, name: str = "id") -> str:
        """Make something by a POST; return its id."""
        answer = self.post(path, body)
        assert answer.status_code == 201, answer.content
        return str(answer.json()["data"][name])

    def entity(self, product: str = example_catalog.SHARES_PRODUCT, **properties: Any) -> str:
        return self.made("/entities", {"jurisdiction_product_id": product, **properties})

    def person(self, entity: str, *roles: str, **properties: Any) -> str:
        named = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", **properties}
        return self.made(f"/entities/{entity}/parties", {"roles": roles, **named}, "party_id")

    def share_class(self, entity: str, name: str = "Ordinary") -> str:
        return self.made(f"/entities/{entity}/share-classes", ordinary(name))

    def holding(self, entity: str, party: str, share_class: str, shares: int = 100) -> str:
        body = {"party_id": party, "share_class_id": share_class, "shares_held": shares}
        return self.made(f"/entities/{entity}/shareholdings", body)

    def webhook(self, url: str = "https://hooks.example.com/in", *events: str) -> str:
        return self.made("/webhooks", {"url": url, "events": events or ["party.added"]})

    def answers(self, entity: str, scope: str = "", scope_id: str = "", /, **csp_data: Any) -> Any:
        """Answer questions of the company with shares, of a party of it ("party") or of a class ("share_class")."""
        answers = {f"bvi.{key}": value for key, value in csp_data.items()}
        of = {"scope": scope, f"{scope}_id": scope_id} if scope else {}
        body = {"csp_form_schema_id": example_catalog.SHARES_SCHEMA, "csp_data": answers}
        return self.post(f"/entities/{entity}/csp-data", body | of)


def forget_calls() -> None:
    """Begin with the whole rate of every key."""
    Path(settings.SERVICE_RATE_FILE).unlink(missing_ok=True)


def ordinary(name: str = "Ordinary") -> dict[str, Any]:
    return {"name": name, "currency": "USD", "par_value": 1, "voting_rights": True, "dividend_rights": False}


def problem(answer: Any, status: int, code: str, *places: str) -> dict[str, Any]:
    """The answer's problem, which has the status and the code, and points at these places if some are named."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert not places or tuple(pointers(answer)) == places
    return body


def pointers(answer: Any) -> list[str]:
    return [error["pointer"] for error in answer.json()["errors"]]
