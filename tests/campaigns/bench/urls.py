"""The portal's addresses, the page that does nothing but know who is signed in, and a form of 40 fields as Django draws
it: texts, lists, countries and amounts, as many of each as in a company's neutral form."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template
from django.urls import path

from formation_portal.contract.fields.iso_codes import COUNTRIES, country_name
from formation_portal.urls import handler400, handler500
from formation_portal.urls import urlpatterns as portal_patterns

_COUNTRIES = [("", "Choose"), *((code, country_name(code, "en")) for code in sorted(COUNTRIES))]
_CURRENCIES = [(code, code) for code in ("CHF", "EUR", "GBP", "USD")]
_OPTIONS = [(text, text) for text in ("First", "Second", "Third", "Fourth")]
_PAGE = """<!doctype html><html lang="en"><title>Form</title><body><h1>Form</h1>
<form method="post">{% csrf_token %}{{ form.as_div }}<button>Save</button></form></body></html>"""


class SeveralInputs(forms.MultiWidget):
    """The controls of an answer that has several, all of them blank."""

    def decompress(self, value: object) -> list[None]:
        return [None for _ in self.widgets]


class AddressField(forms.MultiValueField):
    widget = SeveralInputs([*(forms.TextInput() for _ in range(3)), forms.Select(choices=_COUNTRIES)])

    def __init__(self, **more: object) -> None:
        super().__init__([*(forms.CharField() for _ in range(3)), forms.ChoiceField(choices=_COUNTRIES)], **more)


class MoneyField(forms.MultiValueField):
    widget = SeveralInputs([forms.NumberInput(), forms.Select(choices=_CURRENCIES)])

    def __init__(self, **more: object) -> None:
        super().__init__([forms.DecimalField(), forms.ChoiceField(choices=_CURRENCIES)], **more)


_CHOICES = {"choices": _OPTIONS}
# The field, what it takes beside a label, and how many there are.
_KINDS: tuple[tuple[type[forms.Field], dict[str, Any], int], ...] = (
    (forms.CharField, {}, 9),
    (forms.ChoiceField, _CHOICES, 8),
    (forms.BooleanField, {}, 4),
    (forms.DateField, {}, 4),
    (forms.ChoiceField, {"choices": _COUNTRIES}, 3),
    (forms.CharField, {"widget": forms.Textarea}, 3),
    (MoneyField, {}, 3),
    (forms.MultipleChoiceField, _CHOICES | {"widget": forms.CheckboxSelectMultiple}, 2),
    (AddressField, {}, 2),
    (forms.DecimalField, {}, 2),
)
_FIELDS = [(kind, more) for kind, more, count in _KINDS for _ in range(count)]

CompanyForm = type(
    "CompanyForm",
    (forms.Form,),
    {
        f"field{number}": kind(
            label=f"Question number {number}", help_text="One short sentence that helps.", required=False, **more
        )
        for number, (kind, more) in enumerate(_FIELDS)
    },
)


@login_required
def form_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(Template(_PAGE).render(RequestContext(request, {"form": CompanyForm()})))


@login_required
def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"ok {request.user.pk}")


urlpatterns = [path("nothing/", nothing), path("form/", form_page), *portal_patterns]
__all__ = ["handler400", "handler500", "urlpatterns"]
