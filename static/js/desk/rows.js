/* A box that ticks all rows of its table, and shows if all, some or none are ticked. Without script each row has its own. */
(() => {
  "use strict";

  const settle = (all) => {
    const boxes = [...all.closest("table").querySelectorAll("tbody input[type=checkbox]")];
    const ticked = boxes.filter(({ checked }) => checked).length;
    all.checked = ticked > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
    return boxes;
  };
  const settleEach = () => document.querySelectorAll("[data-ticks-all]").forEach(settle);

  document.addEventListener("change", ({ target }) => {
    if (target.matches?.("[data-ticks-all]")) {
      const { checked } = target;
      for (const box of settle(target)) box.checked = checked;
    }
    settleEach();
  });
  /* A browser that goes back restores the ticks. */
  window.addEventListener("pageshow", settleEach);
})();
