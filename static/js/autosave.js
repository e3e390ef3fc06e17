/* What is typed is saved when the typing rests, and on leaving the page. A choice is saved at once, by htmx alone.
   Deferred. A part with questions posts itself on `change` (hx-post); here it is only told when. */
(() => {
  "use strict";

  const EVENT = { asked: "htmx:configRequest", sent: "htmx:beforeSend", after: "htmx:afterRequest" };
  const REST = 3000;

  let open = null; /* the part that holds what no answer has acknowledged yet */
  let typed = 0;
  let resting = 0;
  let isAway = false;
  const sent = new WeakMap();

  const note = ({ target }) => {
    const part = target.type === "file" ? null : target.closest?.("[hx-post][hx-trigger^=change]");
    if (!part) return;
    open = part;
    typed += 1;
    clearTimeout(resting);
    resting = setTimeout(() => part.isConnected && part.dispatchEvent(new Event("change")), REST);
  };
  document.addEventListener("input", note);

  /* Nobody has pressed a button where a change is posted, though htmx takes the one that has the focus for pressed. */
  document.addEventListener(EVENT.asked, ({ detail: { elt, parameters, triggeringEvent } }) => {
    const form = elt.closest("form");
    if (!form || triggeringEvent?.type === "submit") return;
    const held = new FormData(form);
    for (const { type, name } of form.elements) if (type === "submit" && !held.has(name)) delete parameters[name];
  });

  document.addEventListener(EVENT.sent, ({ detail }) => {
    if (detail.elt !== open) return;
    sent.set(detail.xhr, typed);
    clearTimeout(resting);
  });
  document.addEventListener(EVENT.after, ({ detail }) => {
    if (detail.elt !== open) return;
    isAway = !detail.successful;
    if (detail.successful && sent.get(detail.xhr) === typed) open = null;
  });

  /* A form that is sent whole carries everything. */
  document.addEventListener("submit", ({ target }) => {
    if (!open || !target.contains(open)) return;
    open = null;
    clearTimeout(resting);
  });

  window.addEventListener("beforeunload", (event) => {
    if (open && isAway) event.preventDefault();
  });
  window.addEventListener("pagehide", () => {
    const form = open?.closest("form");
    if (!form) return;
    const body = new FormData(form);
    for (const { name } of form.querySelectorAll("[type=file]")) body.delete(name);
    const headers = { "HX-Request": "true" };
    fetch(open.getAttribute("hx-post"), { method: "POST", body, headers, keepalive: true }).catch(() => {});
    open = null;
  });
})();
