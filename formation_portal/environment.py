"""Every setting that an operator may change, read from the environment."""

import difflib
import os
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from babel import Locale, UnknownLocaleError
from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from formation_portal.core.databases import database_settings
from formation_portal.core.networks import parse_networks
from formation_portal.core.nodes.secret_store import parse_keys
from formation_portal.core.operator import LOGO_TYPES, parse_hours
from formation_portal.core.servers.server_urls import cache_settings, clamd_address, mail_settings
from formation_portal.core.storage import storage_settings
from formation_portal.core.time_zones import zone_names
from formation_portal.unsafe_settings import is_public, missing_keys, unsafe_settings

PROJECT = Path(__file__).resolve().parent.parent
# The version in pyproject.toml, a file that the container image lacks.
VERSION = "0.1.0"
# The minimum length of METRICS_TOKEN.
_TOKEN_CHARACTERS = 20
# The similarity of a misspelled name: one letter too many, missing or wrong, but not HOSTNAME for HOST.
_ALIKE = 0.85
# The codes of reviews.models.ScreeningKind.
_SCREENING = ("sanctions", "pep", "register", "adverse_media")
# The characters of a name that fit into the masthead, and the largest size of a logo.
_NAME_LIMIT = 60
_LOGO_BYTES = 100_000
# An example for the demo: nobody answers there.
_DEMO_HELP = {
    "help_email": "help@formation-portal.example",
    "help_telephone": "020 7946 0123",
    "help_hours": "Mo-Fr 08:00-18:00 Europe/London",
    "help_reply_days": 1,
}
# Parsers that raise a ValueError for a wrong text.
_PARSERS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("database_url", "service_database_url"), partial(database_settings, default_path=Path("unused"))),
    **dict.fromkeys(("secrets_key", "field_keys"), parse_keys),
    **dict.fromkeys(("trusted_proxies", "webhook_targets"), parse_networks),
    "cache_url": cache_settings,
    "clamd_url": clamd_address,
    "email_url": mail_settings,
    "help_hours": parse_hours,
    "storage_url": storage_settings,
}
# The patterns of settings, and the message for a text that doesn't match.
_PATTERNS = {
    "help_email": (r"[^\s@<>,]+@[^\s@<>,]+", "should be an e-mail address"),
    "help_telephone": (
        r"[+(]?[0-9][0-9 ()./\u00a0-]{2,30}",
        "should be a telephone number, like +44 20 7946 0123",
    ),
    "metrics_token": (
        rf"[!-~]{{{_TOKEN_CHARACTERS},}}",
        f"should be at least {_TOKEN_CHARACTERS} letters, digits and signs, without spaces",
    ),
    "operator_accent": (r"#[0-9a-fA-F]{6}", "should be a colour like #12515b"),
}


