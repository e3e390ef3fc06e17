/* Shows that a save is under way, done or failed, and tries a failed one again. The texts are in ui/banner.html.
   Deferred, and before htmx and autosave.js in the page. */
window.saving = (() => {
  "use strict";

  const EVENT = {
    asked: "htmx:beforeRequest",
    sent: "htmx:beforeSend",
    after: "htmx:afterRequest",
    unreachable: ["htmx:sendError", "htmx:timeout", "htmx:responseError"],
  };
  const SLOW = 700;
  const SAVED_SHOWN = 4000;
  const WAITS = [5000, 10000, 20000, 30000];
  const TOO_LONG = 10000;

  /* Return true if a later attempt may succeed: the server was not reached, is busy or out of order. */
  const isPassing = (status) => !status || status >= 500 || [408, 413, 429].includes(status);

  /* ---- Show a save that takes longer than a moment, and that it is done. ---- */

  const underWay = new Set();
  let lineTimer = 0;
  let isAsked = false; /* the person has asked to save, and waits for the result */

  const line = () => document.getElementById("saving");
  const setLine = (key) => {
    clearTimeout(lineTimer);
    if (line()) line().textContent = key ? line().dataset[key] : "";
    if (key === "saved") lineTimer = setTimeout(setLine, SAVED_SHOWN);
  };
  const begin = (what) => {
    if (!underWay.size) {
      clearTimeout(lineTimer);
      lineTimer = setTimeout(() => setLine("busy"), SLOW);
    }
    underWay.add(what);
  };
  const end = (what, isSaved) => {
    if (!underWay.delete(what) || underWay.size) return;
    const isAwaited = isAsked || line()?.textContent;
    setLine(isSaved && isAwaited ? "saved" : "");
    if (isSaved) isAsked = false;
  };
  const askForResult = () => (isAsked = true);

  document.addEventListener(EVENT.sent, ({ detail }) => detail.requestConfig.verb === "post" && begin(detail.xhr));
  document.addEventListener(EVENT.after, ({ detail }) => end(detail.xhr, detail.successful));
  document.addEventListener("submit", (event) => {
    const isLeaving = () => !event.defaultPrevented && event.target.getAttribute("method") === "post";
    setTimeout(() => isLeaving() && begin(event.target)); /* after every other listener */
  });
  addEventListener("pageshow", () => {
    underWay.clear();
    setLine();
  });

  /* ---- Mark a pressed button as busy. The server ignores a second press. ---- */

  const idle = () => {
    for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
  };
  document.addEventListener("submit", ({ submitter }) => submitter?.setAttribute("aria-busy", "true"));
  document.addEventListener(EVENT.after, idle);
  addEventListener("pageshow", idle);

  /* ---- Leaving: requests that the browser aborts are no failures, and nothing more is posted. Typing cancels leaving. ---- */

  let leaving = 0;
  const stay = () => {
    clearTimeout(leaving);
    leaving = 0;
  };
  const leave = () => {
    stay();
    leaving = setTimeout(stay, TOO_LONG);
  };
  addEventListener("pageshow", stay);
  document.addEventListener("input", stay);
  document.addEventListener(EVENT.asked, (event) => {
    if (leaving && event.detail.requestConfig.verb === "post") event.preventDefault();
  });

  /* ---- Not saved: the banner stays until a save succeeds. A passing failure is tried again automatically. ---- */

  let failed = null; /* the element whose request failed, and a function that repeats it */
  let tries = 0;
  let waiting = 0;

  const banner = () => document.getElementById("banner");
  const again = () => {
    clearTimeout(waiting);
    failed?.again();
  };
  const warn = (name, what, isTried) => {
    if (leaving) return;
    failed = what;
    idle();
    clearTimeout(waiting);
    if (isTried) waiting = setTimeout(again, WAITS[Math.min(tries++, WAITS.length - 1)]);
    document.getElementById("saved")?.toggleAttribute("hidden", name !== "not-updated");
    const template = document.getElementById(name);
    if (!template || banner()?.dataset.shows === name) return;
    const message = template.content.cloneNode(true);
    message.querySelector("[data-tried]")?.toggleAttribute("hidden", !isTried);
    banner().dataset.shows = name;
    banner().replaceChildren(message);
  };
  const calm = () => {
    failed = null;
    tries = 0;
    clearTimeout(waiting);
    document.getElementById("saved")?.removeAttribute("hidden");
    if (!banner()?.dataset.shows) return;
    const pressed = banner().contains(document.activeElement);
    delete banner().dataset.shows;
    banner().replaceChildren();
    /* The pressed button is gone; keyboard users must not start from the top again. */
    if (pressed) document.getElementById("main").focus({ preventScroll: true });
  };

  const repeat = ({ elt, requestConfig: { verb, path, triggeringEvent } }) => {
    const pressed = triggeringEvent?.submitter;
    const values = pressed?.name ? { [pressed.name]: pressed.value } : {};
    if (elt.isConnected) htmx.ajax(verb, path, { source: elt, event: triggeringEvent, values });
    else location.reload(); /* the element was swapped out meanwhile */
  };
  /* ---- Signed in again in another tab: this page's token is no longer valid. The answer has a new one, and the request is
     repeated with it, but only for the account that the page was rendered for; a guest's page has none. ---- */

  let hasRenewed = false;
  const renew = ({ xhr }) => {
    const mine = document.getElementById("drawn-from")?.dataset.account;
    if (xhr?.status !== 403 || mine === undefined || !xhr.getResponseHeader("Content-Type")?.includes("json")) return "";
    const { token, account } = JSON.parse(xhr.responseText);
    const isMine = !mine || mine === account;
    if (!isMine && account) return "other-account";
    for (const control of document.getElementsByName("csrfmiddlewaretoken")) control.value = token;
    return isMine ? "renewed" : "signed-out";
  };
  document.addEventListener(EVENT.after, ({ detail }) => detail.successful && (hasRenewed = false));

  for (const name of EVENT.unreachable)
    document.addEventListener(name, ({ detail }) => {
      /* The page polls how long the session lasts; nobody waits for that. */
      if (detail.elt.id === "session-clock") return;
      const reads = detail.requestConfig?.verb === "get";
      const status = detail.xhr?.status;
      const renewal = hasRenewed ? "" : renew(detail);
      hasRenewed = renewal === "renewed";
      if (hasRenewed) return repeat(detail);
      const reason = renewal || (reads ? "not-updated" : status === 401 ? "signed-out" : "not-saved");
      warn(reason, { elt: detail.elt, again: () => repeat(detail) }, !reads && isPassing(status));
    });
  document.addEventListener(EVENT.after, ({ detail }) => {
    if (detail.successful && (!failed?.elt.isConnected || failed.elt === detail.elt)) calm();
  });
  addEventListener("online", again);
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-retry]")) again();
  });

  /* ---- Send a form only once the portal answers, so that the browser's own error page never replaces ours. ---- */

  const reaching = new Set();
  const reach = async (form, send) => {
    if (reaching.has(form)) return;
    const ping = {};
    reaching.add(form);
    begin(ping);
    const options = { headers: { "HX-Request": "true" }, cache: "no-store", signal: AbortSignal.timeout(TOO_LONG) };
    const isThere = await fetch(line().dataset.asks, options).then(({ status }) => status < 500, () => false);
    end(ping, false);
    reaching.delete(form);
    if (isThere) {
      calm();
      send();
    } else if (form.isConnected) warn("not-sent", { elt: form, again: () => reach(form, send) }, true);
  };
  /* A person who types on hasn't finished: cancel the repetition. */
  document.addEventListener("input", ({ target }) => failed?.elt === target.form && clearTimeout(waiting));

  return { isPassing, leave, reach, askForResult };
})();
