/* Copies a text. It is selected first, so that it can be copied by hand where the browser forbids it. */
(() => {
  "use strict";

  document.addEventListener("click", async ({ target }) => {
    const text = document.getElementById(target.closest("[data-copy]")?.dataset.copy);
    if (!text) return;
    text.select();
    const copied = navigator.clipboard?.writeText(text.value).then(() => true, () => false);
    document.getElementById("announcer").textContent = (await copied) ? "Copied." : "Selected. Copy it by hand.";
  });
})();
