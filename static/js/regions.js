/* Questions that show and hide where they stand, so that what was typed in them is never drawn anew.

   A choice is looked up at once in the table at each region (`data-when`); the server, which runs the rules, has the
   last word. Deferred, and before htmx in the page: it judges before htmx reads the form. */
(() => {
  "use strict";

  const EVENT = {
    confirm: "htmx:confirm", sent: "htmx:beforeSend", swap: "htmx:beforeSwap", oob: "htmx:oobBeforeSwap",
    loaded: "htmx:afterOnLoad",
  };

  const isBox = (control) => control.type === "radio" || control.type === "checkbox";

  /* ---- What a choice shows. A row is written like a posted form and names every control of its cascade. ---- */

  const chosenAt = (control) => {
    if (isBox(control)) return control.checked ? [control.value] : [];
    return control.selectedOptions ? [...control.selectedOptions].map(({ value }) => value) : [control.value];
  };

  const held = (form, name) => {
    const found = form.elements.namedItem(name);
    const controls = found instanceof RadioNodeList ? [...found] : [found ?? []].flat();
    const values = controls.flatMap(chosenAt).filter(Boolean);
    return values.length ? values : [""];
  };

  const fits = (form, row) => {
    const wanted = new URLSearchParams(row);
    return [...wanted.keys()].every((name) => held(form, name).some((value) => wanted.getAll(name).includes(value)));
  };

  /* How many questions that shows or hides. What has the focus stays; the next post names it, and is answered. */
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

  /* ---- One sentence for those who hear the page, in the words that stand at the announcer. ---- */

  const sentence = (count, words) => {
    const form = new Intl.PluralRules(document.documentElement.lang).select(count) === "one" ? "One" : "Other";
    return count ? document.getElementById("announcer").dataset[words + form].replace("{n}", count) : "";
  };

  const announce = (moved) => {
    const added = moved.filter((count) => count > 0).reduce((all, count) => all + count, 0);
    const removed = moved.filter((count) => count < 0).reduce((all, count) => all - count, 0);
    if (!added && !removed) return;
    const said = [sentence(added, "added"), sentence(removed, "removed")];
    document.getElementById("announcer").textContent = said.filter(Boolean).join(" ");
  };

  /* ---- What a choice shows is drawn first: requests go after that, and an answer that comes before waits. ---- */

  let drawn = Promise.resolve();

  document.addEventListener(EVENT.confirm, (event) => {
    event.preventDefault();
    drawn.then(() => event.detail.issueRequest(true));
  });

  /* ---- Choices are numbered: an answer to an older one says nothing about what shows now. ---- */

  const asked = new WeakMap();
  let newest = 0;
  let isLate = false;

  document.addEventListener(
    "change",
    ({ target }) => {
      if (!target.form || !target.name) return;
      newest += 1;
      drawn = new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        setTimeout(done, 200); /* there are no frames where nobody looks */
      });
      announce(judge(target.form, target.name));
    },
    true,
  );
  document.addEventListener(EVENT.sent, ({ detail: { xhr } }) => {
    asked.set(xhr, newest);
    const answered = xhr.onload;
    xhr.onload = () => drawn.then(answered);
  });
  document.addEventListener(EVENT.swap, ({ detail }) => {
    isLate = (asked.get(detail.xhr) ?? newest) < newest;
  });

  /* ---- What has the focus stays where it is seen, whatever an answer puts above it or takes away. ---- */

  const top = (element) => element.getBoundingClientRect().top;
  let seen = []; /* what had the focus, and where */

  document.addEventListener(EVENT.swap, () => {
    /* Where a list grows shorter its place keeps its height, so that nothing below it moves. */
    const around = document.getElementById("needs-section")?.parentElement;
    if (around) around.style.minBlockSize = `${around.offsetHeight}px`;
    seen = [document.activeElement, top(document.activeElement)];
  });
  document.addEventListener(EVENT.loaded, ({ detail: { elt } }) => {
    const [at, before] = seen;
    seen = [];
    const keep = () => {
      if (at === document.activeElement && at !== document.body) scrollBy(0, top(at) - before);
    };
    /* After a change before the next frame, which is laid out then anyway; other answers may scroll by themselves. */
    if (elt.matches("[hx-trigger^=change]")) requestAnimationFrame(keep);
    else keep();
  });
  /* The notices at the foot of the window grow over the page. */
  const notices = document.querySelector(".notices");
  new ResizeObserver(() => {
    const at = document.activeElement;
    if (top(at) < innerHeight && at.matches(typed)) scrollBy(0, Math.max(0, top(at) + at.offsetHeight - top(notices)));
  }).observe(notices);

  /* What was chosen or typed before this file came, or that the browser has brought back, shows and is saved. */
  addEventListener("pageshow", () => {
    for (const form of document.forms) {
      const saving = form.closest("[hx-post]") ?? form.querySelector("[hx-post]");
      if (judge(form).some(Boolean)) saving?.dispatchEvent(new Event("change"));
      for (const one of form.elements)
        if (one.value !== (one.defaultValue ?? one.value)) one.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });

  /* ---- The server's last word. A region that stands in the page is shown or hidden where it stands. Where a part with
     controls has to be replaced, what was typed there since the post goes along. ---- */

  const typed = "input:not([type=hidden], [type=file]), select, textarea";

  /* Gives every control in `after` what its like in `before` holds; whether any of that was new to it. */
  const carryTyped = (before, after) => {
    let isNew = false;
    const likes = [...after.querySelectorAll(typed)];
    for (const control of before.querySelectorAll(typed)) {
      const state = isBox(control) ? "checked" : "value";
      const like = likes.find((one) => one.name === control.name && (!isBox(one) || one.value === control.value));
      if (!like || like[state] === control[state]) continue;
      like[state] = control[state];
      isNew = true;
    }
    return isNew;
  };

  /* A chosen file can't be copied: its control itself goes along. */
  const carryChosen = (before, after) => {
    const likes = [...after.querySelectorAll("input[type=file]")];
    for (const control of before.querySelectorAll("input[type=file]"))
      if (control.files.length) likes.find((one) => one.id === control.id)?.replaceWith(control);
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
      const asking = target.closest("[hx-post]");
      if (asking && carryTyped(target, fragment)) setTimeout(() => asking.dispatchEvent(new Event("change")));
    }
  });
})();
