"""What can be used on a page: controls, links and buttons, by the words that people know them by."""

from __future__ import annotations

from dataclasses import dataclass

# What is read of one of them.
_READ = """const read = (at) => {
  const named = (at.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent);
  const group = at.closest("fieldset")?.querySelector("legend")?.textContent;
  const own = [at.getAttribute("aria-label"), ...named, ...[...(at.labels ?? [])].map((one) => one.textContent)];
  const words = [...own, ["BUTTON", "A", "SUMMARY"].includes(at.tagName) ? at.textContent : ""];
  return {
    tag: at.tagName.toLowerCase(), type: at.type ?? "", id: at.id, name: at.name ?? "",
    group: (group ?? "").replace(/\\s+/g, " ").trim(),
    words: words.filter(Boolean).join(" ").replace(/\\s+/g, " ").trim(), checked: Boolean(at.checked),
  };
};
"""

# What has the focus, and how it looks. A control that is drawn by what is around it shows the ring there.
FOCUSED = (
    "() => {"
    + _READ
    + """
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const ringed = [at, at.closest(".choice"), at.closest("label")].filter(Boolean);
  const rings = ringed.some((one) => {
    const {outlineStyle, outlineWidth} = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  });
  const box = at.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
  const y = Math.min(Math.max(box.top + Math.min(box.height / 2, 20), 1), innerHeight - 1);
  const over = document.elementFromPoint(x, y);
  const covered = !over || !(at.contains(over) || over.contains(at) || ringed.some((one) => one.contains(over)));
  const last = window.lastFocused;
  const isForward = !last || !last.isConnected
    || Boolean(last.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING) || last === at;
  window.lastFocused = at;
  return {...read(at), rings, inside, covered, isForward};
}"""
)

# Everything that can be pressed or filled in, from what has the focus onwards and round.
OFFERED = (
    "() => {"
    + _READ
    + """
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.disabled && one.tabIndex >= 0);
  const next = all.indexOf(document.activeElement) + 1;
  window.offered = [...all.slice(next), ...all.slice(0, next)];
  return window.offered.map(read);
}"""
)


@dataclass(frozen=True)
class FocusableControl:
    """One of them. How the focus looks is only known of the one that has it."""

    tag: str
    type: str
    id: str
    name: str
    group: str
    words: str
    checked: bool
    rings: bool = True
    inside: bool = True
    covered: bool = False
    isForward: bool = True  # noqa: N815  the script's own word

    def is_called(self, words: str) -> bool:
        return words.lower() in f"{self.group} {self.words}".lower()

    @property
    def is_link_or_button(self) -> bool:
        return self.tag in ("a", "button")

    @property
    def is_text(self) -> bool:
        return self.tag in ("input", "textarea") and self.type not in ("radio", "checkbox", "file")

    def faults(self) -> list[str]:
        return [
            words
            for is_so, words in (
                (not self.rings and self.id != "main", "nothing shows the focus"),
                (not self.inside, "the focus is out of sight"),
                (self.covered, "something covers it"),
                (not self.isForward, "comes before what had the focus"),
            )
            if is_so
        ]
