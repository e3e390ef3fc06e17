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
  document.addEventListener(EVENT.asked, ({ detail }) => {
    const { elt, parameters, triggeringEvent } = detail;
    const form = elt.closest("form");
    if (!form || triggeringEvent?.type === "submit") return;
    const held = new FormData(form);
    for (const { type, name } of form.elements) if (type === "submit" && !held.has(name)) delete parameters[name];
    if (elt.matches(PART) && "changesOnly" in elt.dataset) leaveOut(form, held, detail);
  });

  /* ---- Where all that a part was drawn with is saved (data-changes-only), only those questions are posted that no
     answer has acknowledged as they stand. What a post doesn't hold stays as it is; a mark says that it is a part. ---- */

  const QUESTION = "q:";
  const acknowledged = new WeakMap(); /* by form: its questions, and the regions that it shows */
  const posts = new WeakMap(); /* by request: the same, as it stood then */

  const shownIn = (held) => new Set(held.getAll("shown"));
  /* Not by FormData, for which a browser lays the page out before it is drawn first. */
  for (const form of document.forms) {
    const markers = [...form.querySelectorAll('[name="shown"]:enabled')];
    acknowledged.set(form, { answers: new Map(), shown: new Set(markers.map(({ value }) => value)) });
  }

  /* A question by the name of one of its controls; names are quoted, so no other colon stands in them. */
  const questionOf = (name) => (name?.startsWith(QUESTION) ? name.split(":", 2).join(":") : "");

  /* By question, all that its controls hold. */
  const answersOf = (entries) => {
    const found = new Map();
    for (const [name, value] of entries) {
      const question = questionOf(name);
      if (question) found.set(question, `${found.get(question) ?? ""}${name}\0${value}\0`);
    }
    return found;
  };

  /* What the controls held when the server drew them. */
  const drawn = function* (form) {
    for (const control of form.elements) {
      const { name, type } = control;
      if (!questionOf(name)) continue;
      if (type === "radio" || type === "checkbox") {
        if (control.defaultChecked) yield [name, control.value];
      } else if (control.options) {
        const chosen = [...control.querySelectorAll("option[selected]")];
        if (!chosen.length && !control.multiple && control.options.length) chosen.push(control.options[0]);
        for (const { value } of chosen) yield [name, value];
      } else yield [name, control.defaultValue];
    }
  };

  const leaveOut = (form, held, request) => {
    const { parameters } = request;
    const known = acknowledged.get(form);
    if (!known) return;
    const answers = answersOf(held), shown = shownIn(held);
    /* What was drawn is looked up for questions that no answer has acknowledged yet. */
    let before = null;
    const savedOf = (question) => known.answers.get(question) ?? (before ??= answersOf(drawn(form))).get(question);
    /* Two questions may share one answer, and the one that is shown counts: what has come or gone is posted. So is what
       is marked as wrong, since the server may not have kept it. */
    const moved = [...form.querySelectorAll(".region")].filter(({ id }) => known.shown.has(id) !== shown.has(id));
    const controls = moved.flatMap((region) => [...region.querySelectorAll("[name]")]);
    const posted = new Set([...controls, ...form.querySelectorAll("[aria-invalid]")].map(({ name }) => questionOf(name)));
    posts.set(request, [form, { answers, shown }]);
    parameters.shown = [...shown].join(" ");
    for (const name of new Set(held.keys())) {
      const question = questionOf(name);
      if (!question || posted.has(question)) continue;
      if (answers.get(question) !== savedOf(question)) continue;
      delete parameters[name];
      parameters.partial = "1";
    }
  };

  document.addEventListener(EVENT.after, ({ detail: { successful, xhr, requestConfig } }) => {
    const post = posts.get(requestConfig);
    if (post && successful && !xhr.getResponseHeader("Unsaved")) acknowledged.set(...post);
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
    const isAnswered = successful || (xhr.status && !saving.isPassing(xhr.status));
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
      saving.tell();
      post(part);
    } else if (part ?? open) leave(part ?? open, submitAs(form, pressed));
    else saving.reach(form, submitAs(form, pressed));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
    if (!link || !open || button || ctrlKey || metaKey || shiftKey || altKey || defaultPrevented) return;
    if (link.target || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    leave(open, () => location.assign(link.href));
  });

  addEventListener("beforeunload", (event) => {
    if (open && isAway) event.preventDefault();
  });
  addEventListener("pagehide", () => {
    const form = open?.closest("form");
    if (!form) return;
    const body = new FormData(form);
    for (const { name } of form.querySelectorAll("[type=file]")) body.delete(name);
    const headers = { "HX-Request": "true" };
    fetch(open.getAttribute("hx-post"), { method: "POST", body, headers, keepalive: true }).catch(() => {});
    open = null;
  });
})();
