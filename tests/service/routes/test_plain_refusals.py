"""Every refusal is in words of our own: no library's sentence and no regular expression."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.service import example_catalog
from tests.service.caller import Caller, ordinary, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])

PERSON = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", "roles": ["director"]}
COMPANY = {"party_type": "corporate", "name": "Byron Ltd", "roles": ["director"]}
# Words of pydantic's, and signs that only a pattern has.
FOREIGN = ("Input", "should", "String", "Value error", "valid ", "pattern", "unable to", "tag", "[", "]", "^", "\\")


def only_error(answer: Any, code: str = "validation_failed") -> dict[str, Any]:
    (error,) = problem(answer, 422, code)["errors"]
    return dict(error)


def test_an_address_that_is_none_is_refused_in_a_sentence(caller: Caller) -> None:
    sentence = "url must be a web address in lower case without user name or fragment, like https://example.com/events."
    for url in ("hooks", "https://Example.com/"):
        error = only_error(caller.post("/webhooks", {"url": url, "events": ["party.added"]}))
        assert error == {"pointer": "/url", "field": "url", "code": "not_a_url", "detail": sentence}


@pytest.mark.parametrize(
    ("body", "name", "blank"),
    [
        (PERSON, "first_name", ""),
        (PERSON, "last_name", "\u200b"),
        (COMPANY, "name", "\u2800\t"),
        (COMPANY, "name", None),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_name_is_not_blank_and_not_cleared(
    caller: Caller, entity: str, body: dict[str, Any], name: str, blank: Any
) -> None:
    parties = f"/entities/{entity}/parties"
    error = only_error(caller.post(parties, body | {name: blank}))
    assert (error["pointer"], error["field"]) == (f"/{name}", name)
    assert caller.get(parties).json()["data"] == []
    path = f"{parties}/{caller.made(parties, body, 'party_id')}"
    assert only_error(caller.patch(path, {name: blank}))["pointer"] == f"/{name}"
    assert caller.get(path).json()["data"][name] == body[name]
    assert caller.patch(path, {"email": "new@example.com"}).status_code == 200


def test_a_name_is_kept_clean(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director", first_name="Ina\nMaria", last_name="\u202aLund\u200b ")
    data = caller.get(f"/entities/{entity}/parties/{party}").json()["data"]
    assert (data["first_name"], data["last_name"]) == ("Ina Maria", "Lund")


def test_products_without_share_structure_have_no_classes_and_no_holdings(
    caller: Caller, other_account: Caller
) -> None:
    entity = caller.entity(example_catalog.PLAIN_PRODUCT)
    holding = {"party_id": "pty_none", "share_class_id": "sc_none", "shares_held": 5}
    classes = ("share-classes", ordinary(), {"name": "Common"})
    for name, body, change in (classes, ("shareholdings", holding, {"shares_held": 7})):
        path = f"/entities/{entity}/{name}"
        answers = [caller.get(path), caller.post(path, body), caller.get(f"{path}/none")]
        answers += [caller.patch(f"{path}/none", change), caller.delete(f"{path}/none")]
        for answer in answers:
            assert problem(answer, 422, "not_applicable")["errors"] == []
        problem(other_account.get(path), 404, "not_found")


@pytest.mark.parametrize("price", [0.0001, 0.000000000001])
def test_a_unit_price_is_kept_with_every_digit(caller: Caller, entity: str, price: float) -> None:
    path = f"/entities/{entity}/share-classes"
    made = caller.made(path, ordinary() | {"par_value": price})
    assert caller.get(f"{path}/{made}").json()["data"]["par_value"] == price
    answer = caller.post(path, ordinary("Other") | {"par_value": 1e-13})
    assert only_error(answer)["pointer"] == "/par_value"


SENTENCES = [
    ("POST", "/entities", {}, "jurisdiction_product_id is missing."),
    ("POST", "/entities", {"jurisdiction_product_id": "x"}, "There is no product with this jurisdiction_product_id."),
    ("PATCH", "{entity}", {"bvi.staff": 5}, "Leave out bvi.staff. Send it to csp-data instead."),
    ("PATCH", "{entity}", {"colour": 5}, "Leave out colour. This form does not ask for it."),
    ("PATCH", "{entity}", {"x" * 3000: 5}, f"Leave out {'x' * 100}…. This form does not ask for it."),
    ("POST", "{entity}/csp-data", {"party_id": "pty_1"}, "Leave out party_id, or send scope=party with it."),
    ("POST", "{entity}/csp-data", {"scope": None}, "scope must be one of these: entity, party, share_class."),
    ("POST", "{entity}/parties", PERSON | {"roles": [5]}, "Entry 1 of roles must be a text."),
    ("POST", "{entity}/parties", PERSON | {"roles": ["ubo", "ubo"]}, "roles must have each entry only once."),
    (
        "POST",
        "{entity}/parties",
        PERSON | {"roles": ["director", "janitor"]},
        "Entry 2 of roles must be one of these: director, member, officer, shareholder, supervisor, ubo.",
    ),
    (
        "POST",
        "{entity}/parties",
        COMPANY | {"country": "Atlantis"},
        "country must be one of this form's countries by their codes in ISO 3166-1, like CH.",
    ),
    ("POST", "{entity}/share-classes", ordinary() | {"name": "\u200b"}, "name is missing. Every share class needs it."),
    (
        "POST",
        "{entity}/status",
        {"status": "rejected"},
        "An entity that is draft cannot become rejected, only withdrawn.",
    ),
    ("POST", "{entity}/submit", {}, "4 things are missing."),
    ("GET", "{entity}/parties?page=x", None, "page must be a whole number of at most nine digits, like 1."),
    ("GET", "/nothing", None, "There is nothing at this address."),
]


@pytest.mark.parametrize(("method", "path", "body", "detail"), SENTENCES, ids=lambda value: str(value)[:30])
def test_a_refusal_names_the_member_and_what_would_be_right(
    caller: Caller, entity: str, method: str, path: str, body: Any, detail: str
) -> None:
    answer = caller.call(method, path.replace("{entity}", f"/entities/{entity}"), body)
    details = [answer.json()["detail"], *(error["detail"] for error in answer.json()["errors"])]
    assert detail in details


def test_the_type_of_a_party_is_not_changed_and_the_refusal_says_so(caller: Caller, entity: str) -> None:
    path = f"/entities/{entity}/parties/{caller.person(entity, 'director')}"
    error = only_error(caller.patch(path, {"party_type": "corporate"}), "unknown_field")
    assert error["detail"] == "Leave out party_type. The type of a party cannot be changed."


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"a":\n1', "The body is not valid JSON: it cannot be read from line 2, column 2."),
        (b"\xff", "The body is not in UTF-8: byte 1 cannot be read."),
        (b'{"a": NaN}', "The body is not valid JSON: it has NaN. Send a number or null."),
        (b'"\\ud800"', "The body has half of a surrogate pair. Send whole characters."),
        (b"[" * 100_000, "The body has too many objects or lists inside each other."),
        (b"9" * 5_000, "The body has a number with too many digits."),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_body_that_is_no_json_is_refused_with_the_reason(caller: Caller, body: bytes, detail: str) -> None:
    answer = caller.send("/entities", body)
    assert problem(answer, 400, "malformed_json")["detail"] == detail


@pytest.mark.parametrize(
    ("content_type", "body", "detail"),
    [
        ("multipart/form-data", b"x", "The body is not valid multipart/form-data with its boundary."),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.pdf"\r\n\r\nv\r\n' * 200 + b"--x--",
            "The body has too many parts. Send only the members of this call.",
        ),
    ],
    ids=["no boundary", "too many parts"],
)
def test_an_upload_that_cannot_be_read_is_refused_with_the_reason(
    caller: Caller, entity: str, content_type: str, body: bytes, detail: str
) -> None:
    answer = caller.send(f"/entities/{entity}/documents", body, content_type=content_type)
    assert problem(answer, 400, "malformed_request")["detail"] == detail


WRONG = (None, -1.5, "Wrong", ["Wrong"], {"a": 1}, True, "x" * 20_000)


def mutated(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The body without each member, with one more, and with every wrong value in each."""
    yield body | {"more": 1}
    for name in body:
        yield {key: value for key, value in body.items() if key != name}
        yield from (body | {name: value} for value in WRONG)


