/* What the pages gain where script runs. Everything here is a shortcut: each page works without this file.
   Deferred, and before htmx in the page. It listens on the document, so it survives whatever is swapped. */
(() => {
  "use strict";

  /* The names of htmx's events stand in one place of each file, since version 4 calls them otherwise. */
  const EVENT = { settled: "htmx:afterSettle" };

  /* ---- Focus. The error summary, or else the message of what has just happened, speaks first. ---- */

  const focusFirstWord = (root) =>
    (root.querySelector(".error-summary[tabindex]") ?? root.querySelector(".message[tabindex][autofocus]"))?.focus();
  document.addEventListener(EVENT.settled, ({ target }) => {
    if (target.querySelector(".error-summary")) focusFirstWord(target);
  });
  if (document.activeElement === document.body && !location.hash) focusFirstWord(document);

  /* ---- What is read back opens for a change, and its first control takes over from the word that opened it. ---- */

  document.addEventListener("click", (event) => {
    const fold = event.target.closest(".fold > summary")?.parentElement;
    if (!fold) return;
    event.preventDefault();
    fold.open = true;
    fold.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  });
  /* However it is opened, it is not posted as folded any more. */
  document.addEventListener("toggle", ({ target }) => target.querySelector(".fold > input")?.remove(), true);
})();
