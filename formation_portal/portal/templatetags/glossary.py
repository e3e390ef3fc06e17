"""The terms that a page with questions uses."""

from django import template

from formation_portal.portal.answers_page import AnswersPage
from formation_portal.portal.help_page import UsedTerms, used_terms

register = template.Library()


@register.simple_tag
def terms_of(page: AnswersPage) -> UsedTerms | None:
    """Those in the page's own words."""
    return used_terms(page)
