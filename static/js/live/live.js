/* What pages that follow changes gain where script runs: they ask whether there is news, and remember their switches.
   Each page works without this file. */
(() => {
  "use strict";

  const LOOKS_AT_THE_CLOCK = 5_000;

  /* ---- Switches, which this browser remembers. Without storage, as in some private windows, they last as long as
     the page. ---- */

  const kept = (name, value) => {
    try {
      if (value) localStorage.setItem(name, value);
      return localStorage.getItem(name) ?? "";
    } catch {
      return value ?? "";
    }
  };
  for (const one of document.querySelectorAll("[data-switch]")) {
    one.dataset.kept = kept(one.dataset.switch);
    one.checked = one.dataset.kept ? one.dataset.kept === "on" : one.defaultChecked;
  }
  document.addEventListener("change", ({ target }) => {
    const name = target.dataset?.switch;
    if (!name) return;
    target.dataset.kept = target.checked ? "on" : "off";
    kept(name, target.dataset.kept);
  });

  /* ---- News. Asked for as often as the page says, else once a minute, and only where somebody sees the answer. ---- */

  let asked = Date.now();
  const look = () => {
    const isPaused = document.querySelector("[data-pauses]")?.checked === false;
    const news = document.getElementById("news");
    const wait = (news?.dataset.seconds ?? 60) * 1000;
    if (isPaused || document.visibilityState !== "visible" || Date.now() - asked < wait) return;
    asked = Date.now();
    news?.dispatchEvent(new Event("look"));
  };
  setInterval(look, LOOKS_AT_THE_CLOCK);
  document.addEventListener("visibilitychange", look);
})();
