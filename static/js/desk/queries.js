/* Fills a reason's text in, unless another text was typed. Without script the server fills an empty box. */
(() => {
  "use strict";

  document.addEventListener("change", ({ target }) => {
    const id = target.dataset?.fills;
    if (!id) return;
    const box = document.getElementById(id);
    const isUntouched = !box.value.trim() || [...target.options].some(({ dataset }) => dataset.words === box.value.trim());
    if (isUntouched) box.value = target.selectedOptions[0].dataset.words ?? "";
  });
})();