def last_member(pointer: str) -> str:
    """The last step of a pointer that is no position in a list."""
    return next((step for step in reversed(pointer.split("/")) if not step.isdigit()), "")


def test_no_refusal_is_in_a_librarys_words(caller: Caller, entity: str) -> None:
    party, share_class = caller.person(entity, "shareholder"), caller.share_class(entity)
    schema = {"csp_form_schema_id": example_catalog.SHARES_SCHEMA, "csp_data": {"bvi.activity": "Trading"}}
    root = f"/entities/{entity}"
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "client_reference": "r"}),
        (f"{root}/csp-data", schema | {"scope": "party", "party_id": party}),
        (f"{root}/parties", PERSON | {"email": "ada@example.com"}),
        (f"{root}/parties", COMPANY),
        (f"{root}/parties/reuse", {"source_party_id": party, "roles": ["director"]}),
        (f"{root}/share-classes", ordinary()),
        (f"{root}/shareholdings", {"party_id": party, "share_class_id": share_class, "shares_held": 5}),
        (f"{root}/status", {"status": "in_review", "note": "n"}),
        ("/webhooks", {"url": "https://hooks.example.com/", "events": ["party.added"], "description": "d"}),
    ]
    answers = [caller.post(path, change) for path, body in bodies for change in mutated(body)]
    answers += [caller.post(path, whole) for path, _ in bodies for whole in ([], "text", 5)]
    queries = ("page=0", "page=x", "per_page=1000", "per_page=1.5", "role=A B", "party_type=Person", "status=gone")
    queries += ("search=%00", "client_reference=%00", "jurisdiction=A B", "product_type=x", "jurisdiction_product_id=x")
    lists = ("/catalog", "/parties", "/entities", f"{root}/parties")
    answers += [caller.get(f"{path}?{query}") for path in lists for query in queries]
    refused = [answer for answer in answers if answer.status_code == 422]
    assert len(refused) > 150
    for answer in refused:
        for detail in (answer.json()["detail"], *(error["detail"] for error in answer.json()["errors"])):
            assert not [word for word in FOREIGN if word in detail.replace("x" * 20_000, "")], detail
        assert all(pointers(answer)) or answer.json()["errors"][0].get("field") is None
        for error in answer.json()["errors"]:
            assert last_member(error["pointer"]) in error["detail"], error
