"""A base address is plain HTTP to one host, or it is refused at start with a reason."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.gateway import configuration, service
from formation_portal.gateway.catalog import forget
from formation_portal.gateway.configuration import address_error, check_service, is_unencrypted
from formation_portal.gateway.errors import NotConfigured
from formation_portal.gateway.transports.network import Timeouts

HOSTILE = [
    "ftp://formation.example",
    "javascript:alert(1)",
    "//formation.example",
    "formation.example",
    "",
    "https:///path",
    "https://user@formation.example",
    "https://formation.example/?",
    "https://formation.example/#",
    "https://formation.example\\@elsewhere.example",
    "https://formation.example /x",
    "https://formation.example\r\nHost: elsewhere.example",
    "https://formation.example:0",
    "https://formation.example:99999",
    "https://formation.example:",
    "https://formation.example.",
    "https://formation..example",
    "https://-formation.example",
    "https://2130706433",
    "https://0177.0.0.1",
    "https://127.1",
    "https://0.0.0.0",
    "https://[::ffff:127.0.0.1]",
    "https://[2002:7f00:1::]",
    "https://[fe80::1%25eth0]",
    "https://[",
    "https://169.254.169.254",
    "https://224.0.0.1",
    "https://255.255.255.255",
    "https://formation.example/api/v1",
    "https://formation.example/api",
    "https://formation.example/a/../b",
    "https://formation.example//b",
    "https://formation.example/%2e%2e/b",
    "https://formätion.example",
    "https://" + "a" * 64 + ".example",
    "https://" + "a." * 130 + "example",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_is_refused(url: str) -> None:
    assert address_error(url)


@pytest.mark.parametrize(
    ("url", "exposed"),
    [
        ("https://formation.example/", False),
        ("https://formation.example:8443/formation", False),
        ("https://10.0.0.7", False),
        ("https://xn--formtion-4za.example", False),
        ("http://localhost:8001", False),
        ("http://127.0.0.9", False),
        ("http://[::1]:8001", False),
        ("http://formation_service:8000", True),
        ("http://10.0.0.7", True),
    ],
)
def test_a_plain_address_is_taken_and_plain_http_exposed_unless_it_stays_on_the_machine(
    url: str, exposed: bool
) -> None:
    assert address_error(url) == ""
    assert is_unencrypted(url) is exposed


@pytest.mark.parametrize(
    ("url", "key", "ids"),
    [
        ("", "sk_live_x", ["gateway.W001"]),
        ("https://formation.example", "sk_live_x", []),
        ("http://formation.example", "sk_live_x", ["gateway.W002"]),
        ("ftp://formation.example", "sk_live_x", ["gateway.E001"]),
        ("https://formation.example", "", ["gateway.E002"]),
        ("https://formation.example", "sk_live\n", ["gateway.E003"]),
        ("https://formation.example", "ä", ["gateway.E003"]),
    ],
)
def test_the_start_says_what_is_wrong_with_the_settings(settings: Any, url: str, key: str, ids: list[str]) -> None:
    settings.FORMATION_SERVICE_URL = url
    settings.FORMATION_SERVICE_KEY = key
    messages = check_service()
    assert [message.id for message in messages] == ids
    assert not any(key and key in message.msg for message in messages)
    if ids in (["gateway.E001"], ["gateway.E003"]):
        with pytest.raises(NotConfigured):
            service()


def test_the_embedded_services_key_is_read_for_every_call(settings: Any, tmp_path: Path) -> None:
    settings.FORMATION_SERVICE_URL = ""
    settings.DATA_DIR = tmp_path
    forget()
    read_key = service()._records.call.__self__._read_key  # type: ignore[attr-defined]
    assert read_key() == ""
    (tmp_path / "portal-service-key").write_text("sk_live_x\n")
    assert read_key() == "sk_live_x"
    forget()


def test_each_limit_of_a_call_is_the_setting_of_that_name(settings: Any) -> None:
    numbers = {"connect_timeout": 1, "read_timeout": 2, "call_timeout": 3, "upload_timeout": 4}
    sizes = {"catalog_limit_mib": 5, "answer_limit_mib": 6}
    settings.ENV = settings.ENV.model_copy(update=numbers | sizes)
    configuration.forget()
    limits = service()._limits
    configuration.forget()
    assert limits.timeouts == Timeouts(connect=1, read=2, whole=3)
    assert limits.upload_timeouts == Timeouts(connect=1, read=4, whole=4)
    assert (limits.catalog_bytes, limits.answer_bytes) == (5 * 1024 * 1024, 6 * 1024 * 1024)
