/* Shows and hides questions in place, so that typed answers are never replaced.

   A choice is looked up at once in the table of each region (`data-when`); then the server's answer decides, since it
   runs the rules. Deferred, and before htmx in the page, so that regions are set before htmx reads the form. */
(() => {
  "use strict";

  const EVENT = {
    confirm: "htmx:confirm", sent: "htmx:beforeSend", swap: "htmx:beforeSwap", oob: "htmx:oobBeforeSwap",
    loaded: "htmx:afterOnLoad",
  };

  const TYPED = "input:not([type=hidden], [type=file]), select, textarea";
  const isBox = (control) => control.type === "radio" || control.type === "checkbox";

  /* ---- Look up which regions a choice shows. A row of the table is written like a posted form and names every control of
     its cascade. ---- */

  const chosenAt = (control) => {
    if (isBox(control)) return control.checked ? [control.value] : [];
    return control.selectedOptions ? [...control.selectedOptions].map(({ value }) => value) : [control.value];
  };

  const valuesOf = (form, name) => {
    const item = form.elements.namedItem(name);
    const controls = item instanceof RadioNodeList ? [...item] : [item ?? []].flat();
    const values = controls.flatMap(chosenAt).filter(Boolean);
    return values.length ? values : [""];
  };

  const fits = (form, row) => {
    const rowValues = new URLSearchParams(row);
    return [...rowValues.keys()].every((name) => valuesOf(form, name).some((value) => rowValues.getAll(name).includes(value)));
  };

  /* Return the number of questions shown, negative if hidden. A region with the focus stays; the next post names it. */
  const show = (region, isShown) => {
    if (region.hidden !== isShown || (!isShown && region.contains(document.activeElement))) return 0;
    region.hidden = !isShown;
    region.querySelector('[name="shown"]').disabled = !isShown;
    return isShown ? Number(region.dataset.questions) : -Number(region.dataset.questions);
  };

  const judge = (form, name = "") => {
    const named = name && `${new URLSearchParams([[name, ""]])}`;
    const regions = [...form.querySelectorAll(".region[data-when]")];
    const touched = regions.filter(({ dataset }) => dataset.when.includes(named));
    return touched.map((region) => show(region, region.dataset.when.split(" ").some((row) => fits(form, row))));
  };

  /* ---- Announce the change to screen readers, with the sentences in the announcer's attributes. ---- */

  const sentence = (count, words) => {
    const form = new Intl.PluralRules(document.documentElement.lang).select(count) === "one" ? "One" : "Other";
    return count ? document.getElementById("announcer").dataset[words + form].replace("{n}", count) : "";
  };

  const announce = (changedCounts) => {
    const added = changedCounts.filter((count) => count > 0).reduce((all, count) => all + count, 0);
    const removed = changedCounts.filter((count) => count < 0).reduce((all, count) => all - count, 0);
    if (!added && !removed) return;
    const sentences = [sentence(added, "added"), sentence(removed, "removed")];
    document.getElementById("announcer").textContent = sentences.filter(Boolean).join(" ");
  };

  /* ---- Paint the change first: requests are sent after it, and an earlier answer waits for it. ---- */

  let painted = Promise.resolve();

  document.addEventListener(EVENT.confirm, (event) => {
    event.preventDefault();
    painted.then(() => event.detail.issueRequest(true));
  });

  /* ---- Number the choices: an answer to an older choice doesn't decide which regions show now. ---- */

  const choiceAtRequest = new WeakMap();
  let latestChoice = 0;
  let isLate = false;

  document.addEventListener(
    "change",
    ({ target }) => {
      if (!target.form || !target.name) return;
      latestChoice += 1;
      painted = new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        setTimeout(done, 200); /* a hidden tab has no frames */
      });
      announce(judge(target.form, target.name));
    },
    true,
  );
  document.addEventListener(EVENT.sent, ({ detail: { xhr } }) => {
    choiceAtRequest.set(xhr, latestChoice);
    const answered = xhr.onload;
    xhr.onload = () => painted.then(answered);
  });
  document.addEventListener(EVENT.swap, ({ detail }) => {
    isLate = (choiceAtRequest.get(detail.xhr) ?? latestChoice) < latestChoice;
  });

  /* ---- Keep the focused element where it is on the screen, whatever an answer adds or removes above it. ---- */

  const top = (element) => element.getBoundingClientRect().top;
  let focusBefore = []; /* the focused element, and its position */

  document.addEventListener(EVENT.swap, () => {
    /* The parent keeps its height when the list of needs gets shorter, so that nothing below it moves. */
    const around = document.getElementById("needs-section")?.parentElement;
    if (around) around.style.minBlockSize = `${around.offsetHeight}px`;
    focusBefore = [document.activeElement, top(document.activeElement)];
  });
  document.addEventListener(EVENT.loaded, ({ detail: { elt } }) => {
    const [at, before] = focusBefore;
    focusBefore = [];
    const keep = () => {
      if (at === document.activeElement && at !== document.body) scrollBy(0, top(at) - before);
    };
    /* After a change, correct before the next frame, which needs a layout anyway; other answers may scroll by themselves. */
    if (elt.matches("[hx-trigger^=change]")) requestAnimationFrame(keep);
    else keep();
  });
  /* The notices at the foot of the window may cover the focused control. */
  const notices = document.querySelector(".notices");
  new ResizeObserver(() => {
    const at = document.activeElement;
    if (top(at) < innerHeight && at.matches(TYPED)) scrollBy(0, Math.max(0, top(at) + at.offsetHeight - top(notices)));
  }).observe(notices);

  /* Show and save answers that were given before this file loaded, or that the browser has restored. */
  addEventListener("pageshow", () => {
    for (const form of document.forms) {
      const poster = form.closest("[hx-post]") ?? form.querySelector("[hx-post]");
      if (judge(form).some(Boolean)) poster?.dispatchEvent(new Event("change"));
      for (const control of form.elements)
        if (control.value !== (control.defaultValue ?? control.value)) control.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });

  /* ---- Apply the server's answer. A region in the page is shown or hidden in place. Where a part with controls has to be
     replaced, answers typed since the post are carried over. ---- */

  /* Copy the state of the controls in `before` to their counterparts in `after`. Return true if any of them differed. */
  const carryTyped = (before, after) => {
    let isNew = false;
    const candidates = [...after.querySelectorAll(TYPED)];
    for (const control of before.querySelectorAll(TYPED)) {
      const state = isBox(control) ? "checked" : "value";
      const isCounterpart = ({ name, value }) => name === control.name && (!isBox(control) || value === control.value);
      const counterpart = candidates.find(isCounterpart);
      if (!counterpart || counterpart[state] === control[state]) continue;
      counterpart[state] = control[state];
      isNew = true;
    }
    return isNew;
  };

  /* A chosen file can't be copied, so its control is moved. */
  const carryChosen = (before, after) => {
    const candidates = [...after.querySelectorAll("input[type=file]")];
    for (const control of before.querySelectorAll("input[type=file]"))
      if (control.files.length) candidates.find(({ id }) => id === control.id)?.replaceWith(control);
  };

  document.addEventListener(EVENT.oob, ({ detail }) => {
    const { target, fragment } = detail;
    if (target.classList.contains("region")) {
      detail.shouldSwap = false;
      if (!isLate) show(target, !fragment.firstElementChild.hidden);
    } else if (target.id === "announcer") {
      detail.shouldSwap = !isLate;
    } else {
      carryChosen(target, fragment);
      const poster = target.closest("[hx-post]");
      if (poster && carryTyped(target, fragment)) setTimeout(() => poster.dispatchEvent(new Event("change")));
    }
  });
})();
