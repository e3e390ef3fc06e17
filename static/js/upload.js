/* Files that are sent as soon as they are chosen or dropped on a slot, with their progress, and a way to stop.

   What is sent and answered is as without script: the page comes back whole, and of it only the slot, and what follows
   from files (`data-follows`), is taken over, so that nothing typed elsewhere is touched. */
(() => {
  "use strict";

  const CONTROL = ".slot input[type=file]";

  const panel = () => document.getElementById("uploading");
  const words = (name, values) => panel().dataset[name].replace(/{(\w+)}/g, (_, key) => values[key]);
  const say = (text) => {
    const words = text.trim().replace(/\s+/g, " ");
    document.getElementById("announcer").textContent = words.length < 100 ? words : `${words.slice(0, 98)}…`;
  };
  const style = { style: "unit", unit: "megabyte", maximumFractionDigits: 1 };
  const megabytes = (bytes) => (bytes / 1e6).toLocaleString(document.documentElement.lang, style);

  const takeOver = (slot, page) => {
    /* Where another answer has drawn its part of the page anew, nothing has it. */
    const hadFocus = slot.contains(document.activeElement) || document.activeElement === document.body;
    const fresh = page.getElementById(slot.id);
    say((fresh.querySelector(".error") ?? page.getElementById("messages")).textContent);
    for (const old of [document.getElementById(slot.id), ...document.querySelectorAll("[data-follows]")]) {
      const next = old && page.getElementById(old.id);
      if (next) old.replaceWith(next);
    }
    if (hadFocus) fresh.focus({ preventScroll: true });
  };

  const send = (control) => {
    const [file] = control.files;
    const slot = control.closest(".slot");
    const picker = control.closest(".picker");
    if (!file || !panel() || picker.hidden) return;

    const shown = panel().content.firstElementChild.cloneNode(true);
    const sent = shown.querySelector("[data-sent]");
    const stop = shown.querySelector("button");
    const request = new XMLHttpRequest();

    /* The slot as it was, with what became of the file. */
    const giveBack = (text, tone = "error") => {
      const hadFocus = shown.contains(document.activeElement);
      shown.outerHTML = `<p class="uploading ${tone}"></p>`;
      slot.querySelector(".uploading").textContent = text;
      picker.hidden = false;
      if (hadFocus) control.focus();
      say(text);
    };
    const fail = () => {
      /* The plain way is still there. */
      slot.querySelector(".without-script")?.classList.remove("without-script");
      giveBack(words("failed"));
    };

    slot.querySelector(".uploading")?.remove();
    picker.before(shown);
    const { limit } = panel().dataset;
    if (file.size > limit) {
      control.value = "";
      return giveBack(words("large", { limit: megabytes(limit), size: megabytes(file.size) }));
    }
    shown.querySelector("[data-file]").textContent = file.name;
    if (picker.contains(document.activeElement)) stop.focus();
    picker.hidden = true;
    stop.onclick = () => request.abort();
    request.upload.onprogress = ({ loaded, total }) => {
      shown.querySelector("progress").value = loaded / total;
      sent.textContent = words("sent", { sent: megabytes(loaded), size: megabytes(total) });
    };
    request.upload.onload = () => {
      /* From here on it can't be taken back by stopping. */
      if (document.activeElement === stop) shown.focus();
      stop.remove();
      sent.textContent = words("stored");
    };
    request.onabort = () => {
      control.value = "";
      giveBack(words("cancelled"), "hint");
    };
    request.onerror = fail;
    request.onload = () => {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      page.getElementById(slot.id) ? takeOver(slot, page) : fail();
    };

    const data = new FormData();
    data.append("csrfmiddlewaretoken", control.form.elements.csrfmiddlewaretoken.value);
    data.append("slot", slot.querySelector("[name=slot]").value);
    data.append(control.name, file);
    request.open("POST", control.form.action);
    request.send(data);
  };

  /* Before the part around a slot hears of it, and posts itself. */
  document.addEventListener("change", (event) => {
    if (!event.target.matches(CONTROL)) return;
    event.stopPropagation();
    send(event.target);
  }, true);
  /* What was chosen before this file came. */
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
