/* Saves typed answers after a pause, on Enter, when the page is hidden, and before it is left by a button or link. A choice
   is saved at once, by htmx alone. Deferred, after saving.js.

   A part with questions posts itself on `change` (hx-post); this file only decides when. A page is left once the server
   has its answers; until then the pressed button or link waits, and typing on cancels it. */
window.autosave = (() => {
  "use strict";

  const EVENT = { asked: "htmx:configRequest", sent: "htmx:beforeSend", after: "htmx:afterRequest" };
  const PART = "[hx-post][hx-trigger^=change]";
  const REST = 3000;

  let open = null; /* the part with answers that the server has not acknowledged yet */
  let typed = 0;
  let resting = 0;
  let isAway = false;
  let continueLeaving = null; /* a function that follows the pressed button or link */
  let submittedForm = null; /* the form whose submission is let through */
  let sentPart = null; /* the part of the form that was submitted */
  const sent = new WeakMap();
  const underWay = new Set();

  const partOf = (form) => (form.matches(PART) ? form : form.querySelector(PART));
  const post = (part) => part.isConnected && part.dispatchEvent(new Event("change"));
  const postOnce = (part) => [...underWay].some((xhr) => sent.get(xhr) === typed) || post(part);

  const recordTyping = ({ target }) => {
    const part = target.type === "file" ? null : target.closest?.(PART);
    if (!part) return;
    open = part;
    typed += 1;
    continueLeaving = null;
    clearTimeout(resting);
    resting = setTimeout(() => post(part), REST);
  };
  document.addEventListener("input", recordTyping);

  /* htmx takes a focused button for pressed when a change is posted: remove its name. */
  document.addEventListener(EVENT.asked, ({ detail }) => {
    const { elt, parameters, triggeringEvent } = detail;
    const form = elt.closest("form");
    if (!form || triggeringEvent?.type === "submit") return;
    const entries = new FormData(form);
    for (const { type, name } of form.elements) if (type === "submit" && !entries.has(name)) delete parameters[name];
    if (elt.matches(PART) && "changesOnly" in elt.dataset) omitSaved(form, entries, detail);
  });

  /* ---- Where a part was rendered from saved answers (data-changes-only), only questions are posted whose present answers
     the server has not acknowledged. Questions that a post leaves out stay unchanged; `partial` says that there are some. ---- */

  const QUESTION = "q:";
  const acknowledged = new WeakMap(); /* by form: its answers, and the regions that it shows */
  const posts = new WeakMap(); /* by request: the form, and its answers and regions at that time */

  const shownIn = (entries) => new Set(entries.getAll("shown"));
  /* Not by FormData, which would force a layout before the first paint. */
  for (const form of document.forms) {
    const markers = [...form.querySelectorAll('[name="shown"]:enabled')];
    acknowledged.set(form, { answers: new Map(), shown: new Set(markers.map(({ value }) => value)) });
  }

  /* Return the question of a control's name. Names are quoted, so that they have no other colon. */
  const questionOf = (name) => (name?.startsWith(QUESTION) ? name.split(":", 2).join(":") : "");

  /* Return the values of each question's controls, as one text. */
  const answersOf = (pairs) => {
    const answers = new Map();
    for (const [name, value] of pairs) {
      const question = questionOf(name);
      if (question) answers.set(question, `${answers.get(question) ?? ""}${name}\0${value}\0`);
    }
    return answers;
  };

  /* Yield the names and values of the controls as the server rendered them. */
  const renderedEntries = function* (form) {
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

  /* Return the names of the controls whose questions needn't be posted. */
  const savedNames = (form, entries) => {
    const saved = acknowledged.get(form);
    if (!saved || !("changesOnly" in (partOf(form)?.dataset ?? {}))) return [];
    const answers = answersOf(entries), shown = shownIn(entries);
    /* The rendered values count for questions that no answer has acknowledged yet. */
    let before = null;
    const savedOf = (question) => saved.answers.get(question) ?? (before ??= answersOf(renderedEntries(form))).get(question);
    /* Two questions may share one answer, and the shown one counts: post those that were shown or hidden. Post invalid
       ones too, since the server may not have kept them. */
    const changedRegions = [...form.querySelectorAll(".region")].filter(({ id }) => saved.shown.has(id) !== shown.has(id));
    const controls = changedRegions.flatMap((region) => [...region.querySelectorAll("[name]")]);
    const posted = new Set([...controls, ...form.querySelectorAll("[aria-invalid]")].map(({ name }) => questionOf(name)));
    return [...new Set(entries.keys())].filter((name) => {
      const question = questionOf(name);
      return question && !posted.has(question) && answers.get(question) === savedOf(question);
    });
  };

  const omitSaved = (form, entries, request) => {
    const { parameters } = request;
    posts.set(request, [form, { answers: answersOf(entries), shown: shownIn(entries) }]);
    parameters.shown = entries.getAll("shown").join(" ");
    for (const name of savedNames(form, entries)) {
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
    /* A permanent refusal is shown on a page of its own. */
    const isAnswered = successful || (xhr.status && !saving.isPassing(xhr.status));
    if (isAnswered && continueLeaving) continueLeaving();
  });

  /* ---- Leaving. ---- */

  const leave = (part, follow) => {
    continueLeaving = () => {
      continueLeaving = null;
      saving.leave();
      follow();
    };
    if (!part.isConnected) continueLeaving();
    else postOnce(part);
  };

  /* The button may have been replaced meanwhile. */
  const submitAs = (form, pressed) => () => {
    const buttons = [...form.elements].filter(({ type }) => type === "submit");
    const counterpart = buttons.find(({ name, value }) => name === pressed?.name && value === pressed?.value);
    submittedForm = form;
    form.requestSubmit(buttons.includes(pressed) ? pressed : counterpart);
    submittedForm = null;
  };

  document.addEventListener("submit", (event) => {
    const { target: form, submitter: pressed } = event;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
    const part = partOf(form);
    if (submittedForm === form) {
      saving.leave();
      sentPart = part;
      if (part !== open) return;
      open = null;
      clearTimeout(resting);
      return;
    }
    event.preventDefault();
    if (part && pressed?.hasAttribute("data-enter")) {
      saving.askForResult();
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

  /* Return the body of a post without a pressed button and without saved answers. */
  const bodyOf = (form) => {
    const body = new FormData(form);
    for (const { name } of form.querySelectorAll("[type=file]")) body.delete(name);
    for (const name of savedNames(form, body)) {
      body.delete(name);
      body.set("partial", "1");
    }
    return body;
  };

  /* A browser sends at most 64 kB from a page that is being left. */
  const isLarge = (body) => new Blob([...body].flat()).size > 50_000;

  addEventListener("beforeunload", (event) => {
    if (open && (isAway || isLarge(bodyOf(open.closest("form"))))) event.preventDefault();
    else saving.leave();
  });
  document.addEventListener("visibilitychange", () => document.hidden && open && postOnce(open));
  addEventListener("pagehide", () => {
    const part = open ?? sentPart;
    const form = part?.closest("form");
    if (!form) return;
    saving.leave();
    window.reloading?.keep(form, { isSent: !open, saved: savedNames(form, new FormData(form)) });
    if (!open) return;
    open = null;
    const [url, body] = [part.getAttribute("hx-post"), bodyOf(form)];
    if ("keepalive" in Request.prototype) {
      fetch(url, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true }).catch(() => {});
      return;
    }
    /* Firefox before 133 sends only synchronous requests from a page that is being left. */
    const request = new XMLHttpRequest();
    request.open("POST", url, false);
    request.setRequestHeader("HX-Request", "true");
    request.send(body);
  });

  /* ---- Answers that are restored after a reload are saved as soon as htmx is loaded. ---- */

  const resume = (form) => {
    const part = partOf(form);
    recordTyping({ target: part });
    addEventListener("pageshow", () => post(part), { once: true });
  };
  addEventListener("pageshow", () => (sentPart = null));

  const KEY = "unsaved";
  const before = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);

  return { KEY, before, resume };
})();
