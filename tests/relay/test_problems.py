"""Where a refusal of the service belongs: the party, the share class, and the document that it is about."""

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.errors import FieldProblem
from formation_portal.relay.models import Delivery, ResourceKind
from formation_portal.relay.problems import locate

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def refused(field: str, message: str = "Not this", **about: str) -> FieldProblem:
    return FieldProblem(field=field, code="invalid", message=message, **about)


IDS = {(ResourceKind.PARTY, "ada"): "par_1", (ResourceKind.SHARE_CLASS, "ordinary"): "shc_1"}


@pytest.mark.parametrize(
    ("kind", "subject", "objection", "place"),
    [
        ("entity", "", refused("name"), ("", "")),
        ("entity_csp", "", refused("xy.activity"), ("", "")),
        ("party", "ada", refused("last_name"), ("ada", "")),
        ("party_csp", "ada", refused("xy.person.is_pep"), ("ada", "")),
        ("document", "ada/Passport", refused("file"), ("ada", "")),
        ("share_class", "ordinary", refused("name"), ("", "ordinary")),
        ("share_class_csp", "ordinary", refused("xy.rights"), ("", "ordinary")),
        ("shareholding", "ada/ordinary", refused("shares_held"), ("ada", "ordinary")),
        ("submission", "1", refused("last_name", party_id="par_1"), ("ada", "")),
        ("submission", "1", refused("name", share_class_id="shc_1"), ("", "ordinary")),
        ("submission", "1", refused("name", party_id="par_of_others"), ("", "")),
    ],
)
def test_a_refusal_is_about_what_was_sent_or_what_it_names(
    complete: Draft, kind: str, subject: str, objection: FieldProblem, place: tuple[str, str]
) -> None:
    row = Delivery(application=complete.application, kind=kind, subject=subject)
    [found] = locate([objection], row, IDS, complete)
    assert (found["party"], found["share_class"]) == place


def test_a_refusal_of_a_document_names_its_slot(complete: Draft) -> None:
    sent = {"document_key": "Passport"}
    row = Delivery(application=complete.application, kind="document", subject="ada/Passport", sent=sent)
    own, named = locate([refused("file"), refused("file", slot="Visa")], row, IDS, complete)
    assert (own["slot"], named["slot"]) == ("Passport", "Visa")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("date_of_birth.0", "person.date_of_birth"),
        ("parties.0.person.last_name", "person.last_name"),
        ("xy.person.is_pep", "xy.person.is_pep"),
        (".".join(["deep"] * 2_000) + ".email", "person.email"),
        ("favourite_colour", "favourite_colour"),
    ],
)
def test_a_path_names_the_question_that_it_leads_to_or_into(complete: Draft, path: str, field: str) -> None:
    row = Delivery(application=complete.application, kind="party", subject="ada")
    if field == "xy.person.is_pep":
        row.kind = "party_csp"
    [found] = locate([refused(path)], row, IDS, complete)
    assert (found["field"], found["is_answerable"]) == (field, field != "favourite_colour")
