/* What is typed is saved when the typing rests, with Enter, when the page is put away, and before it is left, by a button
   or by a link. A choice is saved at once, by htmx alone. Deferred, after saving.js.

   A part with questions posts itself on `change` (hx-post); here it is only told when. A page is left once the server
   has what stands on it; until then what was pressed waits, and typing on calls it off. */
window.autosave = (() => {
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
  let sentPart = null; /* the part of the form that has gone */
  const sent = new WeakMap();
  const underWay = new Set();

  const partOf = (form) => (form.matches(PART) ? form : form.querySelector(PART));
  const post = (part) => part.isConnected && part.dispatchEvent(new Event("change"));
  const postOnce = (part) => [...underWay].some((xhr) => sent.get(xhr) === typed) || post(part);

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

  /* The names of the controls whose questions needn't be posted. */
  const savedNames = (form, held) => {
    const known = acknowledged.get(form);
    if (!known || !("changesOnly" in (partOf(form)?.dataset ?? {}))) return [];
    const answers = answersOf(held), shown = shownIn(held);
    /* What was drawn is looked up for questions that no answer has acknowledged yet. */
    let before = null;
    const savedOf = (question) => known.answers.get(question) ?? (before ??= answersOf(drawn(form))).get(question);
    /* Two questions may share one answer, and the one that is shown counts: what has come or gone is posted. So is what
       is marked as wrong, since the server may not have kept it. */
    const moved = [...form.querySelectorAll(".region")].filter(({ id }) => known.shown.has(id) !== shown.has(id));
    const controls = moved.flatMap((region) => [...region.querySelectorAll("[name]")]);
    const posted = new Set([...controls, ...form.querySelectorAll("[aria-invalid]")].map(({ name }) => questionOf(name)));
    return [...new Set(held.keys())].filter((name) => {
      const question = questionOf(name);
      return question && !posted.has(question) && answers.get(question) === savedOf(question);
    });
  };

  const leaveOut = (form, held, request) => {
    const { parameters } = request;
    posts.set(request, [form, { answers: answersOf(held), shown: shownIn(held) }]);
    parameters.shown = held.getAll("shown").join(" ");
    for (const name of savedNames(form, held)) {
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
      saving.leave();
      follow();
    };
    if (!part.isConnected) onwards();
    else postOnce(part);
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
      saving.leave();
      sentPart = part;
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

  /* All that a post holds where no button is pressed, but for what is saved. */
  const bodyOf = (form) => {
    const body = new FormData(form);
    for (const { name } of form.querySelectorAll("[type=file]")) body.delete(name);
    for (const name of savedNames(form, body)) {
      body.delete(name);
      body.set("partial", "1");
    }
    return body;
  };

  /* A browser sends no more than 64 kB from a page that is gone. */
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
    /* Of a page that is gone Firefox before 133 sends only what the page has waited for. */
    const request = new XMLHttpRequest();
    request.open("POST", url, false);
    request.setRequestHeader("HX-Request", "true");
    request.send(body);
  });

  /* ---- Where what was typed is shown again after a reload, it is saved as soon as htmx is there. ---- */

  const resume = (form) => {
    const part = partOf(form);
    note({ target: part });
    addEventListener("pageshow", () => post(part), { once: true });
  };
  addEventListener("pageshow", () => (sentPart = null));

  const KEY = "unsaved";
  const before = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);

  return { KEY, before, resume };
})();
