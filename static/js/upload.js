/* Uploads files as soon as they are chosen or dropped on a slot, with progress and a button to cancel.

   Request and answer are those of the form without script: the answer is a whole page, of which only the slot and the parts
   that depend on files (`data-follows`) are taken, so that answers typed elsewhere stay. */
(() => {
  "use strict";

  const CONTROL = ".slot input[type=file]";

  const panel = () => document.getElementById("uploading");
  const message = (name, values) => panel().dataset[name].replace(/{(\w+)}/g, (_, key) => values[key]);
  const announce = (text) => {
    const line = text.trim().replace(/\s+/g, " ");
    document.getElementById("announcer").textContent = line.length < 100 ? line : `${line.slice(0, 98)}…`;
  };
  const style = { style: "unit", unit: "megabyte", maximumFractionDigits: 1 };
  const megabytes = (bytes) => (bytes / 1e6).toLocaleString(document.documentElement.lang, style);

  const replaceSlot = (slot, page) => {
    /* If another answer has replaced the focused part of the page, the body has the focus. */
    const hadFocus = slot.contains(document.activeElement) || document.activeElement === document.body;
    const newSlot = page.getElementById(slot.id);
    announce((newSlot.querySelector(".error") ?? page.getElementById("messages")).textContent);
    for (const old of [document.getElementById(slot.id), ...document.querySelectorAll("[data-follows]")]) {
      const next = old && page.getElementById(old.id);
      if (next) old.replaceWith(next);
    }
    if (hadFocus) newSlot.focus({ preventScroll: true });
  };

  const send = (control) => {
    const [file] = control.files;
    const slot = control.closest(".slot");
    const picker = control.closest(".picker");
    if (!file || !panel() || picker.hidden) return;

    const progressPanel = panel().content.firstElementChild.cloneNode(true);
    const sent = progressPanel.querySelector("[data-sent]");
    const stop = progressPanel.querySelector("button");
    const request = new XMLHttpRequest();

    /* Show the slot as before, with the outcome. */
    const restoreSlot = (text, tone = "error") => {
      const hadFocus = progressPanel.contains(document.activeElement);
      progressPanel.outerHTML = `<p class="uploading ${tone}"></p>`;
      slot.querySelector(".uploading").textContent = text;
      picker.hidden = false;
      if (hadFocus) control.focus();
      announce(text);
    };
    const fail = () => {
      /* Offer the form without script. */
      slot.querySelector(".without-script")?.classList.remove("without-script");
      restoreSlot(message("failed"));
    };

    slot.querySelector(".uploading")?.remove();
    picker.before(progressPanel);
    const { limit } = panel().dataset;
    if (file.size > limit) {
      control.value = "";
      return restoreSlot(message("large", { limit: megabytes(limit), size: megabytes(file.size) }));
    }
    progressPanel.querySelector("[data-file]").textContent = file.name;
    if (picker.contains(document.activeElement)) stop.focus();
    picker.hidden = true;
    stop.onclick = () => request.abort();
    request.upload.onprogress = ({ loaded, total }) => {
      progressPanel.querySelector("progress").value = loaded / total;
      sent.textContent = message("sent", { sent: megabytes(loaded), size: megabytes(total) });
    };
    request.upload.onload = () => {
      /* It can't be cancelled any more. */
      if (document.activeElement === stop) progressPanel.focus();
      stop.remove();
      sent.textContent = message("stored");
    };
    request.onabort = () => {
      control.value = "";
      restoreSlot(message("cancelled"), "hint");
    };
    request.onerror = fail;
    request.onload = () => {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      page.getElementById(slot.id) ? replaceSlot(slot, page) : fail();
    };

    const data = new FormData();
    data.append("csrfmiddlewaretoken", control.form.elements.csrfmiddlewaretoken.value);
    data.append("slot", slot.querySelector("[name=slot]").value);
    data.append(control.name, file);
    request.open("POST", control.form.action);
    request.send(data);
  };

  /* In the capture phase, before the part around a slot posts itself. */
  document.addEventListener("change", (event) => {
    if (!event.target.matches(CONTROL)) return;
    event.stopPropagation();
    send(event.target);
  }, true);
  /* Files that were chosen before this script loaded. */
  document.querySelectorAll(CONTROL).forEach(send);

  /* A file that is dropped beside a slot must not take the page's place. */
  for (const name of ["dragover", "drop"])
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      const control = event.target.closest(".slot")?.querySelector(CONTROL);
      if (name === "dragover" || !control) return;
      control.files = event.dataTransfer.files;
      send(control);
    });
})();
