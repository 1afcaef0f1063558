// The claims of a paper: filtered by their verdict, which the address keeps, and texts to copy. Prints open what is folded.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const {state, keep, element} = window.mlreduce;
  const form = document.getElementById("filter");

  if (form) {
    const claims = [...document.querySelectorAll(".claim[data-verdict]")];
    const folds = [...document.querySelectorAll("details.fold")];
    const said = document.getElementById("filtered");
    const open = new Map(folds.map((fold) => [fold, fold.open]));
    const show = () => {
      const wanted = form.elements.verdict.value;
      for (const claim of claims) claim.hidden = wanted !== "" && claim.dataset.verdict !== wanted;
      for (const question of document.querySelectorAll(".question")) question.hidden = wanted !== ""; // counts all of its claims
      for (const fold of folds) {
        const shown = [...fold.querySelectorAll(".claim[data-verdict]")].some((claim) => !claim.hidden);
        fold.hidden = !shown;
        fold.open = wanted === "" ? open.get(fold) : shown;
      }
      said.textContent = wanted === "" ? "" : `${claims.filter((claim) => !claim.hidden).length} of ${claims.length} claims: ${wanted}.`;
    };
    const asked = state("verdict");
    for (const choice of form.elements.verdict) choice.checked = choice.value === asked;
    if (!form.elements.verdict.value) form.elements.verdict[0].checked = true;
    form.addEventListener("change", () => {
      keep({verdict: form.elements.verdict.value});
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    // A permalink shows its claim, whatever was filtered.
    const named = () => {
      const target = location.hash.startsWith("#claim-") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target && target.hidden) {
        form.elements.verdict[0].checked = true;
        keep({verdict: null});
        show();
        target.scrollIntoView();
      }
    };
    show();
    named();
    addEventListener("hashchange", named);
  }

  for (const text of document.querySelectorAll("pre.copy")) {
    const said = element("span", {role: "status"});
    const copy = async () => {
      getSelection().selectAllChildren(text); // what is selected can be copied by hand where the browser refuses
      try {
        await navigator.clipboard.writeText(text.textContent);
        said.textContent = " Copied.";
      } catch {
        said.textContent = " Selected; copy it with the keyboard.";
      }
    };
    text.before(element("p", {class: "tools"}, element("button", {type: "button", onclick: copy}, `copy ${text.dataset.what}`), said));
  }
});
