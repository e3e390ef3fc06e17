"""The catalog of the other make: schemas that nobody here wrote, some sound, some odd, some beyond use.

USABLE can be applied for and completed; FAULTY are products that must be shown as unavailable; what stands in BROKEN
is no catalog item at all.
"""

from typing import Any

from .schema_builders import NAME, PERSON, Json, ask, entity, item, role, same_id, schema, shared, when, when_any

DEEP = 50
MANY = 300
MARK_UP = '<script>alert("x")</script>'
ODD_NAME = f"""{MARK_UP} & "quotes' {{{{ braces }}}} {{% tag %}}"""
ODD_OPTIONS = [
    "<b>bold</b>",
    'say "no"',
    "it's & that's",
    "{{ 7 }}",
    "',;:/\\|",
    "  padded",
    "Grüße, 世界",
    "\u202eback",
    "true",
]


def _stranger() -> Json:
    """A role and a field type that don't exist."""
    return schema(
        "Form L-1",
        entity("The company", NAME, ask("seal", "Colour of the seal", "colour"), ask("motto", "Motto", required=False)),
        role("protector", "Protectors", *PERSON, ask("oath", "Words of the oath", "textarea")),
        role("keeper_of-the.seal", "Keepers of the seal", *PERSON, minimum=0, documents=None),
    )


def _every_type() -> Json:
    """Every documented field type, every rule, and documents of every kind."""
    about = entity(
        "About the company",
        NAME,
        ask("purpose", "Purpose", "textarea"),
        ask("kind", "Kind", "select", options=["Trading", "Holding", "Charity"]),
        ask("places", "Places of business", "multi_select", options=["North", "South", "West"]),
        ask("oath", "Declaration", "multi_select", options=["All of this is true"]),
        ask("regulated", "Is it regulated?", "boolean"),
        ask("regulator", "Regulator", depends_on=when("regulated", True)),
        ask("licence_date", "Date of the licence", "date", depends_on=when("regulator", "Larkland Authority")),
        ask("staff", "Number of staff", "number"),
        ask("seat", "Registered seat", "address", provided_by_agent=True),
        ask("books", "Where the books are kept", "address"),
        ask("phone", "Telephone", "phone"),
        ask("markets", "Markets", "nationality"),
        ask("capital", "Capital", "currency_amount", allowed_currencies=["EUR", "JPY", "KWD"]),
        ask("fee", "Fee paid", "currency_amount", allowed_currencies=["EUR"]),
        shared("charter.motto", "Motto in the charter"),
        documents={"entity": [{"name": "Charter, signed", "required": True}, {"name": "Map", "required": False}]},
    )
    south = entity("The south", ask("harbour", "Harbour"), depends_on=when_any("lark.places", "South", "West"))
    directors = role(
        "director",
        "Directors",
        *PERSON,
        shared("person.date_of_birth", "Date of birth", "date"),
        shared("person.nationality", "Nationality", "nationality"),
        ask("resident", "Lives in Larkland?", "boolean"),
        ask("permit", "Number of the permit", depends_on=when("resident", True)),
        allows_corporate=True,
        conditional_min={"field": "kind", "value_in": ["Holding", "Charity"], "minimum": 2},
        documents={
            "person": [{"name": "Passport", "required": True}],
            "entity": [{"name": "Extract", "required": True}],
        },
    )
    council = role("council", "Council", *PERSON, minimum=3, depends_on=when("kind", "Charity"), allows_foundation=True)
    return schema("Form L-2", about, south, directors, council)


def _shares() -> Json:
    """Classes of shares, holdings, and companies without questions of their own."""
    return schema(
        "Form L-3",
        entity("The company", NAME, ask("votes", "Who votes?", "select", options=["All", "Some"])),
        {
            "scope": "share_structure",
            "title": "Shares",
            "fields": [
                shared("share_class.name", "Name of the share class"),
                ask("colour", "Colour of the certificate"),
                ask("why", "Why some only?", depends_on=when("votes", "Some")),
            ],
        },
        role(
            "director", "Directors", *PERSON, ask("class", "Appointed by the class", "share_class_ref", required=False)
        ),
        role("shareholder", "Shareholders", *PERSON, allows_corporate=True, allows_foundation=True),
    )


def _many() -> Json:
    """300 questions in three sections."""
    questions = [ask(f"q{number}", f"Question {number}", required=number % 3 == 0) for number in range(MANY)]
    parts = [entity(f"Part {part + 1}", *questions[part::3]) for part in range(3)]
    return schema("Form L-300", entity("The company", NAME), *parts, role("director", "Directors", *PERSON))


