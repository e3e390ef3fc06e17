from importlib import import_module

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection

from tests import factories

pytestmark = pytest.mark.django_db


def test_an_account_with_an_international_domain_is_found_by_its_new_spelling() -> None:
    people = []
    for number, email in enumerate(("ada@bücher.example", "bo@straße.example", "bo@xn--strae-oqa.example")):
        person = factories.person(f"person{number}@example.com", "Ada", f"Byron {number}")
        get_user_model().objects.filter(pk=person.pk).update(email=email)
        EmailAddress.objects.filter(user=person).update(email=email)
        people.append(person.pk)
    migration = import_module("formation_portal.accounts.migrations.0002_domains_of_addresses")
    migration.spell_domains(apps, connection.SchemaEditorClass(connection))

    emails = dict(get_user_model().objects.filter(pk__in=people).values_list("pk", "email"))
    assert [emails[pk] for pk in people] == [
        "ada@xn--bcher-kva.example",
        # Somebody else has the other spelling.
        "bo@straße.example",
        "bo@xn--strae-oqa.example",
    ]
    assert EmailAddress.objects.filter(user=people[0], email="ada@xn--bcher-kva.example").exists()
