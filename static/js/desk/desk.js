/* What the desk's pages gain where script runs: keys. Each page works without them.

   This file knows no page: a page says itself what its keys do, and the sheet is read from it.
     data-key="a"          the key presses this button, link or box
     data-key-focus="a"    the key only goes there; Enter then presses it (for what can't be undone)
     data-key-words="…"    what the sheet says; without it the element's own words; empty: not in the sheet
     data-key-shown="1–9"  what the sheet shows instead of the key
     data-key-here="y"     on a button: pressed in the section in hand; where none is, the key goes to the first one
     data-row              a link or heading that J and K go through; a box in the same row belongs to it
     data-key-rows         on a button: does what it does to the ticked rows, or else to the one that has the focus */
(() => {
  "use strict";

  const sheet = document.getElementById("keys");
  const shift = sheet?.querySelector("[data-switch]");
  /* Safari before 17.4 can't be asked. */
  const isVisible = (one) => one.checkVisibility?.() ?? one.getClientRects().length > 0;
  const isShown = (one) => !one.disabled && isVisible(one);
  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

  /* ---- What keys do. Of several elements with the same key, the first one that can be seen. ---- */

  const links = () => [...document.querySelectorAll("[data-row]")].filter(isShown);
  const rows = () => links().map((link) => link.closest("tr, li, section"));
  /* Where the focus is, else what the address leads to. */
  const inHand = (row) => row.contains(document.activeElement);
  const isTarget = (row) => row.matches(":target, :has(:target)");
  const rowInHand = () => (rows().some(inHand) ? rows().findIndex(inHand) : rows().findIndex(isTarget));
  const go = (step) => () => {
    const [all, at] = [links(), rowInHand()];
    all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
  };
  const tickRow = () => {
    const boxes = rows().map((row) => row.querySelector("input[type=checkbox]"));
    if (!boxes.some((box) => box?.checked)) boxes[rowInHand()]?.click();
  };
  const allKeyed = (key, kind) =>
    [...document.querySelectorAll(`[data-key${kind}="${CSS.escape(key)}"]`)].filter(isShown);
  const keyed = (key, kind) => allKeyed(key, kind)[0];
  const pressHere = (buttons) => {
    const here = (fits) => buttons.find((one) => fits(one.closest("section")));
    const one = here(inHand) ?? here(isTarget);
    if (one) one.click();
    else buttons[0].closest("section").querySelector("h2").focus();
  };

  const deedOf = (key) => {
    if (key === "?") return () => open();
    if (key === "j" || key === "k") return links().length ? go(key === "j" ? 1 : -1) : null;
    const pressed = keyed(key, "");
    const focused = pressed ? null : keyed(key, "-focus");
    if (focused) return () => focused.focus();
    const here = allKeyed(key, "-here");
    if (here.length) return () => pressHere(here);
    return pressed && (() => {
      if (pressed.hasAttribute("data-key-rows")) tickRow();
      pressed.click();
    });
  };

  /* ---- The sheet. Until it was opened once, no other key works; then all of them do, until they are turned off. ---- */

  const line = (keys, words) => {
    const group = document.createElement("div");
    const [term, told] = [document.createElement("dt"), document.createElement("dd")];
    term.append(Object.assign(document.createElement("kbd"), { className: "key", textContent: keys }));
    told.append(words);
    group.append(term, told);
    return group;
  };
  const named = (text) => (text.length === 1 ? text.toUpperCase() : text);
  const told = (one) => {
    const { key, keyFocus, keyHere, keyShown, keyWords } = one.dataset;
    const words = keyWords ?? (one.labels?.[0] ?? one).textContent.trim();
    const enter = keyFocus && !one.matches(TYPED) ? ", with Enter" : "";
    return words ? [[keyShown ?? named(key ?? keyFocus ?? keyHere), words + enter]] : [];
  };
  const lines = () => {
    const own = [...document.querySelectorAll("[data-key], [data-key-focus], [data-key-here]")].filter(isShown).flatMap(told);
    const moves = [["J", "Next row"], ["K", "Previous row"], ["Enter", "Open row"]];
    const every = [...own, ...(links().length ? moves : []), ["?", "Show shortcuts"]];
    return every.filter(([keys], at) => every.findIndex(([others]) => others === keys) === at);
  };
  const open = () => {
    if (!sheet || sheet.open) return;
    const list = sheet.querySelector("dl");
    list.replaceChildren(...lines().map(([keys, words]) => line(keys, words)));
    if (!shift.dataset.kept && !shift.checked) shift.click();
    sheet.showModal();
  };

  /* ---- None works while somebody types, or with another key held. ---- */

  const works = (key) => shift && (shift.checked || (key === "?" && shift.dataset.kept !== "off"));

  document.addEventListener("keydown", (event) => {
    const { target, ctrlKey, metaKey, altKey, isComposing, repeat } = event;
    const key = event.key.length === 1 ? event.key.toLowerCase() : "";
    /* Some keyboards write brackets with AltGr. */
    const isHeld = metaKey || ((ctrlKey || altKey) && !event.getModifierState("AltGraph"));
    if (!key.trim() || isHeld || isComposing || event.defaultPrevented) return;
    if (!works(key) || document.querySelector("dialog[open]") || target.closest?.(TYPED)) return;
    const deed = deedOf(key);
    if (!deed || (repeat && key !== "j" && key !== "k")) return;
    event.preventDefault();
    deed();
  });
  document.addEventListener("click", ({ target }) => target.closest?.("[data-keys]") && open());

  /* ---- A decision that a pointer presses is certain. Keys and Enter press without one, so the server asks once more. ---- */

  document.addEventListener("click", ({ target, detail }) => {
    const pointer = target.closest?.("button")?.form?.querySelector("[data-pointer]");
    if (pointer) pointer.value = detail > 0 ? "1" : "";
  });
})();
