/* What the pages gain where script runs. Everything here is a shortcut: each page works without this file.
   Deferred, and before htmx in the page. It listens on the document, so it survives whatever is swapped. */
(() => {
  "use strict";

  /* One place for the names of htmx's events, since version 4 calls them otherwise. */
  const EVENT = {
    before: "htmx:beforeRequest",
    after: "htmx:afterRequest",
    settled: "htmx:afterSettle",
    unreachable: ["htmx:sendError", "htmx:timeout", "htmx:responseError"],
  };

  /* ---- Focus. The error summary, or else the message of what has just happened, speaks first. ---- */

  const focusFirstWord = (root) => {
    const word = root.querySelector(".error-summary[tabindex]") ?? root.querySelector(".message[tabindex][autofocus]");
    word?.focus();
  };
  document.addEventListener(EVENT.settled, ({ target }) => {
    if (target instanceof Element && target.querySelector(".error-summary")) focusFirstWord(target);
  });
  if (document.activeElement === document.body && !location.hash) focusFirstWord(document);

  /* ---- Busy buttons. The server ignores a second press; this only says that the first one was heard. ---- */

  const idle = () => {
    for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
  };
  document.addEventListener("submit", ({ submitter }) => submitter?.setAttribute("aria-busy", "true"));
  window.addEventListener("pageshow", idle);

  /* ---- Copying. The text is selected first, so that it can be copied by hand where the browser does not let us. ---- */

  document.addEventListener("click", async ({ target }) => {
    const text = target instanceof Element && document.getElementById(target.closest("[data-copy]")?.dataset.copy);
    if (!text) return;
    text.select();
    const copied = navigator.clipboard?.writeText(text.value).then(() => true, () => false);
    document.getElementById("announcer").textContent = (await copied) ? "Copied." : "Selected. Copy it by hand.";
  });

  /* ---- Not saved. The banner stays until the server has answered; the form is left alone. ---- */

  let failed = null;

  const banner = () => document.getElementById("banner");
  const warn = ({ detail }) => {
    const reads = detail.requestConfig?.verb === "get";
    /* The page asks by itself how long one stays signed in; nobody waits for the answer. */
    if (detail.elt?.id === "session-clock") return;
    failed = detail;
    const isOut = detail.xhr?.status === 401;
    const words = document.getElementById(reads ? "not-updated" : isOut ? "signed-out" : "not-saved");
    document.getElementById("saved")?.toggleAttribute("hidden", !reads);
    if (words && banner()?.dataset.shows !== words.id) {
      banner().dataset.shows = words.id;
      banner().replaceChildren(words.content.cloneNode(true));
    }
  };
  const calm = () => {
    failed = null;
    document.getElementById("saved")?.removeAttribute("hidden");
    if (!banner()?.dataset.shows) return;
    const pressed = banner().contains(document.activeElement);
    delete banner().dataset.shows;
    banner().replaceChildren();
    /* The button that was pressed is gone; whoever goes by keys must not start from the top. */
    if (pressed) document.getElementById("main").focus({ preventScroll: true });
  };
  for (const name of EVENT.unreachable) document.addEventListener(name, warn);
  document.addEventListener(EVENT.after, ({ detail }) => {
    idle();
    if (detail.successful && (!failed?.elt.isConnected || failed.elt === detail.elt)) calm();
  });
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || !target.closest("[data-retry]") || !failed) return;
    const { elt, requestConfig: { verb, path, triggeringEvent } } = failed;
    const pressed = triggeringEvent?.submitter;
    const values = pressed?.name ? { [pressed.name]: pressed.value } : {};
    if (elt.isConnected) window.htmx.ajax(verb, path, { source: elt, event: triggeringEvent, values });
    else location.reload(); /* what failed was swapped away meanwhile */
  });
})();
