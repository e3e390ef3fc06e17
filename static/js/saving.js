/* What is being saved, what could not be, and trying it again. The words stand in ui/banner.html. Deferred, and
   before htmx and autosave.js in the page. */
window.saving = (() => {
  "use strict";

  const EVENT = {
    asked: "htmx:beforeRequest",
    sent: "htmx:beforeSend",
    after: "htmx:afterRequest",
    unreachable: ["htmx:sendError", "htmx:timeout", "htmx:responseError"],
  };
  const SLOW = 700;
  const TOLD = 4000;
  const WAITS = [5000, 10000, 20000, 30000];
  const TOO_LONG = 10000;

  /* Whether it may go well another time: nobody was reached, too busy, out of order. */
  const isPassing = (status) => !status || status >= 500 || [408, 413, 429].includes(status);

  /* ---- Being saved: said where it takes longer than a moment, and then that it is done. ---- */

  const underWay = new Set();
  let told = 0;
  let isAsked = false; /* somebody waits to hear that it is saved */

  const line = () => document.getElementById("saving");
  const say = (key) => {
    clearTimeout(told);
    if (line()) line().textContent = key ? line().dataset[key] : "";
    if (key === "saved") told = setTimeout(say, TOLD);
  };
  const begin = (what) => {
    if (!underWay.size) {
      clearTimeout(told);
      told = setTimeout(() => say("busy"), SLOW);
    }
    underWay.add(what);
  };
  const end = (what, isSaved) => {
    if (!underWay.delete(what) || underWay.size) return;
    const isAwaited = isAsked || line()?.textContent;
    say(isSaved && isAwaited ? "saved" : "");
    if (isSaved) isAsked = false;
  };
  const tell = () => (isAsked = true);

  document.addEventListener(EVENT.sent, ({ detail }) => detail.requestConfig.verb === "post" && begin(detail.xhr));
  document.addEventListener(EVENT.after, ({ detail }) => end(detail.xhr, detail.successful));
  document.addEventListener("submit", (event) => {
    const isLeaving = () => !event.defaultPrevented && event.target.getAttribute("method") === "post";
    setTimeout(() => isLeaving() && begin(event.target)); /* once everybody has heard of it */
  });
  addEventListener("pageshow", () => {
    underWay.clear();
    say();
  });

  /* ---- Busy buttons. The server ignores a second press; this only says that the first one was heard. ---- */

  const idle = () => {
    for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
  };
  document.addEventListener("submit", ({ submitter }) => submitter?.setAttribute("aria-busy", "true"));
  document.addEventListener(EVENT.after, idle);
  addEventListener("pageshow", idle);

  /* ---- Leaving: what the browser breaks off is no failure, and nothing more is posted. Who types on is still there. ---- */

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

  /* ---- Not saved: the banner stays until it is. What may pass is tried again by itself. ---- */

  let failed = null; /* the element whose request failed, and how to make it once more */
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
    const words = document.getElementById(name);
    if (!words || banner()?.dataset.shows === name) return;
    const said = words.content.cloneNode(true);
    said.querySelector("[data-tried]")?.toggleAttribute("hidden", !isTried);
    banner().dataset.shows = name;
    banner().replaceChildren(said);
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
    /* The button that was pressed is gone; whoever goes by keys must not start from the top. */
    if (pressed) document.getElementById("main").focus({ preventScroll: true });
  };

  const repeat = ({ elt, requestConfig: { verb, path, triggeringEvent } }) => {
    const pressed = triggeringEvent?.submitter;
    const values = pressed?.name ? { [pressed.name]: pressed.value } : {};
    if (elt.isConnected) htmx.ajax(verb, path, { source: elt, event: triggeringEvent, values });
    else location.reload(); /* what failed was swapped away meanwhile */
  };
  /* ---- Signed in again in another tab: no token of this page fits any more. The answer brings another, and with it the
     request is made once more, but only for the account that the page was drawn for; a guest's page is for none. ---- */

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
      /* The page asks by itself how long one stays signed in; nobody waits for the answer. */
      if (detail.elt.id === "session-clock") return;
      const reads = detail.requestConfig?.verb === "get";
      const status = detail.xhr?.status;
      const renewal = hasRenewed ? "" : renew(detail);
      hasRenewed = renewal === "renewed";
      if (hasRenewed) return repeat(detail);
      const words = renewal || (reads ? "not-updated" : status === 401 ? "signed-out" : "not-saved");
      warn(words, { elt: detail.elt, again: () => repeat(detail) }, !reads && isPassing(status));
    });
  document.addEventListener(EVENT.after, ({ detail }) => {
    if (detail.successful && (!failed?.elt.isConnected || failed.elt === detail.elt)) calm();
  });
  addEventListener("online", again);
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-retry]")) again();
  });

  /* ---- A form is sent once the portal answers, so that no page is left for the browser's own words. ---- */

  const asked = new Set();
  const reach = async (form, send) => {
    if (asked.has(form)) return;
    const asking = {};
    asked.add(form);
    begin(asking);
    const options = { headers: { "HX-Request": "true" }, cache: "no-store", signal: AbortSignal.timeout(TOO_LONG) };
    const isThere = await fetch(line().dataset.asks, options).then(({ status }) => status < 500, () => false);
    end(asking, false);
    asked.delete(form);
    if (isThere) {
      calm();
      send();
    } else if (form.isConnected) warn("not-sent", { elt: form, again: () => reach(form, send) }, true);
  };
  /* Who types on hasn't finished: nothing is sent behind their back. */
  document.addEventListener("input", ({ target }) => failed?.elt === target.form && clearTimeout(waiting));

  return { isPassing, leave, reach, tell };
})();
