"""Inputs from public bug reports of other forms, each with its source: a repository and an issue of GitHub."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.utils.translation import override

from formation_portal.contract.fields.types import read_field
from formation_portal.contract.fields.values import AnswerError
from tests.contract.builders import question


def field(field_type: str, canonical_field: str = "", **more: Any) -> Any:
    definition = {"key": "it", "label": "It", "field_type": field_type, "canonical_field": canonical_field}
    return read_field(definition | more if canonical_field else question("it", field_type, label="It", **more))


PHONE = field("phone")
EMAIL = field("text", "person.email")
NAME = field("text", "corporate.name")
ADDRESS = field("address")
NATIONALITY = field("nationality")
AMOUNT = field("currency_amount", allowed_currencies=["CHF", "EUR", "ISK", "JPY", "SEK"])
DATE = field("date", "person.date_of_birth")


def refusal(spec: Any, typed: Any) -> str:
    with pytest.raises(AnswerError) as refused:
        spec.clean(typed)
    return refused.value.message


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("+387061899941", "+38761899941"),  # floere/phony #284
        ("+460736829291", "+46736829291"),  # floere/phony #305
        ("+44 07700900000", "+447700900000"),  # dongri/phonenumber #49
        ("+++46 70 000 00 00", "+46700000000"),  # google/libphonenumber #1005
        ("0046081231234", "+4681231234"),  # twcclegg/libphonenumber-csharp #77
        ("tel:+44-114-272-6444;ext=1234", "+441142726444"),  # TrevorPilley/phone-number-parser #492
        ("+16502530000 x136", "+16502530000"),  # daddyz/phonelib #367
        ("+1-608-271-9000-x11", "+16082719000"),  # CDCgov/dibbs-ecr-viewer #497
        ("+54 91123017883", "+5491123017883"),  # alexplumb/material-ui-phone-number #109
        ("+2250705181123", "+2250705181123"),  # ruimarinho/google-libphonenumber #396
        ("+1 520-878-2491", "+15208782491"),  # whisperfish/rust-phonenumber #47
    ],
)
def test_a_telephone_number_is_sent_as_the_network_has_it(typed: str, sent: str) -> None:
    assert PHONE.clean(typed) == sent


@pytest.mark.parametrize(
    ("typed", "cause"),
    [
        ("+353ks.123456789", "as one number without words"),  # daviddrysdale/python-phonenumbers #291
        ("+1 555-1212 (nicki's cell phone)", "as one number without words"),  # CrisisCleanup/crisiscleanup-2 #399
        ("441843297700", "with the country code"),  # catamphetamine/libphonenumber-js #298
    ],
)
def test_a_telephone_number_is_refused_for_its_true_cause(typed: str, cause: str) -> None:
    assert refusal(PHONE, typed) == f"Enter “It” {cause}, like +41 41 728 80 00"


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("john_o'groats@ireland.com", "john_o'groats@ireland.com"),  # jquerytools/jquerytools #723
        ("office@eastvalleyliving.homes", "office@eastvalleyliving.homes"),  # Tymeslot/tymeslot #83
        ("test+123@host.com", "test+123@host.com"),  # manishsaraan/email-validator #21
        ("ada\uff20example.com", "ada@example.com"),  # whatwg/html #1389
        ("somename@\uff47\uff4d\uff41\uff49\uff4c.com", "somename@gmail.com"),  # validatorjs/validator.js #343
        ("name@test\u3002com", "name@test.com"),  # hapijs/joi #2940
        ("first.o\u2019last@example.com", "first.o'last@example.com"),  # alphagov/notifications-utils #500
    ],
)
def test_an_email_address_is_sent_as_mail_servers_know_it(typed: str, sent: str) -> None:
    assert EMAIL.clean(typed) == sent


@pytest.mark.parametrize(
    "typed",
    [
        "user@example.com.",  # alecthomas/voluptuous #526
        "Test <address@example.com> (Comment)",  # Perl-Email-Project/Email-Valid #36
    ],
)
def test_what_is_more_or_less_than_an_email_address_is_refused(typed: str) -> None:
    assert refusal(EMAIL, typed) == "Enter “It” as an e-mail address, like name@example.com"


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("O\u2019Neill", "O\u2019Neill"),  # opencrvs/opencrvs-core #5127
        ("J'Marcus", "J'Marcus"),  # codeforamerica/golden-ticket #44
        ("null", "null"),  # pandas-dev/pandas #32084
        ("F", "F"),  # digitalfabrik/entitlementcard #1829
        ("Cuba Gooding Jr.", "Cuba Gooding Jr."),  # ExtensionEngine/tailor #803
        ("e\u0301", "\u00e9"),  # nijikokun/Diacritics.js #4
        ("\u0628\u0631\u0646\u0627\u0645\u0647\u200c\u0647\u0627",) * 2,  # kepano/defuddle #103
        ("\u2800", None),  # Expensify/App #96468
        ('Toys "R" Us', 'Toys "R" Us'),  # PalisadoesFoundation/talawa #505
        ("RE/MAX", "RE/MAX"),  # bcgov/entity #3079
        ("G&L Brothers", "G&L Brothers"),  # frappe/erpnext #23901
    ],
)
def test_a_name_is_sent_as_its_owner_writes_it(typed: str, sent: str | None) -> None:
    assert NAME.clean(typed) == sent


@pytest.mark.parametrize(
    ("country", "city", "postcode", "advice"),
    [
        ("IE", "Dublin", "D6W XK06", ""),  # sirprize/postal-code-validator #21
        ("IE", "Limerick", "", ""),  # google/libaddressinput #235
        ("GB", "BFPO", "BF1 6FA", ""),  # ideal-postcodes/postcodes.io #986
        ("GI", "", "GX11 1AA", ""),  # alphagov/notifications-utils #1112
        ("NL", "Amsterdam", "1234AA", ""),  # magento/magento2 #11898
        ("LT", "Vilnius", "LT-10309", ""),  # woocommerce/woocommerce #29212
        ("AT", "Innsbruck", "A-6020", ""),  # woocommerce/woocommerce #29212
        ("BW", "Gaborone", "", ""),  # Cimpress-MCP/postal-codes-js #62
        ("LU", "Luxembourg", "1111", ""),  # drhenner/ror_ecommerce #135
        ("US", "Portland", "4101", "looks like 95014"),  # wpsharks/s2member #1148
    ],
)
def test_a_postcode_that_is_usual_in_its_country_gets_no_advice(
    country: str, city: str, postcode: str, advice: str
) -> None:
    # A house without a street: w3c/i18n-drafts #754.
    typed = {"street1": "Trelissick House", "city": city, "postcode": postcode, "country": country}
    typed |= {"region": "Maine"} if country == "US" else {}
    assert ADDRESS.clean(typed) is not None
    assert advice in ADDRESS.ambiguity_note(typed)
    assert bool(advice) == bool(ADDRESS.ambiguity_note(typed))


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("NA", "NA"),  # vincentarelbundock/countrycode #111
        ("Korea, Republic of", "KR"),  # IndEcol/country_converter #114
        ("South Korea", "KR"),  # invoiceninja/invoiceninja #9595
        ("Democratic People's Republic of Korea", "KP"),  # vincentarelbundock/countrycode #27
        ("Hellenic Republic", "GR"),  # vincentarelbundock/countrycode #27
        ("Czech Republic", "CZ"),  # mikelodder7/celes #11
        ("Türkiye", "TR"),  # 2Abendsegler/GClh #2670
        ("Scotland", "GB"),  # cubecart/v6 #2134
        ("Palestine", "PS"),  # joielechong/CountryCodePicker #17
        # The same in the form of the United Nations, and one that is not China's.
        ("Iran (Islamic Republic of)", "IR"),
        ("Republic of China", "TW"),
    ],
)
def test_a_country_is_known_by_each_of_its_names(cell: str, code: str) -> None:
    assert NATIONALITY.from_cells({"": cell}) == [code]


@pytest.mark.parametrize(
    ("typed", "currency", "sent"),
    [
        ("CHF 1'234'567.89", "CHF", 1234567.89),  # ledger/ledger #2609
        ("14 000,12 EUR", "EUR", 14000.12),  # JavaMoney/jsr354-ri #193
        ("2.99 €", "EUR", 2.99),  # jbms/beancount-import #183
        ("1.234.567,89", "EUR", 1234567.89),  # saleor/saleor-dashboard #6307
        ("705.00", "JPY", 705),  # woocommerce/woocommerce-gateway-amazon-pay #148
        ("1000円", "JPY", 1000),  # scrapinghub/price-parser #30
        ("100 kr", "SEK", 100),  # payscale/country-currency-map #14
    ],
)
def test_an_amount_is_read_with_its_marks_and_signs(typed: str, currency: str, sent: float) -> None:
    raw = AMOUNT.from_post(QueryDict(urlencode({"it:amount": typed, "it:currency": currency})), "it")
    assert AMOUNT.payload(AMOUNT.clean(raw)) == {"amount": sent, "currency": currency}


def test_an_amount_has_no_decimals_where_its_currency_has_none() -> None:
    # Expensify/App #26551
    assert refusal(AMOUNT, {"amount": "100.50", "currency": "ISK"}) == "Enter “It” with at most 0 decimals in ISK"


@pytest.mark.parametrize(
    ("language", "typed", "sent"),
    [
        ("en", ("1", "Sept", "1980"), "1980-09-01"),  # alphagov/govuk-design-system #2889
        ("fr", ("18", "sept.", "2018"), "2018-09-18"),  # scrapinghub/dateparser #962
        ("de", ("5", "MRZ", "1980"), "1980-03-05"),  # scrapinghub/dateparser #395
        ("es", ("7", "setiembre", "1980"), "1980-09-07"),  # wanasit/chrono #226
        ("en", ("2/20/1949", "", ""), "1949-02-20"),  # SheetJS/sheetjs #2301
        ("en", ("1.2.1934", "", ""), "1934-02-01"),  # odoo/odoo #111637
        ("en", ("Sept. 5, 2016", "", ""), "2016-09-05"),  # bear/parsedatetime #209
        ("en", ("\u0665", "\u0663", "\u0661\u0669\u0668\u0660"), "1980-03-05"),  # odoo/odoo #17156
    ],
)
def test_a_date_is_read_as_it_stands_in_documents(language: str, typed: tuple[str, str, str], sent: str) -> None:
    with override(language):
        raw = dict(zip(("day", "month", "year"), typed, strict=True))
        assert DATE.payload(DATE.clean(raw)) == sent


def test_a_year_of_two_digits_has_two_readings() -> None:
    # alphagov/govuk-design-system-backlog #43
    message = refusal(DATE, {"day": "1", "month": "3", "year": "80"})
    assert message == "Enter the year of “It” with four digits, like 1985"


def test_a_pasted_date_with_two_readings_is_asked_again() -> None:
    # OCA/bank-statement-import #999
    raw = {"day": "08/07/2026", "month": "", "year": ""}
    assert "08/07/2026 could mean two dates" in refusal(DATE, raw)
