/* Restores typed answers when a page is reloaded while its save is under way, and posts as the page that it replaces, so
   that a late save doesn't look like another person's. The answers stay in this tab until the next page of the portal loads
   there, whichever that is (autosave.js takes them). Deferred, on pages that have a version.

   A page posts what it was rendered from (`drawn`): "revision.id.form", and the ids of the pages that it has replaced. */
window.reloading = (() => {
  "use strict";

  const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
  const MOST_EARLIER = 8;
  const TYPED = "input:not([type=hidden], [type=file]), select, textarea";
  /* Controls with the page's version, and the token of the share class that it adds. */
  const FIXED = ["version", "token"];

  const isBox = ({ type }) => type === "radio" || type === "checkbox";
  const typedIn = (form) => [...form.elements].filter((control) => control.name && control.matches(TYPED));
  const accountOf = (form) => form.querySelector("[data-account]")?.dataset.account;

  const isAsDrawn = (control) => {
    if (isBox(control)) return control.checked === control.defaultChecked;
    if (!control.options) return control.value === control.defaultValue;
    const drawn = [...control.options].filter(({ defaultSelected }) => defaultSelected).at(-1) ?? control.options[0];
    return control.value === (drawn?.value ?? "");
  };

  /* ---- Leaving. The page takes a new id: a late post of the old one changes nothing. ---- */

  const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => LETTERS[byte % 32]).join("");
  const versionText = (revision, id, form, earlier) => [revision, id, form, ...earlier.slice(0, MOST_EARLIER)].join(".");

  const keep = (form, { isSent, saved }) => {
    const { drawn } = form.elements;
    if (!drawn) return;
    const [revision, id, version, ...earlier] = drawn.value.split(".");
    drawn.value = versionText(revision, newId(), version, [id, ...earlier]);
    const entries = new FormData(form);
    const changed = typedIn(form).filter((control) => !isAsDrawn(control) && !saved.includes(control.name));
    const typed = changed.map(({ name }) => [name, entries.getAll(name)]);
    const fixed = FIXED.map((name) => [name, form.elements[name]?.value]);
    const page = { path: location.pathname, account: accountOf(form), isSent, drawn: drawn.value, fixed, typed };
    try {
      sessionStorage.setItem(autosave.KEY, JSON.stringify(page));
    } catch {
      /* No room: the page is sent all the same. */
    }
  };

  /* ---- Coming back. ---- */

  /* Boxes are ticked; lists and texts take the other values in their order, and grow for more of them. */
  const fill = (form, name, values) => {
    const named = () => typedIn(form).filter((control) => control.name === name);
    const boxes = named().filter(isBox);
    for (const box of boxes) box.checked = values.includes(box.value);
    const rest = values.filter((value) => !boxes.some((box) => box.value === value));
    for (const control of named().filter((control) => !isBox(control))) control.value = rest.shift() ?? "";
    for (const value of rest.filter(Boolean)) {
      named().at(-1)?.closest(".field").querySelector("[data-adds]")?.click();
      const free = named().findLast((control) => control.options && !control.value);
      if (free) free.value = value;
    }
  };

  const restore = () => {
    const stored = JSON.parse(autosave.before);
    const form = document.getElementById("answers");
    if (stored?.path !== location.pathname || !form?.elements.drawn || accountOf(form) !== stored.account) return;
    const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
    if (stored.isSent && !isReload) return;
    const isFree = (name) => typedIn(form).every((control) => control.name !== name || isAsDrawn(control));
    for (const [name, values] of stored.typed) if (isFree(name)) fill(form, name, values);
    const names = stored.typed.map(([name]) => name);
    const changed = typedIn(form).filter((control) => names.includes(control.name) && !isAsDrawn(control));
    if (!changed.length) return;
    /* Open folds that have a restored answer. */
    for (const control of changed) control.closest(".fold")?.setAttribute("open", "");
    for (const [name, value] of stored.fixed) if (form.elements[name]) form.elements[name].value = value;
    const [, id, version] = form.elements.drawn.value.split(".");
    const [revision, previous, , ...earlier] = stored.drawn.split(".");
    form.elements.drawn.value = versionText(revision, id, version, [previous, ...earlier]);
    autosave.resume(form);
  };
  restore();

  return { keep };
})();