def _deep() -> Json:
    """Rules 50 deep, across two sections."""
    steps = [ask("step0", "Step 0", "boolean")]
    steps += [
        ask(f"step{depth}", f"Step {depth}", "boolean", depends_on=when(f"step{depth - 1}", True))
        for depth in range(1, DEEP + 1)
    ]
    return schema("Form L-50", entity("The company", NAME, *steps[::2]), entity("Further down", *steps[1::2]))


def _mark_up() -> Json:
    """Mark-up, quotes and braces wherever text stands; keys that are no words."""
    return schema(
        ODD_NAME,
        entity(
            ODD_NAME,
            NAME | {"label": ODD_NAME, "help": ODD_NAME},
            ask("odd", ODD_NAME, "select", options=ODD_OPTIONS),
            ask("odds", ODD_NAME, "multi_select", options=ODD_OPTIONS, required=False),
            ask("next", ODD_NAME, depends_on=when("odd", ODD_OPTIONS[0])),
            ask("long", "Long " * 400),
            *(
                {
                    "key": key,
                    "csp_field_key": f"lark.{key}",
                    "label": f"Key {key}",
                    "field_type": "text",
                    "required": True,
                }
                for key in ("a b", "a/b", "a.b", "a:day", 'a"b', "ä", "__proto__", "csrfmiddlewaretoken", "version")
            ),
            help=ODD_NAME,
            documents={"entity": [{"name": ODD_NAME, "required": True}]},
        ),
        role("director", ODD_NAME, *PERSON, documents={"person": [{"name": "../../etc/passwd", "required": True}]}),
        csp_name=ODD_NAME,
        version=MARK_UP,
    )


def _warned() -> Json:
    """Everything that is wrong without making the form unusable."""
    return schema(
        "Form L-W",
        entity("Nothing here"),
        {"scope": "galaxy", "title": "Unknown scope", "fields": [ask("lost", "Never asked")]},
        entity(
            "The company",
            NAME,
            ask("empty", "A choice of nothing", "select", options=[]),
            ask("seat", "Seat", "address", provided_by_agent=True),
            ask("class", "Class", "share_class_ref"),
            ask("never", "Never asked", depends_on=when("nowhere", "x")),
            ask("strange", "Never asked either", depends_on={"field": "name", "operator": "rhymes_with", "value": "x"}),
            ask("sound", "Asked"),
        ),
        role("director", "Directors", *PERSON, minimum="two", conditional_min=when("nowhere", "x") | {"minimum": 9}),
        role("manager", "Managers", *PERSON, minimum=-1),
        agent_address=None,
    )


def _people_only() -> Json:
    """No section about the entity, no name of it, no price, no timeline, no region."""
    return schema("Form L-P", role("member", "Members"))


def _circle() -> Json:
    return schema(
        "Form L-C",
        entity("One", NAME, ask("a", "A", depends_on=when("b", "x"))),
        entity("Two", ask("b", "B", depends_on=when("a", "x"))),
    )


def _twice() -> Json:
    return schema("Form L-T", entity("The company", NAME, ask("a", "A"), ask("a", "A again")))


USABLE: tuple[Json, ...] = (
    item("stranger", "Company with a protector", _stranger()),
    item("every-type", "Company of every kind", _every_type()),
    item("shares", "Company with shares", _shares()),
    item("many", "Company of many questions", _many()),
    item("deep", "Company of deep rules", _deep()),
    item("mark-up", ODD_NAME, _mark_up()),
    item("warned", "Company with warnings", _warned()),
    item(
        "people-only", "Society", _people_only(), price=None, estimated_timeline=None, jurisdiction={"name": "Nowhere"}
    ),
)

FAULTY: tuple[Json, ...] = (
    item("circle", "Company in a circle", _circle()),
    item("twice", "Company asked twice", _twice()),
    item("no-id", "Company without an id", schema("Form", entity("The company", NAME), id=None)),
    item("no-sections", "Company without questions", schema("Form")),
    item("odd-sections", "Company with no list", schema("Form", sections=7)),
    item("no-schema", "Company without a form", None),
)

BROKEN: tuple[Any, ...] = (
    {"product": {"name": "Company without its own id"}, "schema": _people_only()},
    "no item at all",
    None,
)

CATALOG: tuple[Any, ...] = (*USABLE, *FAULTY, *BROKEN)


def id_of(slug: str) -> str:
    """The jurisdiction_product_id of the product with the slug."""
    return same_id(slug)
