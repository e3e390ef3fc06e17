"""One tab of each engine for a module."""

from collections.abc import Iterator

import pytest

from tests.journeys.engines.drivers import FIREFOX, Engine, Firefox, WebKit, has_webkit
from tests.needed import needed

# Each stays in one process of a run: it takes seconds to start.
WEBKIT = pytest.param(
    WebKit,
    id="webkit",
    marks=[needed("WebKitGTK", has_webkit()), pytest.mark.xdist_group("webkit")],
)
FIREFOX_ESR = pytest.param(
    Firefox, id="firefox", marks=[needed("Firefox", bool(FIREFOX)), pytest.mark.xdist_group("firefox")]
)


@pytest.fixture(scope="module", params=[WEBKIT, FIREFOX_ESR])
def engine(request: pytest.FixtureRequest, site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with request.param.started(site, tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture(autouse=True)
def _wide_page_without_errors(engine: Engine) -> Iterator[None]:
    engine.set_width(1280)
    yield
    assert engine.console_errors() == []
