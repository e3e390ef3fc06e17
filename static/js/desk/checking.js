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

  /* ---- The fact in hand: the one that has the focus, was ticked last, or is pointed at; at first the one that the address
     leads to, else the first one to check. R asks about it, a note is about it, and the viewer shows what proves it, where
     that is known, the viewer is in sight, and the agent has opened that document before: pointer and focus open none. ---- */

  const note = document.getElementById("evidence");
  const isNoting = () => Boolean(note?.elements.says.value || note?.contains(document.activeElement));
  const paper = () => document.getElementById("paper");
  const isInSight = () => paper().getBoundingClientRect().top < innerHeight / 2;
  const shows = (link) => {
    const [asked, here] = [link.href, paper().dataset.here].map((one) => new URL(one, location).searchParams);
    return ["document", link.dataset.shows].every((one) => (asked.get(one) ?? "1") === (here.get(one) ?? "1"));
  };
  /* Without `open` the server shows the page and records nothing. */
  const look = (link) => {
    const url = new URL(link.href);
    url.searchParams.delete("open");
    htmx.ajax("GET", url.pathname + url.search, { target: "#paper", swap: "outerHTML" });
  };
  const aim = (fact) => {
    if (!fact) return;
    const ask = fact.querySelector(".ask-link");
    if (ask) {
      document.querySelector(".ask-link[data-key=r]")?.removeAttribute("data-key");
      ask.dataset.key = "r";
      ask.dataset.keyWords = "Ask about this fact";
    }
    const option = note?.querySelector(`[data-fact="${fact.id}"]`);
    if (option && !isNoting()) option.selected = true;
  };
  let inHand;
  const show = (fact) => {
    aim(fact);
    /* Whoever leafs on in the viewer is not led back. */
    if (fact === inHand) return;
    inHand = fact;
    const link = fact?.querySelector("a[data-shows]");
    if (link && !isNoting() && isInSight() && !shows(link)) look(link);
  };
  const led = document.querySelector(":target")?.closest(".fact");
  aim(led ?? boxes().find((box) => !box.checked)?.closest(".fact"));
  /* Once the links are htmx's. */
  window.addEventListener("pageshow", () => show(led), { once: true });
  document.addEventListener("focusin", ({ target }) => (target.matches("a[data-shows]") ? aim : show)(target.closest(".fact")));
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("input[form=checks]")) return;
    keep();
    aim(target.closest(".fact"));
  });
  /* What is only passed on the way is not meant. */
  let pointing;
  document.addEventListener("mouseover", ({ target }) => {
    clearTimeout(pointing);
    const fact = target.closest(".fact");
    if (fact) pointing = setTimeout(show, 300, fact);
  });

  /* ---- Where forms lead back to, once another page of a document is looked at; it comes into sight where it isn't. ---- */

  document.addEventListener("htmx:afterSettle", ({ target }) => {
    const here = paper()?.dataset.here;
    if (!here) return;
    for (const back of document.querySelectorAll("input[name=back]")) back.value = here + new URL(back.value, location).hash;
    /* After what holds the page still where the focus is (regions.js). */
    if (target.id === "paper" && !isInSight()) requestAnimationFrame(() => paper().scrollIntoView());
  });
})();
