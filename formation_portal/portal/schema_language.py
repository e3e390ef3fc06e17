"""In which language the catalog speaks, where that is another than the page's."""

from django.conf import settings

from formation_portal.contract import language


def schema_language() -> str:
    """The catalog's language where it isn't the page's; nothing where no mark is needed."""
    theirs = str(settings.CATALOG_LANGUAGE)
    return "" if theirs.partition("-")[0] == language.language() else theirs
