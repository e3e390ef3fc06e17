/* What the desk's pages gain where script runs: they look for new cases, and go by keys. Each page works without it.
   Both can be switched off, which this browser remembers. */
(() => {
  "use strict";

  const MINUTE = 60_000;
  const LOOKS_AT_THE_CLOCK = 5_000;

  /* Without storage, as in some private windows, switches last as long as the page. */
  const turned = new Map();
  const kept = (name, value) => {
    try {
      if (value !== undefined) localStorage.setItem(`desk-${name}`, value);
      return localStorage.getItem(`desk-${name}`);
    } catch {
      return null;
    }
  };
  const isOn = (name) => (turned.get(name) ?? kept(name)) !== "off";

  for (const one of document.querySelectorAll("[data-switch]")) one.checked = isOn(one.dataset.switch);
  document.addEventListener("change", ({ target }) => {
    const name = target.dataset?.switch;
    if (!name) return;
    turned.set(name, target.checked ? "on" : "off");
    kept(name, turned.get(name));
  });

  /* ---- New cases. Asked for once a minute at most, and only where somebody sees the answer. ---- */

  let asked = Date.now();
  const look = () => {
    if (!isOn("updates") || document.visibilityState !== "visible" || Date.now() - asked < MINUTE) return;
    asked = Date.now();
    document.getElementById("news")?.dispatchEvent(new Event("look"));
  };
  setInterval(look, LOOKS_AT_THE_CLOCK);
  document.addEventListener("visibilitychange", look);

  /* ---- Keys. None works while somebody types, or with another key held. ---- */

  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
  const sheet = document.getElementById("keys");

  const go = (step) => {
    const links = [...document.querySelectorAll(".queue tbody .name")];
    const at = links.findIndex((link) => link.closest("tr").contains(document.activeElement));
    links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
  };
  const DEEDS = {
    "/": () => document.getElementById("filter-q")?.focus(),
    j: () => go(1),
    k: () => go(-1),
    n: () => document.getElementById("next-case")?.click(),
    "?": () => sheet?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey, isComposing, repeat } = event;
    const deed = Object.hasOwn(DEEDS, key) && DEEDS[key];
    if (!deed || ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented) return;
    if (!isOn("keys") || sheet?.open || target.closest?.(TYPED) || (repeat && key === "n")) return;
    event.preventDefault();
    deed();
  });
  document.addEventListener("click", ({ target }) => target.closest?.("[data-keys]") && sheet?.showModal());
})();
