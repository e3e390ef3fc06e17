"""What an error summary must be (goal 8): first on the page, each problem once, and the same words at its control."""

from collections.abc import Iterator
from typing import Any

from lxml import html as lxml_html

from tests.journeys.page import words

_CONTROLS = ("input", "select", "textarea", "fieldset")


def faults_of_summary(html: str, *, is_for_several: bool = False) -> Iterator[str]:
    """Everything that is wrong with the summary of a page; also where there is none.

    `is_for_several`: what is wrong is wrong with several answers together, so that it stands at none of them.
    """
    root = lxml_html.fromstring(html)
    found = root.xpath("//main//*[contains(concat(' ', @class, ' '), ' error-summary ')]")
    if len(found) != 1:
        yield f"{len(found)} summaries"
        return
    [summary] = found
    if (summary.get("tabindex"), summary.get("role"), summary.get("autofocus") is None) != ("-1", "alert", False):
        yield "it doesn't take the focus"
    if not words(root.find(".//title")).startswith("Error: "):
        yield "the title doesn't say so"
    lines = [(link.get("href"), words(link)) for link in summary.xpath(".//li/a")]
    if not lines or len(set(lines)) < len(lines):
        yield f"it says {lines}"
    for href, text in lines:
        yield from _faults_at_control(root, href, text, is_for_several)


def _faults_at_control(root: Any, href: str, text: str, is_for_several: bool) -> Iterator[str]:
    targets = root.xpath("//*[@id=$id]", id=href.removeprefix("#"))
    if len(targets) != 1 or not href.startswith("#"):
        yield f"{href} leads to {len(targets)} places"
        return
    [target] = targets
    if target.tag not in _CONTROLS and not target.get("tabindex"):
        yield f"{href} leads to what can't take the focus"
    tied = " ".join(target.xpath("ancestor-or-self::*/@aria-describedby")).split()
    beside = " ".join(words(one) for name in tied for one in root.xpath("//*[@id=$id]", id=name))
    # One of several files is named before the words, by the heading that stands over the control itself.
    name, _, rest = text.partition(": ")
    is_named = rest in beside and name in words(target.getparent().getparent().getparent())
    if text not in beside and not (rest and is_named) and not is_for_several:
        yield f"{href} says {beside!r} and not {text!r}"
