// The claims of a paper: those of the verdict in the address, and texts to copy. Prints open what is folded.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const {state, element} = window.mlreduce;
  const wanted = state("verdict"), claims = [...document.querySelectorAll(".claim[data-verdict]")];
  const shown = claims.filter((claim) => claim.dataset.verdict === wanted);
  if (shown.length) {
    for (const part of document.querySelectorAll(".claim, .question, .fold")) part.hidden = !shown.some((claim) => part.contains(claim));
    for (const claim of shown) claim.closest(".fold").open = true;
    document.getElementById("filtered").append(`${shown.length} of ${claims.length} claims: ${wanted}. `, element("a", {href: "?#claims"}, "All claims"));
    // A permalink shows its claim, whatever was filtered.
    const named = () => {
      const target = location.hash.startsWith("#claim-") && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      for (let own = target; own; own = own.parentElement) own.hidden = false;
      if (target) target.scrollIntoView();
    };
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
