/* Moves the focus to messages, opens folded answers and names the time zone. Every page works without this file.
   Deferred, and before htmx in the page. It listens on the document, so it survives whatever is swapped. */
(() => {
  "use strict";

  /* Names of htmx's events stand in one place of each file: version 4 renames them. */
  const EVENT = { settled: "htmx:afterSettle" };

  /* ---- Focus the error summary, or else the message about what has just happened. ---- */

  const focusFirstMessage = (root) =>
    (root.querySelector(".error-summary[tabindex]") ?? root.querySelector(".message[tabindex][autofocus]"))?.focus();
  document.addEventListener(EVENT.settled, ({ target }) => {
    if (target.querySelector(".error-summary")) focusFirstMessage(target);
  });
  if (document.activeElement === document.body && !location.hash) focusFirstMessage(document);

  /* ---- The reader's time zone, for the times on the pages that follow (accounts/time_zones.py). ---- */

  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const secure = location.protocol === "https:" ? "; secure" : "";
  if (timeZone) document.cookie = `time_zone=${timeZone}; path=/; max-age=31536000; samesite=lax${secure}`;

  /* ---- A folded answer opens for a change, and its first control gets the focus. ---- */

  document.addEventListener("click", (event) => {
    const fold = event.target.closest(".fold > summary")?.parentElement;
    if (!fold) return;
    event.preventDefault();
    fold.open = true;
    fold.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  });
  /* An open fold isn't posted as folded, however it was opened. */
  document.addEventListener("toggle", ({ target }) => target.querySelector(".fold > input")?.remove(), true);
})();
