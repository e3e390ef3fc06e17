"""The SQL queries that nearly every page of an application makes."""

from typing import Any, TypeVar

from django.db.models import Model

from formation_portal.core.prepared_queries import PreparedQuery

from .models import Application, Document, Holding, Party, SectionAnswers, ShareClass

Owned = TypeVar("Owned", bound=Model)

LOCKED = PreparedQuery(lambda number: Application.objects.select_for_update().filter(pk=number))
SECTIONS = PreparedQuery(lambda application: SectionAnswers.objects.filter(application=application))
PARTIES = PreparedQuery(lambda application: Party.objects.filter(application=application))
SHARE_CLASSES = PreparedQuery(lambda application: ShareClass.objects.filter(application=application))
HOLDINGS = PreparedQuery(lambda application: Holding.objects.filter(application=application))
DOCUMENTS = PreparedQuery(lambda application: Document.objects.filter(application=application))


def rows_of(application: Application, query: PreparedQuery[Owned], part: str) -> list[Owned]:
    """Return an application's rows: those prefetched under `part`, a related name, or else those of the SQL query."""
    if application.pk is None:
        return []
    prefetched: dict[str, Any] = getattr(application, "_prefetched_objects_cache", {})
    if part in prefetched:
        return list(prefetched[part])
    rows = query.rows(application.pk)
    for row in rows:
        row.application = application  # type: ignore[attr-defined]  # each of these models belongs to one
    return rows
