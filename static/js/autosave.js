/* What is typed is saved when the typing rests, with Enter, and before the page is left, by a button or by a link. A
   choice is saved at once, by htmx alone. Deferred, after saving.js.

   A part with questions posts itself on `change` (hx-post); here it is only told when. A page is left once the server
   has what stands on it; until then what was pressed waits, and typing on calls it off. */
(() => {
  "use strict";

  const EVENT = { asked: "htmx:configRequest", sent: "htmx:beforeSend", after: "htmx:afterRequest" };
  const PART = "[hx-post][hx-trigger^=change]";
  const REST = 3000;

  let open = null; /* the part that holds what no answer has acknowledged yet */
  let typed = 0;
  let resting = 0;
  let isAway = false;
  let onwards = null; /* what was pressed, as a function */
  let allowed = null; /* the form that may go */
  const sent = new WeakMap();
  const underWay = new Set();

  const partOf = (form) => (form.matches(PART) ? form : form.querySelector(PART));
  const post = (part) => part.isConnected && part.dispatchEvent(new Event("change"));

  const note = ({ target }) => {
    const part = target.type === "file" ? null : target.closest?.(PART);
    if (!part) return;
    open = part;
    typed += 1;
    onwards = null;
    clearTimeout(resting);
    resting = setTimeout(() => post(part), REST);
  };
  document.addEventListener("input", note);

  /* Nobody has pressed a button where a change is posted, though htmx takes the one that has the focus for pressed. */
  document.addEventListener(EVENT.asked, ({ detail: { elt, parameters, triggeringEvent } }) => {
    const form = elt.closest("form");
    if (!form || triggeringEvent?.type === "submit") return;
    const held = new FormData(form);
    for (const { type, name } of form.elements) if (type === "submit" && !held.has(name)) delete parameters[name];
  });

  document.addEventListener(EVENT.sent, ({ detail: { elt, xhr } }) => {
    if (!elt.matches(PART)) return;
    underWay.add(xhr);
    sent.set(xhr, typed);
    if (elt === open) clearTimeout(resting);
  });
  document.addEventListener(EVENT.after, ({ detail: { elt, xhr, successful } }) => {
    if (!underWay.delete(xhr)) return;
    isAway = !successful && Boolean(open);
    if (sent.get(xhr) !== typed) return;
    if (successful && elt === open) open = null;
    /* What the server has refused for good, it says on a page. */
    const isAnswered = successful || (xhr.status && !window.saving.isPassing(xhr.status));
    if (isAnswered && onwards) onwards();
  });

  /* ---- Leaving. ---- */

  const leave = (part, follow) => {
    onwards = () => {
      onwards = null;
      follow();
    };
    if (!part.isConnected) onwards();
    else if (![...underWay].some((xhr) => sent.get(xhr) === typed)) post(part);
  };

  /* The button may have been drawn anew meanwhile. */
  const submitAs = (form, pressed) => () => {
    const likes = [...form.elements].filter(({ type }) => type === "submit");
    const like = likes.find(({ name, value }) => name === pressed?.name && value === pressed?.value);
    allowed = form;
    form.requestSubmit(likes.includes(pressed) ? pressed : like);
    allowed = null;
  };

  document.addEventListener("submit", (event) => {
    const { target: form, submitter: pressed } = event;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
    const part = partOf(form);
    if (allowed === form) {
      if (part !== open) return;
      open = null;
      clearTimeout(resting);
      return;
    }
    event.preventDefault();
    if (part && pressed?.hasAttribute("data-enter")) {
      window.saving.tell();
      post(part);
    } else if (part ?? open) leave(part ?? open, submitAs(form, pressed));
    else window.saving.reach(form, submitAs(form, pressed));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
    if (!link || !open || button || ctrlKey || metaKey || shiftKey || altKey || defaultPrevented) return;
    if (link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    leave(open, () => location.assign(link.href));
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