class Environment(BaseSettings):
    """The operator's settings. A wrong value stops the start with the setting's name and the reason."""

    model_config = SettingsConfigDict(env_file=None, extra="ignore")

    data_dir: Path = Field(PROJECT / "var", description="Folder for databases, uploads and secrets.")
    static_dir: str = Field(
        "", description="Folder of static files that were collected beforehand. Empty: made in DATA_DIR at each start."
    )
    host: str = Field("127.0.0.1", description="Address that `make run` listens on; 0.0.0.0 means all.")
    port: int = Field(8000, ge=1, le=65_535, description="Port that `make run` listens on.")
    web_processes: int = Field(
        0,
        ge=0,
        le=256,
        description="Number of web processes, each with eight threads, as far as the memory limit has room for them. "
        "0: one per core.",
    )
    drain_seconds: float = Field(
        0, ge=0, le=600, description="Seconds that a web server goes on serving after SIGTERM, no longer ready."
    )
    demo: bool = Field(
        True, description="Creates demo accounts and a demo key. Turn it off if anyone else can reach the portal."
    )
    demo_anywhere: bool = Field(
        False, description="Allows the demo where HOST lets others connect, though everyone knows its passwords."
    )
    workbench: Literal["auto", "yes", "no"] = Field(
        "auto", description="Whether agents can try out schemas at /workbench/: yes, no or auto (in the demo)."
    )
    debug: bool = Field(
        False, description="Shows Django's debug pages. Never turn it on if anyone else can reach the portal."
    )
    audit_key: str = Field("", description="Keys the audit's digests. Empty: made once and kept in DATA_DIR.")
    secret_key: str = Field("", description="Signs sessions. Empty: made once and kept in DATA_DIR.")
    secrets_key: str = Field(
        "",
        description="Encrypts the secrets that nodes share in the database; needed with PostgreSQL or STORAGE_URL. "
        "Empty: they are files in DATA_DIR.",
    )
    field_keys: str = Field(
        "", description="Keys that encrypt personal data, the newest first. Empty: made once, by manage.py rotate_keys."
    )
    allowed_hosts: str = Field(
        "localhost,127.0.0.1,[::1]", description="Host names that the portal answers to, separated by commas."
    )
    trusted_origins: str = Field(
        "", description="Origins that may post forms when behind a proxy, for example https://portal.example."
    )
    trusted_proxies: str = Field(
        "",
        description="Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, separated by commas.",
    )
    secure_cookies: bool = Field(
        False, description="Sends cookies over HTTPS only. Turn it on if the portal is served over HTTPS."
    )
    hsts_preload: bool = Field(
        False, description="Lets browsers' makers put the host on their lists of hosts that are asked by HTTPS alone."
    )
    session_minutes: int = Field(30, ge=6, description="Minutes without activity after which a session ends.")
    agent_session_minutes: int = Field(15, ge=6, description="The same for agents.")
    session_hours: int = Field(
        12, ge=1, le=24, description="Hours after signing in at which a session ends, however much it is used."
    )
    agent_second_factor: Literal["auto", "yes", "no"] = Field(
        "auto", description="Whether agents need a second factor to open the desk: yes, no or auto (outside the demo)."
    )
    database_url: str = Field("", description="The portal's database. Empty: SQLite in DATA_DIR.")
    service_database_url: str = Field("", description="The embedded service's database. Empty: SQLite in DATA_DIR.")
    cache_url: str = Field(
        "", description="Redis or Valkey that counts limits for several machines. Empty: the database counts."
    )
    storage_url: str = Field(
        "", description="Bucket for uploads: s3://key:secret@BUCKET/prefix?endpoint=https://host. Empty: DATA_DIR."
    )
    clamd_url: str = Field("", description="Malware scanner: tcp://host:3310 or unix:///path. Empty: none.")
    uploads_unconfined: bool = Field(
        False,
        description="Opens uploads where the kernel has no Landlock or no seccomp, though a hostile one could read the "
        "keys.",
    )
    account_storage_mb: int = Field(2_000, ge=1, description="MB that all files of an account may have together.")
    account_files: int = Field(5_000, ge=1, description="Files that an account may have.")
    uploads_per_hour: int = Field(300, ge=1, description="Files that an account may upload in an hour.")
    email_url: str = Field("", description="Mail server. Empty: e-mails stay in the outbox.")
    mail_from: str = Field("", description="Sender of e-mails. Empty: OPERATOR_NAME at portal@localhost.")
    portal_url: str = Field("", description="The portal's address, used in e-mail links. Empty: HOST and PORT.")
    operator_name: str = Field("Formation Portal", description="The portal's name, on pages, in e-mails and PDFs.")
    operator_logo: str = Field("", description="SVG or PNG file that is shown in place of mark and name.")
    operator_accent: str = Field("", description="Colour of links and buttons, like #12515b. Empty: the portal's own.")
    operator_texts: str = Field("", description="Folder of the operator's own pages: privacy, terms, accessibility.")
    help_email: str = Field("", description="Where customers write for help. Empty: not shown.")
    help_telephone: str = Field("", description="Where customers call for help. Empty: not shown.")
    help_hours: str = Field("", description="When the telephone is answered.")
    help_reply_days: int = Field(0, ge=0, description="Working days until a reply. 0: promises none.")
    time_zone: str = Field(
        "UTC",
        description="Time zone of the desk and of e-mails, like Europe/Zurich. Customers see their own.",
    )
    letter_days: int = Field(30, ge=1, description="Days after which an e-mail's content is deleted.")
    retention_draft_days: int = Field(
        180, ge=0, description="Days without a change after which a draft is deleted, announced 14 days before."
    )
    retention_copy_days: int = Field(
        30, ge=0, description="Days after an application is closed that files are kept which the service has confirmed."
    )
    retention_withdrawn_days: int = Field(365, ge=0, description="Days after which withdrawn applications are erased.")
    retention_declined_days: int = Field(1826, ge=0, description="Days after which declined applications are erased.")
    retention_incorporated_days: int = Field(
        1826, ge=0, description="Days after which applications of incorporated companies are erased."
    )
    service_retention_days: int = Field(
        1826, ge=0, description="Days after which the embedded service deletes closed entities. 0: never."
    )
    retention_account_days: int = Field(
        730, ge=0, description="Days after which unused accounts without an application are deleted."
    )
    formation_service_url: str = Field(
        "", description="Base URL of another formation service. Empty: the embedded one."
    )
    formation_service_key: str = Field("", description="The API key for that service.")
    formation_service_edits: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="Whether the service can change what it has received: yes, no or auto (find out).",
    )
    connect_timeout: float = Field(3, gt=0, description="Seconds to wait for a connection to the service.")
    read_timeout: float = Field(15, gt=0, description="Seconds to wait for the service's answer.")
    call_timeout: float = Field(30, gt=0, description="Seconds that a whole call to the service may take.")
    upload_timeout: float = Field(60, gt=0, description="Seconds that a document's upload to the service may take.")
    catalog_limit_mib: int = Field(16, ge=1, description="Largest catalog that is read, in MiB.")
    answer_limit_mib: int = Field(1, ge=1, description="Largest other answer of the service that is read, in MiB.")
    catalog_seconds: int = Field(300, ge=1, description="Seconds before the catalog is fetched again.")
    catalog_language: str = Field("en", description="Language of the catalog, for example en or pt-BR.")
    relay_wait_ms: int = Field(
        250, ge=0, description="Milliseconds that a page waits for the relay's first answer after saving."
    )
    relay_calls_per_second: int = Field(
        10, ge=1, description="Calls per second that all relay workers together make to the service."
    )
    rate_limit: int = Field(600, ge=1, description="Requests per minute that the embedded service accepts per key.")
    pdf_fonts: str = Field(
        "", description="Folder of extra fonts for PDF records, for scripts that the system's fonts do not cover."
    )
    invitation_days: int = Field(14, ge=1, le=365, description="Days for which an invitation link works.")
    overdue_days: int = Field(5, ge=1, description="Days after submission from which a waiting case is overdue.")
    claim_hours: int = Field(8, ge=1, description="Hours after which an agent's claim to a case expires.")
    four_eyes: bool = Field(False, description="Requires a second agent to confirm approvals and declines.")
    agents_without_rights: Literal["queue", "cases"] = Field(
        "queue",
        description="What agents see without a right to cases: the queue without personal data, or cases, too.",
    )
    required_screening: str = Field(
        "", description="Checks that each party needs before an approval: sanctions, pep, register, adverse_media."
    )
    webhook_scheme: Literal["standard", "plain"] = Field(
        "standard", description="How the formation service signs its events."
    )
    webhook_secret: str = Field("", description="Secret with which another formation service signs its events.")
    webhook_targets: str = Field("", description="Private networks that the embedded service may send events to.")
    audit_anchor: str = Field(
        "", description="File for the audit log's hashes. Empty: audit-anchor in DATA_DIR; with PostgreSQL a table."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = Field(
        "INFO", description="Lowest level that is logged."
    )

    log_format: Literal["plain", "json"] = Field("plain", description="How lines of the log are written.")
    metrics_token: str = Field("", description="What opens /metrics. Empty: there is no such page.")

    @field_validator(*_PARSERS)
    @classmethod
    def _can_be_parsed(cls, text: str, info: ValidationInfo) -> str:
        if text:
            _PARSERS[str(info.field_name)](text)
        return text

    @field_validator(*_PATTERNS)
    @classmethod
    def _matches_its_pattern(cls, text: str, info: ValidationInfo) -> str:
        pattern, advice = _PATTERNS[str(info.field_name)]
        if text and not re.fullmatch(pattern, text):
            raise ValueError(advice)
        return text

    @field_validator("log_level", mode="before")
    @classmethod
    def _in_capitals(cls, level: object) -> str:
        return str(level).upper()

    @field_validator("portal_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if url and not _is_web_address(url):
            raise ValueError("should be an address like https://portal.example")
        return url

    @field_validator("trusted_origins")
    @classmethod
    def _are_origins(cls, listed: str) -> str:
        if not all(_is_web_address(origin.strip()) for origin in listed.split(",") if origin.strip()):
            raise ValueError("should be addresses like https://portal.example, with commas between")
        return listed

    @field_validator("pdf_fonts", "operator_texts", "static_dir")
    @classmethod
    def _is_a_folder(cls, folder: str) -> str:
        # `access` comes first: `is_dir` raises an error below a folder that the portal may not enter.
        if folder and not (os.access(folder, os.R_OK | os.X_OK) and Path(folder).is_dir()):
            raise ValueError("should be a folder that is there and can be read")
        return folder

    @field_validator("operator_name")
    @classmethod
    def _is_a_line(cls, name: str) -> str:
        if not name.strip() or not name.isprintable() or len(name) > _NAME_LIMIT:
            raise ValueError(f"should be one line of at most {_NAME_LIMIT} characters")
        return name.strip()

    @field_validator("operator_logo")
    @classmethod
    def _is_a_picture(cls, path: str) -> str:
        if path and not (Path(path).is_file() and Path(path).suffix.lower() in LOGO_TYPES):
            raise ValueError("should be an SVG or PNG file that is there")
        if path and Path(path).stat().st_size > _LOGO_BYTES:
            raise ValueError(f"should be a file of at most {_LOGO_BYTES // 1000} kB")
        return path

    @model_validator(mode="after")
    def _show_help_in_the_demo(self) -> Self:
        """Fill in examples for help settings that are not set, in the demo only."""
        if self.demo:
            for name, example in _DEMO_HELP.items():
                if name not in self.model_fields_set:
                    setattr(self, name, example)
        return self

    @field_validator("data_dir")
    @classmethod
    def _can_be_written(cls, folder: Path) -> Path:
        if sys.argv[1:2] == ["doctor"] and not folder.exists():
            raise ValueError("is not there: nothing was set up. Start the portal, or name the folder that it uses")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"can't be used as a folder: {error.strerror}") from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError("should be a folder that can be written to")
        return folder

    @field_validator("catalog_language")
    @classmethod
    def _is_a_language(cls, code: str) -> str:
        try:
            Locale.parse(code, sep="-")
        except (ValueError, UnknownLocaleError):
            raise ValueError("should be the code of a language, like en or pt-BR") from None
        return code

    @field_validator("time_zone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        if name not in zone_names():
            raise ValueError("should be a time zone with its place, like Europe/Zurich, or UTC")
        return name

    @field_validator("required_screening")
    @classmethod
    def _are_screening_kinds(cls, listed: str) -> str:
        kinds = [kind.strip().lower() for kind in listed.split(",") if kind.strip()]
        if not set(kinds) <= set(_SCREENING):
            raise ValueError(f"should be any of {', '.join(_SCREENING)}, with commas between")
        return ",".join(kinds)

    @field_validator("webhook_secret")
    @classmethod
    def _can_verify(cls, secrets: str, others: ValidationInfo) -> str:
        if others.data.get("webhook_scheme") != "standard":
            return secrets
        for secret in secrets.split():
            try:
                Webhook(secret)
            except (ValueError, EmptyWebhookSecretError):
                raise ValueError("contains a secret that is not base64 after whsec_") from None
        return secrets


def read_environment() -> Environment:
    """Read the settings. A wrong one ends the start with its name and the fault, never with its value."""
    try:
        environment = Environment()
    except ValidationError as error:
        faults = []
        for details in error.errors(include_input=False):
            faults.append(f"{str(details['loc'][0]).upper()}: {details['msg'].removeprefix('Value error, ')}")
    else:
        faults = [*missing_keys(environment), *unsafe_settings(environment, is_public=is_public(environment))]
    if faults:
        sys.exit("\n".join(("Some settings are wrong.", *faults)))
    return environment


def misspelled_settings(names: Iterable[str]) -> dict[str, str]:
    """Return the variables that resemble a setting's name without being one, each with that setting."""
    ours = [name.upper() for name in Environment.model_fields]
    misspelled = {}
    for name in names:
        if name.upper() not in ours and (close := difflib.get_close_matches(name.upper(), ours, n=1, cutoff=_ALIKE)):
            misspelled[name] = close[0]
    return misspelled


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
