"""Settings come from the environment, and a wrong one says what is wrong with it."""

import os
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import pytest

from formation_portal.environment import Environment, misspelled_settings, read_environment
from tests.documents.older_kernels import run_without_landlock

# What none of these settings can mean, and none may repeat.
WRONG = "a-secret-put-in-the-wrong-place"
# Any text may be one of these. What depends on others is told by Django's checks and at the start of the server.
ANY_TEXT = {
    "audit_key",
    "host",
    "secret_key",
    "allowed_hosts",
    "mail_from",
    "operator_name",
    "formation_service_url",
    "formation_service_key",
    "webhook_secret",
    "metrics_token",
    "audit_anchor",
    "data_dir",
}
KEY = b64encode(bytes(range(32))).decode()
STRONG = "k3y-9f2c7d81a4b65e0f" * 3
IN_PUBLIC = {"HOST": "0.0.0.0", "DEMO": "false", "SECURE_COOKIES": "true"}


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Environment.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def stopped(monkeypatch: pytest.MonkeyPatch, **settings: str) -> list[str]:
    """The lines that a start with these settings ends with, after the first, which says that it ends."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as stop:
        read_environment()
    return str(stop.value).splitlines()[1:]


def test_a_setting_is_read_with_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "9000")
    monkeypatch.setenv("DEMO", "false")
    monkeypatch.setenv("LOG_LEVEL", "warning")
    environment = read_environment()
    assert (environment.port, environment.demo, environment.log_level) == (9000, False, "WARNING")


def test_a_help_desk_is_invented_in_the_demo_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def help_desk() -> tuple[str, str, str, int]:
        environment = read_environment()
        return (
            environment.help_email,
            environment.help_telephone,
            environment.help_hours,
            environment.help_reply_days,
        )

    examples = ("help@formation-portal.example", "020 7946 0123", "Mo-Fr 08:00-18:00 Europe/London", 1)
    assert help_desk() == examples
    monkeypatch.setenv("HELP_EMAIL", "hello@kite.example")
    monkeypatch.setenv("HELP_TELEPHONE", "")
    assert help_desk() == ("hello@kite.example", "", *examples[2:])
    monkeypatch.setenv("DEMO", "false")
    assert help_desk() == ("hello@kite.example", "", "", 0)


@pytest.mark.parametrize("name", sorted(set(Environment.model_fields) - ANY_TEXT))
def test_a_wrong_setting_is_one_line_with_its_name_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    [line] = stopped(monkeypatch, **{name.upper(): WRONG})
    assert line.startswith(f"{name.upper()}: ")
    assert "secret" not in line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOG_LEVEL", "verbose"),
        ("METRICS_TOKEN", "secret"),
        ("DATABASE_URL", "postgres://user:secret@host:port/name"),
        ("SERVICE_DATABASE_URL", "mysql://user:secret@host/name"),
        ("CACHE_URL", "redis://:secret@host:port/0"),
        ("PORT", "70000"),
        ("WEB_PROCESSES", "-1"),
        ("PORTAL_URL", "http://["),
        ("TRUSTED_ORIGINS", "https://portal.example, portal.example"),
        ("CATALOG_LANGUAGE", "klingon"),
        ("TIME_ZONE", "EST"),
        ("TIME_ZONE", "/etc/passwd"),
        ("PDF_FONTS", "/nowhere/at/all"),
        ("DATA_DIR", "/dev/null/below"),
        ("EMAIL_URL", "mail.example"),
        ("EMAIL_URL", "http://u:secret@mail.example"),
        ("EMAIL_URL", "smtp://"),
        ("EMAIL_URL", "file:here"),
        ("STORAGE_URL", "https://key:secret@bucket"),
        ("STORAGE_URL", "s3://Bucket"),
        ("STORAGE_URL", "s3://key@bucket"),
        ("STORAGE_URL", "s3://key:secret@bucket:9000"),
        ("STORAGE_URL", "s3://key:secret@bucket/../other"),
        ("STORAGE_URL", "s3://key:secret@bucket?endpoint=https://s3.example:port"),
        ("STORAGE_URL", "s3://key:secret@bucket?zone=secret"),
        ("STORAGE_URL", "s3://key:sec/ret@bucket"),
        ("STORAGE_URL", "s3://[secret"),
    ],
)
def test_what_a_setting_cannot_be(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    [line] = stopped(monkeypatch, **{name: value})
    assert line.startswith(f"{name}: ")
    # The example of a bucket's address has the word.
    assert "secret" not in line.replace("key and its secret, like s3://key:secret@BUCKET", "")


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"SECRET_KEY": "x" * 80}, ["SECRET_KEY"]),
        ({"HOST": "portal.example", "DEBUG": "true"}, ["DEBUG"]),
        ({"DEMO": "true", "DEBUG": "true", "SECURE_COOKIES": "false"}, ["DEMO", "DEBUG", "SECURE_COOKIES"]),
        ({"DEMO": "true", "DEMO_ANYWHERE": "true", "DEBUG": "true"}, ["DEBUG"]),
        ({"AUDIT_KEY": f"{STRONG} short"}, ["AUDIT_KEY"]),
        ({"SECRETS_KEY": f"{KEY} {b64encode(bytes(32)).decode()}"}, ["SECRETS_KEY"]),
        ({"WEBHOOK_SECRET": f"whsec_{b64encode(b'x').decode()}"}, ["WEBHOOK_SECRET"]),
        ({"WEBHOOK_SECRET": "swordfish", "WEBHOOK_SCHEME": "plain"}, ["WEBHOOK_SECRET"]),
        ({"METRICS_TOKEN": "x" * 40}, ["METRICS_TOKEN"]),
    ],
)
def test_what_must_not_be_where_others_can_connect(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], names: list[str]
) -> None:
    assert [line.partition(":")[0] for line in stopped(monkeypatch, **IN_PUBLIC | settings)] == names


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"PORTAL_URL": "https://portal.example"}, ["DEMO", "SECURE_COOKIES"]),
        ({"ALLOWED_HOSTS": "portal.example, localhost"}, ["DEMO", "SECURE_COOKIES"]),
        ({"ALLOWED_HOSTS": ".example", "DEMO": "false"}, ["SECURE_COOKIES"]),
    ],
)
def test_a_host_behind_a_proxy_on_this_machine_is_public_too(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], names: list[str]
) -> None:
    assert [line.partition(":")[0] for line in stopped(monkeypatch, **settings)] == names


POSTGRES = {"DATABASE_URL": "postgres://portal:geheim-4711@db.example/portal"}
OWN_KEYS = {"SECRET_KEY": STRONG, "AUDIT_KEY": STRONG[::-1], "FIELD_KEYS": KEY}


@pytest.mark.parametrize(
    "settings",
    [
        POSTGRES,
        {"STORAGE_URL": "s3://key:geheim-4711@bucket"},
        *({**POSTGRES, **OWN_KEYS, missing: ""} for missing in OWN_KEYS),
    ],
)
def test_postgresql_or_a_bucket_without_keys_for_all_nodes_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    [line] = stopped(monkeypatch, **settings)
    assert line.startswith("SECRETS_KEY: is not set")
    assert "openssl rand -base64 32" in line
    assert "geheim" not in line


@pytest.mark.parametrize(
    "settings",
    [
        {**POSTGRES, "SECRETS_KEY": KEY},
        {**POSTGRES, **OWN_KEYS},
        {"STORAGE_URL": "s3://bucket", "SECRETS_KEY": KEY},
        {"DATABASE_URL": "sqlite:////srv/portal.sqlite3"},
    ],
)
def test_keys_for_all_nodes_let_it_start(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert read_environment().secrets_key == settings.get("SECRETS_KEY", "")


def test_without_the_demo_nothing_weak_is_taken_on_one_machine_either(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = {"DEBUG": "true", "SECRET_KEY": "x", "AUDIT_KEY": "x", "METRICS_TOKEN": "x" * 40}
    lines = stopped(monkeypatch, HOST="localhost", DEMO="false", **weak)
    assert [line.partition(":")[0] for line in lines] == ["DEBUG", "SECRET_KEY", "AUDIT_KEY", "METRICS_TOKEN"]


def test_a_folder_of_fonts_that_cannot_be_read_is_named_as_wrong(tmp_path: Path) -> None:
    """By somebody else than root, who reads all."""
    (tmp_path / "closed/fonts").mkdir(parents=True)
    (tmp_path / "closed").chmod(0o000)
    tmp_path.chmod(0o755)
    if (child := os.fork()) == 0:
        with suppress(ValueError):
            if os.getuid() == 0:
                os.setresuid(12345, 12345, 12345)
            with suppress(PermissionError):
                Environment._is_a_folder(str(tmp_path / "closed/fonts"))
            os._exit(1)
        os._exit(7)
    status = os.waitpid(child, 0)[1]
    (tmp_path / "closed").chmod(0o700)
    assert os.waitstatus_to_exitcode(status) == 7


READ = "from formation_portal.environment import read_environment; read_environment()"


@pytest.mark.parametrize("settings", [{"DEMO": "false"}, IN_PUBLIC])
def test_a_kernel_without_landlock_stops_the_start(settings: dict[str, str], tmp_path: Path) -> None:
    stop = run_without_landlock(READ, DATA_DIR=str(tmp_path), **settings)
    assert stop.returncode == 1
    assert [line.partition(",")[0] for line in stop.stderr.splitlines()] == [
        "Some settings are wrong.",
        "UPLOADS_UNCONFINED: this kernel has no Landlock",
    ]


@pytest.mark.parametrize("settings", [{"DEMO": "true"}, IN_PUBLIC | {"UPLOADS_UNCONFINED": "true"}])
def test_without_landlock_the_demo_starts_and_who_takes_the_risk(settings: dict[str, str], tmp_path: Path) -> None:
    start = run_without_landlock(READ, DATA_DIR=str(tmp_path), **settings)
    assert (start.returncode, start.stderr) == (0, "")


@pytest.mark.parametrize(
    "settings",
    [
        IN_PUBLIC
        | {"AUDIT_KEY": STRONG, "SECRETS_KEY": KEY, "METRICS_TOKEN": STRONG, "WEBHOOK_SECRET": f"whsec_{KEY}"},
        IN_PUBLIC | {"PORTAL_URL": "https://portal.example", "ALLOWED_HOSTS": "portal.example"},
        {"HOST": "localhost", "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]", "PORTAL_URL": "http://[::1]:8000"},
        IN_PUBLIC | {"DEMO": "true", "DEMO_ANYWHERE": "true"},
        {"HOST": "localhost", "SECRET_KEY": "x", "DEBUG": "true"},
        {"HOST": "127.0.0.2"},
    ],
)
def test_what_may_be(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert read_environment().host == settings["HOST"]


def test_a_misspelt_setting_is_named_with_the_one_that_is_meant() -> None:
    names = ["ALLOWED_HOST", "DATABSE_URL", "LOGLEVEL", "SECURE_COOKIE", "PORT", "HOSTNAME", "PATH", "HOME", "DEBUGGER"]
    assert misspelled_settings(names) == {
        "ALLOWED_HOST": "ALLOWED_HOSTS",
        "DATABSE_URL": "DATABASE_URL",
        "LOGLEVEL": "LOG_LEVEL",
        "SECURE_COOKIE": "SECURE_COOKIES",
    }


def test_a_folder_for_data_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "a/b"))
    assert read_environment().data_dir.is_dir()
