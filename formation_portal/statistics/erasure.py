"""Keep the figures of rows that are about to be erased. Called from `workflow.py`."""

from collections import Counter

from django.db.models import QuerySet

from formation_portal.applications.models import Application
from formation_portal.reviews.models import Query

from .figures import Figure, case_figures, query_figures, to_json
from .models import ErasedFigures


def keep_figures_of_application(application: Application) -> None:
    """Keep the figures of an application before its history and queries are deleted. A draft has no figures."""
    if application.submitted_at is None:
        return
    moves = application.changes.exclude(moved_to="").order_by("pk").values_list("moved_to", "at")
    figures = case_figures(application.product_id, moves)
    figures.update(query_figures(application.product_id, _sent_queries(application)))
    _keep(application, figures)


def keep_figures_of_party(application: Application, token: str) -> None:
    """Keep the figures of a party's queries: those of all the application's queries less those of the others."""
    queries = list(_sent_queries(application))
    others = [query for query in queries if query.holder != token]
    figures = query_figures(application.product_id, queries)
    figures.subtract(query_figures(application.product_id, others))
    _keep(application, figures)


def _sent_queries(application: Application) -> "QuerySet[Query]":
    return Query.objects.filter(application=application).exclude(sent_at=None).order_by("round", "pk")


def _keep(application: Application, figures: Counter[Figure]) -> None:
    rows = to_json(figures)
    if not rows:
        return
    last_day = max(figure.day for figure in figures)
    erased = ErasedFigures.objects.filter(application=application).first()
    if erased is None:
        erased = ErasedFigures(application=application, last_day=last_day)
    erased.figures += rows
    erased.last_day = max(erased.last_day, last_day)
    erased.save()
