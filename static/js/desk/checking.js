/* On the desk's page of a party: ticks stay until they are accepted, whatever else is done meanwhile; forms lead back to
   the page of the document in the viewer; R asks about the current fact. */
(() => {
  "use strict";

  /* ---- Ticks, stored by this tab. ---- */

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
  const storeTicks = () => stored(boxes().filter((box) => box.checked).map((box) => box.value).join(" "));
  form?.addEventListener("submit", () => stored(""));

  /* ---- The current fact: the one that has the focus, was ticked last or is pointed at; at first the one in the address, else
     the first one to check. R asks about it, a note is about it, and the viewer shows the page that proves it, if that is
     known, the viewer is in sight, and the agent has opened that document before: pointer and focus open none. ---- */

  const evidenceForm = document.getElementById("evidence");
  const isWritingEvidence = () =>
    Boolean(evidenceForm?.elements.says.value || evidenceForm?.contains(document.activeElement));
  const viewer = () => document.getElementById("viewer");
  const isInSight = () => viewer().getBoundingClientRect().top < innerHeight / 2;
  const isShown = (link) => {
    const [linkParameters, here] = [link.href, viewer().dataset.here].map((url) => new URL(url, location).searchParams);
    return ["document", link.dataset.shows].every((key) => (linkParameters.get(key) ?? "1") === (here.get(key) ?? "1"));
  };
  /* Without `open` the server shows the page and records nothing. */
  const showPage = (link) => {
    const url = new URL(link.href);
    url.searchParams.delete("open");
    htmx.ajax("GET", url.pathname + url.search, { target: "#viewer", swap: "outerHTML" });
  };
  const aim = (fact) => {
    if (!fact) return;
    const ask = fact.querySelector(".ask-link");
    if (ask) {
      document.querySelector(".ask-link[data-key=r]")?.removeAttribute("data-key");
      ask.dataset.key = "r";
      ask.dataset.keyWords = "Ask about this fact";
    }
    const option = evidenceForm?.querySelector(`[data-fact="${fact.id}"]`);
    if (option && !isWritingEvidence()) option.selected = true;
  };
  let current;
  const setCurrent = (fact) => {
    aim(fact);
    /* An agent who turns pages in the viewer isn't led back. */
    if (fact === current) return;
    current = fact;
    const link = fact?.querySelector("a[data-shows]");
    if (link && !isWritingEvidence() && isInSight() && !isShown(link)) showPage(link);
  };
  const linked = document.querySelector(":target")?.closest(".fact");
  aim(linked ?? boxes().find((box) => !box.checked)?.closest(".fact"));
  /* After htmx has processed the links. */
  window.addEventListener("pageshow", () => setCurrent(linked), { once: true });
  document.addEventListener("focusin", ({ target }) => {
    const follow = target.matches("a[data-shows]") ? aim : setCurrent;
    follow(target.closest(".fact"));
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("input[form=checks]")) return;
    storeTicks();
    aim(target.closest(".fact"));
  });
  /* A fact that the pointer only crosses doesn't count. */
  let pointing;
  document.addEventListener("mouseover", ({ target }) => {
    clearTimeout(pointing);
    const fact = target.closest(".fact");
    if (fact) pointing = setTimeout(setCurrent, 300, fact);
  });

  /* ---- After another page is shown: set where forms lead back to, and scroll the viewer into sight. ---- */

  document.addEventListener("htmx:afterSettle", ({ target }) => {
    const here = viewer()?.dataset.here;
    if (!here) return;
    for (const back of document.querySelectorAll("input[name=back]")) back.value = here + new URL(back.value, location).hash;
    /* After regions.js has corrected the scroll position. */
    if (target.id === "viewer" && !isInSight()) requestAnimationFrame(() => viewer().scrollIntoView());
  });
})();
