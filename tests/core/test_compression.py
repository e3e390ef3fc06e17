"""Pages packed with Brotli, for browsers that take it."""

import gzip

import brotli
import pytest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from formation_portal.core.compression import Brotli

_TEXT = "Share classes. " * 100


def packed(response: HttpResponseBase, takes: str = "gzip, deflate, br, zstd", **more: str) -> HttpResponseBase:
    request = HttpRequest()
    request.META |= {"HTTP_ACCEPT_ENCODING": takes} | more
    return Brotli(lambda _: response)(request)


def test_a_page_is_packed_once_in_the_way_that_the_browser_takes_best(as_nobody: Client) -> None:
    plain = as_nobody.get("/privacy/")
    first = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}
    best = as_nobody.get("/privacy/", headers={"Accept-Encoding": "gzip, br"} | first)
    usual = as_nobody.get("/privacy/", headers={"Accept-Encoding": "gzip"} | first)
    assert (best["Content-Encoding"], usual["Content-Encoding"]) == ("br", "gzip")
    assert b"<h1>" in brotli.decompress(best.content)
    assert b"<h1>" in gzip.decompress(usual.content)
    assert len(best.content) < len(usual.content) < len(plain.content)
    assert all("Accept-Encoding" in one["Vary"] for one in (plain, best, usual))


def test_what_a_browser_has_to_wait_for_with_nothing_of_ours_is_packed_best() -> None:
    text, first = (
        "".join(f"<li>Share {n * n % 97} of {n % 7}</li>" for n in range(1500)),
        {"HTTP_SEC_FETCH_DEST": "document"},
    )
    lengths = [int(packed(HttpResponse(text), **more)["Content-Length"]) for more in (first, {})]
    assert lengths[0] < lengths[1]


def test_how_long_an_answer_is_does_not_tell_how_well_it_was_packed() -> None:
    lengths = {len(packed(HttpResponse(_TEXT))["X-Padding"]) for _ in range(200)}
    assert len(lengths) > 50


def test_what_is_packed_has_a_weak_tag_and_its_own_length() -> None:
    answer = packed(HttpResponse(_TEXT, headers={"ETag": '"1"', "Content-Length": "1500"}))
    assert isinstance(answer, HttpResponse)
    assert (answer["ETag"], answer["Content-Length"]) == ('W/"1"', str(len(answer.content)))
    assert brotli.decompress(answer.content).decode() == _TEXT


@pytest.mark.parametrize(
    ("response", "takes"),
    [
        (HttpResponse("short"), "br"),
        (HttpResponse(_TEXT), "gzip"),
        (HttpResponse(_TEXT, headers={"Content-Encoding": "identity"}), "br"),
    ],
)
def test_what_is_short_or_packed_or_not_taken_stays_as_it_is(response: HttpResponse, takes: str) -> None:
    before = response.content
    answer = packed(response, takes)
    assert isinstance(answer, HttpResponse)
    assert answer.content == before
    assert answer.get("Content-Encoding") != "br"
