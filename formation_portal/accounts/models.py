"""Users, the rights of agents, and counts of guesses of passwords and codes."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager, Permission
from django.db import models
from django.utils.crypto import salted_hmac


class Right(models.TextChoices):
    """The rights of agents, each with its description. They are Django's permissions, as in `perms.accounts.review`."""

    OWN_CASES = "own_cases", "open the cases claimed by them, with documents and masked numbers"
    ALL_CASES = "all_cases", "open every case, with documents and masked numbers"
    REVIEW = "review", "claim cases, check facts and raise queries"
    DECIDE = "decide", "approve, return and decline"
    CONFIRM = "confirm", "confirm another agent’s decision"
    EXPORT = "export", "download records as JSON, PDF and CSV"
    AUDIT = "audit", "read the audit log"
    WORKBENCH = "workbench", "try out schemas at the workbench"
    KEYS = "keys", "make and revoke API keys"
    ERASE = "erase", "erase a person from an application"

    @property
    def permission(self) -> str:
        return f"accounts.{self.value}"


class UserManager(BaseUserManager["User"]):
    """Create users, with their e-mail addresses in lower case."""

    def create_user(
        self, email: str, password: str | None = None, *, rights: Iterable[str] = Right.values, **more: Any
    ) -> "User":
        """Create a user. An agent gets all rights unless `rights` names some. Raises ValueError without an address."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=email.strip().lower(), **more)
        user.set_password(password)
        user.save(using=self._db)
        if user.is_agent:
            user.set_rights(rights)
        return user

    def create_superuser(self, email: str, password: str | None = None, **more: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, is_agent=True, **more)


class User(AbstractUser):
    """A customer, or, with `is_agent`, an agent."""

    username = None  # type: ignore[assignment]  # Django's own way to leave the inherited column out
    email = models.EmailField("e-mail address", unique=True)
    is_agent = models.BooleanField("agent", default=False, help_text="May open the desk.")
    language = models.CharField(
        "language", max_length=8, blank=True, default="", help_text="Letters are written in it."
    )
    # The database has this default too, for nodes of the previous version, which don't know the column.
    session_epoch = models.PositiveIntegerField(
        "session epoch", default=0, db_default=0, help_text="Raised to end all sessions of the account for good."
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]  # it makes users without user names

    class Meta(AbstractUser.Meta):
        permissions = tuple(Right.choices)

    def __str__(self) -> str:
        return self.email

    def set_rights(self, rights: Iterable[str]) -> None:
        """Give the account exactly these rights. Rights have no effect until the account is an agent's."""
        permissions = Permission.objects.filter(content_type__app_label="accounts", codename__in=list(rights))
        self.user_permissions.set(permissions)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return a hash that changes with the password and with `session_epoch`. A changed hash ends all sessions."""
        if not self.session_epoch:
            return super()._get_session_auth_hash(secret)  # type: ignore[misc,no-any-return]  # unknown to the stubs
        salt = "formation_portal.accounts.session_epoch"
        return salted_hmac(salt, f"{self.session_epoch}.{self.password}", secret=secret, algorithm="sha256").hexdigest()

    @property
    def called(self) -> str:
        return self.get_full_name() or self.email


class GuessCount(models.Model):
    """The last guesses of a secret (guesses.py). The key is a digest, so that no row shows an account or address."""

    key = models.CharField(max_length=64, primary_key=True)
    # Seconds since 1970, the newest last.
    times = models.JSONField(default=list)
    # The time after which none of these guesses counts any more.
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
