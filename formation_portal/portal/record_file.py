"""An application's record as a file to keep."""

from django.http import JsonResponse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.export import export


def record_file(draft: Draft) -> JsonResponse:
    """The record as JSON, to be saved and never kept by anything on the way."""
    answer = JsonResponse(export(draft), json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer.headers["Content-Disposition"] = f'attachment; filename="{draft.application.reference}.json"'
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
