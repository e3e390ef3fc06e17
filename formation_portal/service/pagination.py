"""Lists in pages (supplement, "Envelopes, pages, errors")."""

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Le
from django.db.models import Model, QuerySet
from pydantic import BeforeValidator

from formation_portal.whole_numbers import whole_number

PER_PAGE, MOST_PER_PAGE, LAST_PAGE = 20, 100, 1_000_000

Row = TypeVar("Row", bound=Model)


def _digits(value: Any) -> Any:
    """A count in a query is digits and nothing else; pydantic would take "1_0" and " 1" too."""
    if isinstance(value, str) and whole_number(value, digits=9) is None:
        raise ValueError("must be a whole number in digits")
    return value


PageNumber = Annotated[int, Ge(1), Le(LAST_PAGE), BeforeValidator(_digits)]
PerPage = Annotated[int, Ge(1), Le(MOST_PER_PAGE), BeforeValidator(_digits)]


def page_of(
    rows: QuerySet[Row], *, page: int, per_page: int, out: Callable[[Iterable[Row]], list[dict[str, Any]]]
) -> dict[str, Any]:
    """One page of the rows as `{data, meta}`; `out` gets the page's rows together, so it can look ahead for all."""
    total = rows.count()
    start = (page - 1) * per_page
    return {
        "data": out(list(rows[start : start + per_page])) if start < total else [],
        "meta": {
            "page": page,
            "per_page": per_page,
            "total": total,
            "total_pages": math.ceil(total / per_page),
        },
    }
