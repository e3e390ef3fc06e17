"""Every setting that an operator may change, read from the environment once, with its type and its default."""

import sys
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from formation_portal import mail_server, networks

PROJECT = Path(__file__).resolve().parent.parent


class Environment(BaseSettings):
    """The environment's say. A wrong value stops the start with its name and the reason."""

    model_config = SettingsConfigDict(env_file=None, extra="ignore")

    data_dir: Path = Field(PROJECT / "var", description="Where databases, uploads and secrets are kept.")
    host: str = Field("127.0.0.1", description="The address that `make run` listens at; 0.0.0.0 is every one.")
    port: int = Field(8000, description="The port that `make run` serves on.")
    web_processes: int = Field(
        0, ge=0, le=256, description="Processes that answer requests, with eight threads each. 0: as many as cores."
    )
    demo: bool = Field(
        True, description="Demo accounts and the demo key exist. Turn it off wherever anybody else can reach it."
    )
    debug: bool = Field(False, description="Django's debug pages. Never where anybody else can reach it.")
    audit_key: str = Field("", description="Keys the audit's digests. Empty: made once and kept in DATA_DIR.")
    secret_key: str = Field("", description="Signs sessions. Empty: made once and kept in DATA_DIR.")
    allowed_hosts: str = Field(
        "localhost,127.0.0.1,[::1]", description="Host names that are answered, with commas between."
    )
    trusted_origins: str = Field("", description="Origins that may post, like https://portal.example, behind a proxy.")
    trusted_proxies: str = Field(
        "", description="Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto count, with commas between."
    )
    secure_cookies: bool = Field(False, description="Cookies only over HTTPS. Turn it on wherever HTTPS is served.")
    session_minutes: int = Field(60, ge=6, description="Minutes after which a session ends that nobody uses.")
    database_url: str = Field("", description="The portal's database. Empty: SQLite in DATA_DIR.")
    service_database_url: str = Field("", description="The embedded service's database. Empty: SQLite in DATA_DIR.")
    email_url: str = Field("", description="The mail server. Empty: letters stay in the outbox.")
    mail_from: str = Field("Formation Portal <portal@localhost>", description="Whom letters come from.")
    portal_url: str = Field("", description="The portal's address, as letters name it. Empty: HOST and PORT.")
    letter_days: int = Field(30, ge=1, description="Days after which the content of a letter is removed.")
    formation_service_url: str = Field(
        "", description="Base URL of another formation service. Empty: the embedded one."
    )
    formation_service_key: str = Field("", description="The API key for that service.")
    formation_service_edits: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="Whether the service can edit what it was sent. auto: as far as it has shown.",
    )
    connect_timeout: float = Field(3, description="Seconds to wait for a connection to the service.")
    read_timeout: float = Field(15, description="Seconds to wait for the service's answer.")
    call_timeout: float = Field(30, description="Seconds that a whole call to the service may take.")
    upload_timeout: float = Field(60, description="Seconds that a document's upload to the service may take.")
    catalog_limit_mib: int = Field(16, description="MiB of a catalog that are read at most.")
    answer_limit_mib: int = Field(1, description="MiB of any other answer of the service that are read at most.")
    catalog_seconds: int = Field(300, description="Seconds for which the catalog is not asked for again.")
    catalog_language: str = Field("en", description="The language that the catalog is written in, like en or pt-BR.")
    relay_wait_ms: int = Field(250, description="Milliseconds that a saved page waits for the relay's first answer.")
    relay_calls_per_second: int = Field(
        10, ge=1, description="Calls to the service that the relay's workers make in any second, together."
    )
    rate_limit: int = Field(600, description="Requests a minute that the embedded service takes from one key.")
    pdf_fonts: str = Field(
        "", description="A folder of more fonts for records as PDF, for scripts that the system has none for."
    )
    invitation_days: int = Field(14, ge=1, le=365, description="Days for which an invitation's link opens.")
    overdue_days: int = Field(5, ge=1, description="Days after its submission from which a waiting case is overdue.")
    claim_hours: int = Field(8, ge=1, description="Hours after which an agent's claim to a case ends by itself.")
    four_eyes: bool = Field(False, description="A second agent has to confirm approvals and declines.")
    webhook_scheme: Literal["standard", "plain"] = Field(
        "standard", description="How the formation service signs its events."
    )
    webhook_secret: str = Field("", description="What another formation service signs its events with.")
    webhook_targets: str = Field(
        "", description="Networks beyond the public internet that the embedded service may send events to."
    )
    audit_anchor: str = Field(
        "", description="The file that the audit's hashes are written to. Empty: audit-anchor in DATA_DIR."
    )
    log_level: str = Field("INFO", description="The least serious level that is logged.")

    @field_validator("webhook_secret")
    @classmethod
    def _can_verify(cls, secrets: str, others: ValidationInfo) -> str:
        for secret in secrets.split() if others.data.get("webhook_scheme") == "standard" else ():
            try:
                Webhook(secret)
            except (ValueError, EmptyWebhookSecretError):
                raise ValueError("holds a secret that is no base64 behind whsec_") from None
        return secrets

    @field_validator("webhook_targets", "trusted_proxies")
    @classmethod
    def _are_networks(cls, listed: str) -> str:
        networks.read(listed)
        return listed

    @field_validator("email_url")
    @classmethod
    def _names_a_mail_server(cls, url: str) -> str:
        mail_server.configure(url)
        return url


def read_environment() -> Environment:
    """The settings; a wrong one ends the start with its name and what is wrong with it, never with its value."""
    try:
        return Environment()
    except ValidationError as error:
        wrong = (f"{str(one['loc'][0]).upper()}: {one['msg']}" for one in error.errors(include_input=False))
        sys.exit("\n".join(("A setting can't be read.", *wrong)))
