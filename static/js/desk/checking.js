/* What the page of a party gains where script runs: ticks stay until they are accepted, whatever else is done meanwhile;
   a form leads back to the page of the document that is looked at; R asks about the fact in hand. */
(() => {
  "use strict";

  /* ---- Ticks, which this tab remembers by the names of their places. ---- */

  const form = document.getElementById("checks");
  const boxes = () => [...document.querySelectorAll("input[type=checkbox][form=checks]")];
  const name = `ticks ${location.pathname}`;
  const stored = (value) => {
    try {
      if (value !== undefined) sessionStorage.setItem(name, value);
      return sessionStorage.getItem(name) ?? "";
    } catch {
      return "";
    }
  };
  const ticked = stored().split(" ");
  for (const box of boxes()) box.checked ||= ticked.includes(box.value);
  const keep = () => stored(boxes().filter((box) => box.checked).map((box) => box.value).join(" "));
  form?.addEventListener("submit", () => stored(""));

  /* ---- The fact in hand: the one that has the focus, or was ticked last; at first the first one to check. ---- */

  const aim = (fact) => {
    const ask = fact?.querySelector(".ask-link");
    if (!ask) return;
    document.querySelector(".ask-link[data-key=r]")?.removeAttribute("data-key");
    ask.dataset.key = "r";
    ask.dataset.keyWords = "Ask about this fact";
  };
  aim(boxes().find((box) => !box.checked)?.closest(".fact"));
  document.addEventListener("focusin", ({ target }) => aim(target.closest(".fact")));
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("input[form=checks]")) return;
    keep();
    aim(target.closest(".fact"));
  });

  /* ---- Where forms lead back to, once another page of a document is looked at. ---- */

  document.addEventListener("htmx:afterSettle", () => {
    const here = document.getElementById("paper")?.dataset.here;
    if (!here) return;
    for (const back of document.querySelectorAll("input[name=back]")) back.value = here + new URL(back.value, location).hash;
  });
})();
