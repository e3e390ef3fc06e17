/* Clears options that exclude each other, lets a list of choices grow in place, and splits a pasted date into its boxes.
   Without script the server does all three. Deferred. */
(() => {
  "use strict";

  /* ---- "None of these" beside others: the newer choice counts. On `input`, before `change` saves it. ---- */

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

  /* ---- Add a choice: the option chosen in the list becomes a ticked box; where lists stand in rows, a list is added. ---- */

  const newElement = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const tickedRow = (list) => {
    const { value, text, lang } = list.selectedOptions[0];
    if (!value) return null;
    const row = newElement("label", { className: "choice" });
    const box = newElement("input", { type: "checkbox", name: list.name, value, checked: true });
    row.append(box, " ", newElement("span", { textContent: text, lang }));
    for (const option of [...list.options]) if (option.value === value) option.remove();
    list.value = "";
    return row;
  };
  const nextRow = (last) => {
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
    const row = list ? tickedRow(list) : nextRow(rows.lastElementChild);
    if (!row) return list.focus();
    rows.hidden = false;
    rows.append(row);
    const control = row.querySelector("input, select");
    control.focus();
    if (list) for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  });

  /* ---- Split a whole date that is pasted into the box of the day. Dates with words are left to the server, and so are
     those that may begin with the month. ---- */

  const DATES = [
    /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/,
    /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4})$/,
    /^(?<day>1[3-9]|2\d|3[01])[-/](?<month>\d{1,2})[-/](?<year>\d{4})$/,
  ];

  document.addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    if (!target.form || !target.name?.endsWith(":day")) return;
    const text = clipboardData.getData("text").trim();
    const parts = DATES.map((date) => text.match(date)?.groups).find(Boolean);
    if (!parts) return;
    event.preventDefault();
    for (const [part, digits] of Object.entries(parts)) {
      target.form.elements[target.name.replace(/day$/, part)].value = digits;
    }
    for (const name of ["input", "change"]) target.dispatchEvent(new Event(name, { bubbles: true }));
  });
})();
