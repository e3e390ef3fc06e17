"""What agents may do, asked of Django's permissions in one query."""

from typing import Any

from django.contrib.auth.backends import ModelBackend


class RightsBackend(ModelBackend):
    """Answers `has_perm` from the account's own permissions: a right is an agent's, and nobody is in a group.

    It signs nobody in. As the first of the backends it answers for those after it, too: they read what it has found.
    """

    def authenticate(self, *_credentials: Any, **_more: Any) -> None:
        """Leave it to the backends after this one."""

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """None, without a query."""
        return set()
