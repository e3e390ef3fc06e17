"""A page as a generic client sees it: links, forms, labelled controls. It knows no product, field or role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urljoin

from lxml import html

Element = html.HtmlElement

_CHOSEN = ("radio", "checkbox")


@dataclass(frozen=True)
class Option:
    value: str
    label: str


@dataclass
class Control:
    """One question's control: an input, or all radio buttons, tick boxes and lists that share its name.

    `filled` is what a browser posts for it, `found` what it held when the page was read. `group` holds the legends
    around it, outermost first.
    """

    name: str
    id: str
    kind: str
    label: str
    group: str
    hint: str = ""
    options: list[Option] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    inputmode: str = ""

    @property
    def is_optional(self) -> bool:
        return "(optional)" in f"{self.group} {self.label}"

    @property
    def is_empty(self) -> bool:
        return not any(self.filled)

    @property
    def words(self) -> str:
        return f"{self.group} {self.label}".strip()

    def label_of(self, value: str) -> str:
        """The words beside what was chosen; for what was typed, itself."""
        return next((option.label for option in self.options if option.value == value), value)


@dataclass(frozen=True)
class Button:
    """A way to send a form; with an address of its own it goes there."""

    name: str
    value: str
    text: str
    action: str


@dataclass
class Form:
    """One form: where it goes, how, what it holds, and the buttons that send it.

    `heading` is its page's, `place` its number among all forms of the page.
    """

    action: str
    method: str
    heading: str
    id: str
    place: int
    is_multipart: bool
    fixed: list[tuple[str, str]]
    controls: list[Control]
    buttons: list[Button]

    def button(self, text: str = "") -> Button:
        return next(one for one in self.buttons if text in one.text)

    def has_button(self, text: str) -> bool:
        return any(text in one.text for one in self.buttons)

    def data(self, button: Button | None = None) -> list[tuple[str, str]]:
        """What a browser would post when the button is pressed."""
        pairs = list(self.fixed)
        for control in self.controls:
            if control.kind != "file":
                pairs += [(control.name, value) for value in control.filled]
        if button and button.name:
            pairs.append((button.name, button.value))
        return pairs

    def control(self, words: str) -> Control:
        return next(one for one in self.controls if words in one.words)


class Page:
    """A parsed page. What is hidden is posted as it stands, but nobody fills it in."""

    def __init__(self, text: str, address: str, status: int = 200) -> None:
        self.text = text
        self.address = address
        self.status = status
        self.root: Element = html.fromstring(text)

    @property
    def title(self) -> str:
        return " ".join((self.root.findtext(".//title") or "").split())

    @property
    def heading(self) -> str:
        return words(self.root.find(".//h1"))

    @property
    def words(self) -> str:
        return words(self.root.find(".//main"))

    def links(self, *, around: Element | None = None) -> Iterator[tuple[str, str]]:
        """Text and address of each visible link in the main part, or within an element."""
        start = self.root.find(".//main") if around is None else around
        for link in start.iter("a"):
            if link.get("href") is not None and not is_hidden(link):
                yield words(link), urljoin(self.address, link.get("href"))

    def link(self, text: str) -> str:
        return next(address for shown, address in self.links() if text in shown)

    def by_heading(self, text: str) -> Element | None:
        """What stands under a heading of these very words: the nearest element around it that holds a link or form."""
        for heading in self.root.xpath("//main//h2 | //main//h3"):
            if words(heading) == text:
                return next(iter(heading.xpath("ancestor::*[.//a or .//form][1]")), None)
        return None

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What the page's lists say is still needed, each with the address where it is filled in; advice is not."""
        needed = "//main//ul[contains(concat(' ', @class, ' '), ' needs ')]/li[not(contains(@class, 'is-warning'))]"
        items = self.root.xpath(f"{needed}//a[@href]")
        return [(words(link), urljoin(self.address, link.get("href"))) for link in items if not is_hidden(link)]

    @property
    def errors(self) -> list[str]:
        return [words(item) for item in self.root.xpath("//main//*[contains(@class, 'error-summary')]//li")]

    @cached_property
    def forms(self) -> list[Form]:
        found = enumerate(self.root.xpath("//main//form"))
        return [self._form(form, place) for place, form in found if not is_hidden(form)]

    def form(self, *, button: str) -> Form:
        return next(form for form in self.forms if form.has_button(button))

    def _form(self, form: Element, place: int) -> Form:
        made = Form(
            action=urljoin(self.address, form.get("action") or ""),
            method=(form.get("method") or "get").lower(),
            heading=self.heading,
            id=form.get("id", ""),
            place=place,
            is_multipart=form.get("enctype") == "multipart/form-data",
            fixed=[],
            controls=[],
            buttons=[],
        )
        named: dict[str, Control] = {}
        for element in self._elements(form):
            self._take(made, named, element)
        made.controls = list(named.values())
        for control in made.controls:
            control.found = list(control.filled)
        return made

    def _elements(self, form: Element) -> Iterator[Element]:
        """The form's inputs and buttons, also those that stand elsewhere and name it."""
        wanted = "self::input or self::select or self::textarea or self::button"
        yield from form.xpath(f".//*[({wanted}) and not(@form)]")
        if form.get("id"):
            yield from self.root.xpath(f"//*[({wanted}) and @form=$id]", id=form.get("id"))

    def _take(self, form: Form, named: dict[str, Control], element: Element) -> None:
        kind = element.get("type", "text") if element.tag == "input" else element.tag
        name = element.get("name", "")
        if element.get("disabled") is not None:
            return
        if kind == "button":
            if element.get("type", "submit") == "submit" and not is_hidden(element) and not element.get("aria-hidden"):
                action = urljoin(self.address, element.get("formaction") or "") if element.get("formaction") else ""
                form.buttons.append(Button(name, element.get("value", ""), words(element), action or form.action))
        elif not name:
            return
        elif kind == "hidden":
            form.fixed.append((name, element.get("value", "")))
        elif is_hidden(element):
            form.fixed += [(name, value) for value in _filled(element, kind)]
        elif name in named and (kind in _CHOSEN) != (named[name].kind in _CHOSEN):
            # A list to add from beside tick boxes: posted as it stands.
            named[name].filled += [value for value in _filled(element, kind) if value]
        elif name in named:
            named[name].filled += _filled(element, kind)
            named[name].options += self._options(element, kind)
        else:
            named[name] = self._control(element, kind, name)

    def _control(self, element: Element, kind: str, name: str) -> Control:
        return Control(
            name=name,
            id=element.get("id", ""),
            kind=kind,
            label=self._label(element),
            group=self._group(element, kind),
            hint=self._hint(element),
            options=self._options(element, kind),
            filled=_filled(element, kind),
            inputmode=element.get("inputmode", ""),
        )

    @staticmethod
    def _group(element: Element, kind: str) -> str:
        """The legends around a control; for a file, which has a form to itself, the heading of its row."""
        around = element.xpath("ancestor::fieldset/legend")
        if kind == "file" and not around:
            around = element.xpath("ancestor::li[1]//*[self::h2 or self::h3 or self::h4]")
        return " ".join(words(one) for one in around)

    def _options(self, element: Element, kind: str) -> list[Option]:
        if kind == "select":
            return [Option(_value(option), words(option)) for option in element.iter("option")]
        return [Option(element.get("value", "on"), self._label(element))] if kind in _CHOSEN else []

    def _label(self, element: Element) -> str:
        own = self.root.xpath("//label[@for=$id]", id=element.get("id", ""))
        around = element.xpath("ancestor::label")
        return words(own[0] if own else around[0]) if own or around else element.get("aria-label", "")

    def _hint(self, element: Element) -> str:
        tied = element.xpath("ancestor-or-self::*/@aria-describedby")
        ids = [name for names in tied for name in names.split()]
        return " ".join(words(found) for name in ids for found in self.root.xpath("//*[@id=$id]", id=name))


def _filled(element: Element, kind: str) -> list[str]:
    """What a browser posts for the element as it stands."""
    if kind in _CHOSEN:
        return [element.get("value", "on")] if element.get("checked") is not None else []
    if kind == "select":
        options = list(element.iter("option"))
        chosen = [option for option in options if option.get("selected") is not None]
        return [_value((chosen or options)[-1 if chosen else 0])] if options else []
    if kind == "textarea":
        # A browser drops one line end after the tag.
        return [(element.text or "").removeprefix("\n").replace("\n", "\r\n")]
    return [] if kind == "file" else [element.get("value", "")]


def _value(option: Element) -> str:
    value = option.get("value")
    return words(option) if value is None else value


def is_hidden(element: Element) -> bool:
    return bool(element.xpath("ancestor-or-self::*[@hidden]"))


def words(element: Element | None) -> str:
    return "" if element is None else " ".join(element.text_content().split())
