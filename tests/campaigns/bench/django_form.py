"""A form of 40 fields as Django draws it, with the templates that come with it: what a section is measured against.

The kinds of fields and how many of each are those of a company's neutral form: texts, lists, countries, amounts.
"""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.template import RequestContext, Template

from formation_portal.contract.fields.iso_codes import COUNTRIES, country_name

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
    """Street, town, postcode and country, as one field."""

    widget = SeveralInputs([*(forms.TextInput() for _ in range(3)), forms.Select(choices=_COUNTRIES)])

    def __init__(self, **more: object) -> None:
        super().__init__([*(forms.CharField() for _ in range(3)), forms.ChoiceField(choices=_COUNTRIES)], **more)


class MoneyField(forms.MultiValueField):
    """An amount and its currency, as one field."""

    widget = SeveralInputs([forms.NumberInput(), forms.Select(choices=_CURRENCIES)])

    def __init__(self, **more: object) -> None:
        super().__init__([forms.DecimalField(), forms.ChoiceField(choices=_CURRENCIES)], **more)


_KINDS = (
    *[lambda more: forms.CharField(**more)] * 8,
    *[lambda more: forms.ChoiceField(choices=_OPTIONS, **more)] * 8,
    *[lambda more: forms.BooleanField(**more)] * 4,
    *[lambda more: forms.DateField(**more)] * 4,
    *[lambda more: forms.ChoiceField(choices=_COUNTRIES, **more)] * 3,
    *[lambda more: forms.CharField(widget=forms.Textarea, **more)] * 3,
    *[lambda more: MoneyField(**more)] * 3,
    *[
        lambda more: forms.MultipleChoiceField(choices=_OPTIONS, widget=forms.CheckboxSelectMultiple, **more)
    ] * 2,
    *[lambda more: AddressField(**more)] * 2,
    *[lambda more: forms.DecimalField(**more)] * 2,
    lambda more: forms.CharField(**more),
)  # fmt: skip

FORTY = len(_KINDS)

CompanyForm = type(
    "CompanyForm",
    (forms.Form,),
    {
        f"field{number}": make(
            {"label": f"Question number {number}", "help_text": "One short sentence that helps.", "required": False}
        )
        for number, make in enumerate(_KINDS)
    },
)


@login_required
def form_page(request: HttpRequest) -> HttpResponse:
    """The form, signed in."""
    return HttpResponse(Template(_PAGE).render(RequestContext(request, {"form": CompanyForm()})))
