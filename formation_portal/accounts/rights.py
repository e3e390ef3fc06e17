"""What single agents may do beside reading. Whoever runs the portal gives and takes it (manage.py agent_rights)."""

from django.db import models


class Right(models.TextChoices):
    """The rights, each with what it lets an agent do."""

    REVIEW = "review", "claim cases, check facts, see masked numbers and raise queries"
    DECIDE = "decide", "approve, return and decline"
    CONFIRM = "confirm", "confirm another agent’s decision"
    EXPORT = "export", "download records as JSON, PDF and CSV"
    AUDIT = "audit", "read the audit log"


def all_rights() -> list[str]:
    """What a new account has. It means nothing until the account is an agent's."""
    return list(Right.values)
