"""A page as a stranger's client sees it: links, forms, labelled controls. It knows no product, field or role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import html

Element = html.HtmlElement


@dataclass
class Control:
    """One thing to fill in: a single input, or a group of radio buttons or tick boxes with one name."""

    name: str
    kind: str
    label: str
    group: str
    is_optional: bool
    values: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    autocomplete: str = ""
    inputmode: str = ""


@dataclass
class Form:
    """One form: where it goes, how, what it holds, and the buttons that send it."""

    action: str
    method: str
    is_multipart: bool
    fixed: list[tuple[str, str]]
    controls: list[Control]
    buttons: list[tuple[str, str, str]]

    def data(self, *, button: str | None = None) -> list[tuple[str, str]]:
        """What a browser would post when the button with the text is pressed; the first one by default."""
        pairs = list(self.fixed)
        for control in self.controls:
            pairs += [(control.name, value) for value in control.filled]
        wanted = next((one for one in self.buttons if button is None or button in one[2]), None)
        if wanted and wanted[0]:
            pairs.append((wanted[0], wanted[1]))
        return pairs


class Page:
    """A parsed page. Hidden regions are left out: a client without script fills in what it is shown."""

    def __init__(self, text: str, address: str) -> None:
        self.text = text
        self.address = address
        self.root: Element = html.fromstring(text)

    @property
    def title(self) -> str:
        return " ".join((self.root.findtext(".//title") or "").split())

    @property
    def heading(self) -> str:
        return words(self.root.find(".//h1"))

    def links(self, *, within: str = "main") -> Iterator[tuple[str, str]]:
        """Text and address of each visible link."""
        for link in self.root.xpath(f"//{within}//a[@href]"):
            if not is_hidden(link):
                yield words(link), urljoin(self.address, link.get("href"))

    def link(self, text: str) -> str:
        """The address of the first link whose text holds the words."""
        return next(address for words_, address in self.links() if text in words_)

    def forms(self) -> list[Form]:
        return [self._form(form) for form in self.root.xpath("//main//form") if not is_hidden(form)]

    def _form(self, form: Element) -> Form:
        fixed: list[tuple[str, str]] = []
        controls: dict[str, Control] = {}
        buttons: list[tuple[str, str, str]] = []
        for element in form.xpath(".//input | .//select | .//textarea | .//button"):
            kind = element.get("type", "text") if element.tag == "input" else element.tag
            name = element.get("name", "")
            if element.tag == "button":
                if element.get("type", "submit") == "submit" and not is_hidden(element):
                    buttons.append((name, element.get("value", ""), words(element)))
            elif not name or element.get("disabled") is not None:
                continue
            elif kind == "hidden":
                fixed.append((name, element.get("value", "")))
            elif is_hidden(element):
                fixed += [(name, value) for value in _filled(element, kind)]
            else:
                self._add(controls, element, kind, name)
        return Form(
            action=urljoin(self.address, form.get("action") or ""),
            method=(form.get("method") or "get").lower(),
            is_multipart=form.get("enctype") == "multipart/form-data",
            fixed=fixed,
            controls=list(controls.values()),
            buttons=buttons,
        )

    def _add(self, controls: dict[str, Control], element: Element, kind: str, name: str) -> None:
        # Selects that share a name are one question with several places for an answer.
        known = controls.get(name)
        if known is None:
            known = controls[name] = Control(name, kind, self._label(element), self._legend(element), False)
            known.autocomplete = element.get("autocomplete", "")
            known.inputmode = element.get("inputmode", "")
            known.is_optional = "(optional)" in f"{known.label} {known.group}"
        if kind == "select":
            known.values = known.values or [option.get("value", words(option)) for option in element.iter("option")]
        elif kind in ("radio", "checkbox"):
            known.values.append(element.get("value", "on"))
        known.filled += _filled(element, kind)

    def _label(self, element: Element) -> str:
        own = self.root.xpath("//label[@for=$id]", id=element.get("id", ""))
        around = element.xpath("ancestor::label")
        return words(own[0] if own else around[0]) if own or around else element.get("aria-label", "")

    def _legend(self, element: Element) -> str:
        return " / ".join(words(legend) for legend in element.xpath("ancestor::fieldset/legend"))


def _filled(element: Element, kind: str) -> list[str]:
    if kind in ("radio", "checkbox"):
        return [element.get("value", "on")] if element.get("checked") is not None else []
    if kind == "select":
        chosen = [option for option in element.iter("option") if option.get("selected") is not None]
        first = next(element.iter("option"), None)
        option = chosen[-1] if chosen else first
        return [] if option is None else [value] if (value := option.get("value", words(option))) else []
    if kind == "textarea":
        # A browser drops one newline after the tag.
        return [text] if (text := (element.text or "").removeprefix("\n")) else []
    return [value] if kind != "file" and (value := element.get("value", "")) else []


def is_hidden(element: Element) -> bool:
    """Whether the element or anything around it is hidden."""
    return bool(element.xpath("ancestor-or-self::*[@hidden]"))


def words(element: Element | None) -> str:
    """An element's text with single spaces."""
    return "" if element is None else " ".join(element.text_content().split())
