"""The workbench as an agent uses it: post what the page shows, with a few controls changed."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client

from tests.journeys.conftest import full_catalog
from tests.markup import Markup

__all__ = ["full_catalog"]

Show = Callable[..., str]


@pytest.fixture
def show(as_agent: Client) -> Show:
    def shown(schema: Any, controls: Mapping[str, Any] | None = None, *, status: int = 200) -> str:
        text = schema if isinstance(schema, str) else json.dumps(schema)
        answer = as_agent.post("/workbench/", {"schema": text, "show": "1", **(controls or {})})
        assert answer.status_code == status, answer.status_code
        html: str = answer.content.decode()
        assert Markup(html).faults == []
        return html

    return shown
