/* Keyboard shortcuts of the desk. Each page works without them.

   A page declares its own keys, and the sheet of shortcuts is read from it.
     data-key="a"          the key presses this button, link or box
     data-key-focus="a"    the key only goes there; Enter then presses it (for what can't be undone)
     data-key-words="…"    what the sheet says; without it the element's own words; empty: not in the sheet
     data-key-shown="1–9"  what the sheet shows instead of the key
     data-key-here="y"     on a button: pressed in the current section; without one, the key goes to the first section
     data-row              a link or heading that J and K go through; a box in the same row belongs to it
     data-key-rows         on a button: does what it does to the ticked rows, or else to the one that has the focus */
(() => {
  "use strict";

  const sheet = document.getElementById("keys");
  const shift = sheet?.querySelector("[data-switch]");
  /* Safari before 17.4 can't be asked. */
  const isVisible = (element) => element.checkVisibility?.() ?? element.getClientRects().length > 0;
  const isShown = (element) => !element.disabled && isVisible(element);
  const TYPED = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

  /* ---- What keys do. Of several elements with the same key, the first one that can be seen. ---- */

  const links = () => [...document.querySelectorAll("[data-row]")].filter(isShown);
  const rows = () => links().map((link) => link.closest("tr, li, section"));
  /* The current row has the focus, else it is the one in the address. */
  const hasFocus = (row) => row.contains(document.activeElement);
  const isTarget = (row) => row.matches(":target, :has(:target)");
  const currentRowIndex = () => (rows().some(hasFocus) ? rows().findIndex(hasFocus) : rows().findIndex(isTarget));
  const go = (step) => () => {
    const [all, at] = [links(), currentRowIndex()];
    all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]?.focus();
  };
  const tickRow = () => {
    const boxes = rows().map((row) => row.querySelector("input[type=checkbox]"));
    if (!boxes.some((box) => box?.checked)) boxes[currentRowIndex()]?.click();
  };
  const elementsWithKey = (key, kind) =>
    [...document.querySelectorAll(`[data-key${kind}="${CSS.escape(key)}"]`)].filter(isShown);
  const elementWithKey = (key, kind) => elementsWithKey(key, kind)[0];
  const pressHere = (buttons) => {
    const inSection = (fits) => buttons.find((button) => fits(button.closest("section")));
    const button = inSection(hasFocus) ?? inSection(isTarget);
    if (button) button.click();
    else buttons[0].closest("section").querySelector("h2").focus();
  };

  const actionFor = (key) => {
    if (key === "?") return () => open();
    if (key === "j" || key === "k") return links().length ? go(key === "j" ? 1 : -1) : null;
    const pressed = elementWithKey(key, "");
    const focused = pressed ? null : elementWithKey(key, "-focus");
    if (focused) return () => focused.focus();
    const buttons = elementsWithKey(key, "-here");
    if (buttons.length) return () => pressHere(buttons);
    return pressed && (() => {
      if (pressed.hasAttribute("data-key-rows")) tickRow();
      pressed.click();
    });
  };

  /* ---- The sheet. Until it was opened once, no other key works; then all do, until they are turned off. ---- */

  const line = (keys, words) => {
    const group = document.createElement("div");
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.append(Object.assign(document.createElement("kbd"), { className: "key", textContent: keys }));
    description.append(words);
    group.append(term, description);
    return group;
  };
  const named = (text) => (text.length === 1 ? text.toUpperCase() : text);
  const descriptionsOf = (element) => {
    const { key, keyFocus, keyHere, keyShown, keyWords } = element.dataset;
    const words = keyWords ?? (element.labels?.[0] ?? element).textContent.trim();
    const enter = keyFocus && !element.matches(TYPED) ? ", with Enter" : "";
    return words ? [[keyShown ?? named(key ?? keyFocus ?? keyHere), words + enter]] : [];
  };
  const lines = () => {
    const elements = [...document.querySelectorAll("[data-key], [data-key-focus], [data-key-here]")].filter(isShown);
    const own = elements.flatMap(descriptionsOf);
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

  /* ---- No key works while somebody types, or with a modifier. ---- */

  const works = (key) => shift && (shift.checked || (key === "?" && shift.dataset.kept !== "off"));

  document.addEventListener("keydown", (event) => {
    const { target, ctrlKey, metaKey, altKey, isComposing, repeat } = event;
    const key = event.key.length === 1 ? event.key.toLowerCase() : "";
    /* Some keyboards write brackets with AltGr. */
    const hasModifier = metaKey || ((ctrlKey || altKey) && !event.getModifierState("AltGraph"));
    if (!key.trim() || hasModifier || isComposing || event.defaultPrevented) return;
    if (!works(key) || document.querySelector("dialog[open]") || target.closest?.(TYPED)) return;
    const action = actionFor(key);
    if (!action || (repeat && key !== "j" && key !== "k")) return;
    event.preventDefault();
    action();
  });
  document.addEventListener("click", ({ target }) => target.closest?.("[data-keys]") && open());

  /* ---- A decision by pointer is deliberate. Keys and Enter press without one, so the server asks for confirmation. ---- */

  document.addEventListener("click", ({ target, detail }) => {
    const pointer = target.closest?.("button")?.form?.querySelector("[data-pointer]");
    if (pointer) pointer.value = detail > 0 ? "1" : "";
  });
})();
