/* What choosing gains where script runs: an option that excludes the others clears them, and a list grows in place.
   Without script the server does both. Deferred. */
(() => {
  "use strict";

  /* ---- "None of these" beside others: the newer choice counts. Before `change`, so that it is saved as it is seen. ---- */

  document.addEventListener("input", ({ target }) => {
    if (target.type !== "checkbox" || !target.checked || !target.form) return;
    const isAlone = "alone" in target.dataset;
    const cleared = [...target.form.elements].filter(
      (box) => box !== target && box.name === target.name && box.checked && (isAlone || "alone" in box.dataset),
    );
    for (const box of cleared) box.checked = false;
    const announcer = document.getElementById("announcer");
    if (cleared.length) announcer.textContent = announcer.dataset.cleared ?? "";
  });

  /* ---- One more: what was chosen in the list becomes a ticked box, or, where lists stand in rows, a list follows. ---- */

  const made = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const ticked = (list) => {
    const { value, text, lang } = list.selectedOptions[0];
    if (!value) return null;
    const row = made("label", { className: "choice" });
    const box = made("input", { type: "checkbox", name: list.name, value, checked: true });
    row.append(box, " ", made("span", { textContent: text, lang }));
    for (const option of [...list.options]) if (option.value === value) option.remove();
    list.value = "";
    return row;
  };
  const another = (last) => {
    const row = last.cloneNode(true);
    const list = row.querySelector("select");
    list.id += "+";
    list.value = "";
    row.querySelector("label").htmlFor = list.id;
    return row;
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-adds]");
    if (!button) return;
    event.preventDefault();
    const field = button.closest(".field");
    const list = field.querySelector("select[data-from]");
    const rows = field.querySelector("[data-rows]");
    const row = list ? ticked(list) : another(rows.lastElementChild);
    if (!row) return list.focus();
    rows.hidden = false;
    rows.append(row);
    const control = row.querySelector("input, select");
    control.focus();
    if (list) for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  });
})();
