"""A submitted application, on the desk."""

from tests.portal.conftest import _uploads_go_nowhere_else, application, complete, draft, submitted
from tests.reviews.conftest import colleague

__all__ = ["_uploads_go_nowhere_else", "application", "colleague", "complete", "draft", "submitted"]
