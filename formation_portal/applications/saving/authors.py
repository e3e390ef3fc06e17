"""Who changes an application."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody without an account who fills in their own part, by invitation. The history names their part."""

    pk: None = None


Author = AbstractBaseUser | Guest
