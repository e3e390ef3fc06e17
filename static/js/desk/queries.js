/* A reason fills its words in, unless something else was typed. Without script the server does, where nothing was. */
(() => {
  "use strict";

  document.addEventListener("change", ({ target }) => {
    const id = target.dataset?.fills;
    if (!id) return;
    const box = document.getElementById(id);
    const isUntouched = !box.value.trim() || [...target.options].some((one) => one.dataset.words === box.value.trim());
    if (isUntouched) box.value = target.selectedOptions[0].dataset.words ?? "";
  });
})();
