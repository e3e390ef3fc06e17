/* Polls for news on pages that follow changes, and remembers their switches. Each page works without this file. */
(() => {
  "use strict";

  const CHECK_EVERY = 5_000;

  /* ---- Switches, stored by this browser. Without storage, as in some private windows, they last as long as the
     page. ---- */

  const remembered = (name, value) => {
    try {
      if (value) localStorage.setItem(name, value);
      return localStorage.getItem(name) ?? "";
    } catch {
      return value ?? "";
    }
  };
  for (const box of document.querySelectorAll("[data-switch]")) {
    box.dataset.kept = remembered(box.dataset.switch);
    box.checked = box.dataset.kept ? box.dataset.kept === "on" : box.defaultChecked;
  }
  document.addEventListener("change", ({ target }) => {
    const name = target.dataset?.switch;
    if (!name) return;
    target.dataset.kept = target.checked ? "on" : "off";
    remembered(name, target.dataset.kept);
  });

  /* ---- News: polled as often as the page says, else once a minute, and only while the page is visible. ---- */

  let lastPoll = Date.now();
  const poll = () => {
    const isPaused = document.querySelector("[data-pauses]")?.checked === false;
    const news = document.getElementById("news");
    const wait = (news?.dataset.seconds ?? 60) * 1000;
    if (isPaused || document.visibilityState !== "visible" || Date.now() - lastPoll < wait) return;
    lastPoll = Date.now();
    news?.dispatchEvent(new Event("look"));
  };
  setInterval(poll, CHECK_EVERY);
  document.addEventListener("visibilitychange", poll);
})();
