"""The backend of agents' rights, which are Django's permissions, read in one SQL query."""

from typing import Any

from django.contrib.auth.backends import ModelBackend


class RightsBackend(ModelBackend):
    """Answer `has_perm` from the account's own permissions: rights belong to agents, and nobody is in a group.

    As it is the first backend, the others read the permissions that it has cached on the user.
    """

    def authenticate(self, *_credentials: Any, **_more: Any) -> None:
        """Leave signing in to the other backends."""

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        return set()
