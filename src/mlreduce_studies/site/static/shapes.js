// Data like mine: methods, nearest data sets and costs by the shape of one's data, as mlreduce.recommend computes them;
// and the choice of data sets by domain and size on their page.
"use strict";
globalThis.mlreduceShapes = (() => {
  const sizesOf = ({n, d, q, sparse}, {stored, asked, share}) => {
    const m = Math.min(n, d);
    return {n, d, q, m, s: n * (sparse ? Math.min(d, stored) : d), p: n * q, k: Math.min(asked, Math.max(Math.floor(share * m), 1))};
  };

  // The value of operations or numbers such as "s m + m^3".
  const valueOf = (text, sizes) => text.split(" + ").reduce((total, term) => total + term.split(" ").reduce((product, factor) => {
    const [symbol, power = "1"] = factor.split("^");
    return product * (/^\d+$/.test(symbol) ? Number(symbol) : sizes[symbol] ** Number(power));
  }, 1), 0);

  const iterates = (part, sizes, sparse, {dense}) => sizes.m > dense && part.iterated !== null && (sparse || part.iterates_on === "any");

  function costOf(method, sizes, sparse, constants) {
    const work = sparse ? {...sizes, s: constants.entry * sizes.s} : sizes;
    let seconds = method.rates.seconds_least, bytes = method.rates.bytes_least;
    for (const part of method.parts) {
      if (iterates(part, sizes, sparse, constants)) {
        seconds += constants.seconds * valueOf(part.iterated, sizes);
        bytes += 8 * constants.arrays * (sizes.n + sizes.d) * (sizes.k + sizes.q);
      } else {
        seconds += method.rates.seconds_rate * valueOf(part.time, work);
        bytes += method.rates.bytes_rate * valueOf(part.memory, sizes);
      }
    }
    return method.parts.length ? {seconds, gigabytes: bytes / 1e9} : {seconds: null, gigabytes: null};
  }

  function fits({takes, parts}, family, sizes, sparse, constants) {
    if (sizes.n < takes.least_instances || (sparse && !takes.sparse)) return false;
    if (takes.single_label && sizes.q > 1) return false;
    if (family === "labelspace" && sizes.q === 1) return false;
    return parts.every((part) => part.most === null || sizes.m <= part.most || iterates(part, sizes, sparse, constants));
  }

  // The data sets of a study, those most alike first: by the ratios of rows, features, labels and filled values.
  function nearestOf(sets, sizes, {few}) {
    const shape = [sizes.n, sizes.d, sizes.q, sizes.s / (sizes.n * sizes.d)];
    return sets.map(([name, ...own]) => {
      const logs = own.map((value, i) => Math.log(Math.max(value, few) / Math.max(shape[i], few)));
      return {name, shape: own, factor: Math.exp(Math.max(...logs.slice(0, 3).map(Math.abs))), apart: logs.reduce((sum, log) => sum + log ** 2, 0)};
    }).sort((a, b) => a.apart - b.apart || (a.name < b.name ? -1 : 1));
  }

  // What fits data of a shape {n, d, q, sparse}, the first by the ranking of the studies first.
  function recommend(data, family, shape) {
    const {constants} = data, {study, methods} = data.families[family], sizes = sizesOf(shape, constants);
    const nearest = nearestOf(data.sets[study], sizes, constants).slice(0, constants.nearest);
    const nearby = (method) => nearest.reduce((sum, {name}) => sum + method.by_set[name], 0) / nearest.length;
    const found = methods.filter((method) => fits(method, family, sizes, shape.sparse, constants));
    return {
      study, nearest, far: Math.min(...nearest.map(({factor}) => factor)) > constants.far,
      methods: found.map((method) => ({...method, ...costOf(method, sizes, shape.sparse, constants), nearby: nearby(method)})),
    };
  }

  return {recommend};
})();

if (typeof document !== "undefined") addEventListener("DOMContentLoaded", () => {
  const {state, keep, element} = window.mlreduce;
  const count = (value) => value.toLocaleString("en-US");

  // Fields keep what the address says, and say in it what is chosen.
  function remembered(form, show) {
    for (const field of form.elements) if (field.name && state(field.name)) field.value = state(field.name);
    form.addEventListener("input", () => {
      keep(Object.fromEntries([...form.elements].filter((field) => field.name).map((field) => [field.name, field.value])));
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    show();
  }

  const form = document.getElementById("like");
  if (form) {
    const data = window.mlreduceData.shapes, place = document.getElementById("alike"), {pages} = data;
    const linked = (folder, name) => (pages[folder][name] ? element("a", {href: `${folder}/${pages[folder][name]}.html`}, name) : name);
    const rounded = (value, unit) => (value === null ? "" : `${Number(value.toPrecision(2))} ${unit}`);
    remembered(form, () => {
      const [n, d, q] = ["n", "d", "q"].map((name) => Number(form.elements[name].value));
      if (![n, d, q].every((value) => Number.isInteger(value) && value > 0)) {
        place.replaceChildren(element("p", {}, "Rows, features and labels are integers above 0."));
        return;
      }
      const found = mlreduceShapes.recommend(data, form.elements.reduce.value, {n, d, q, sparse: form.elements.kind.value === "sparse"});
      const near = found.nearest.map(({name, shape, factor}) => element("li", {}, linked("datasets", name), `: ${count(shape[0])} rows, ${count(shape[1])} features, ${count(shape[2])} labels; a factor of ${factor.toFixed(1)} away`));
      const head = ["first choices", "on these sets", "on all sets", "95 % interval", "seconds", "memory"];
      const rows = found.methods.slice(0, 3).map((one) => element("tr", {},
        element("th", {scope: "row"}, linked("methods", one.name), one.control ? " (control)" : ""),
        ...[one.nearby.toFixed(2), one.near.toFixed(2), `${one.low.toFixed(2)} to ${one.high.toFixed(2)}`, rounded(one.seconds, "s"), rounded(one.gigabytes, "GB")].map((text) => element("td", {}, text))));
      place.replaceChildren(
        found.far ? element("p", {class: "warning"}, element("strong", {}, "No data set is similar to yours"), `: none is within a factor of ${data.constants.far} in rows, features and labels. The best methods there may not be the best for your data.`) : "",
        element("p", {}, `Nearest data sets of ${found.study}:`), element("ol", {}, ...near),
        rows.length ? element("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "First choices"}, element("table", {id: "choices-like"}, element("caption", {}, `Probability of being within ${data.margin} of the best`), element("thead", {}, element("tr", {}, ...head.map((text) => element("th", {scope: "col"}, text)))), element("tbody", {}, ...rows))) : element("p", {}, "No method of this comparison takes data of this shape."));
      place.dataset.ready = "yes";
    });
  }

  const filter = document.getElementById("sets");
  if (filter) {
    const marks = [...document.querySelectorAll("[data-domain]")], said = document.getElementById("chosen");
    remembered(filter, () => {
      const domain = filter.elements.domain.value, [key, side, limit] = filter.elements.size.value.split(" ");
      const shown = (own) => (!domain || own.domain === domain) && (!key || (side === "above") === Number(own[key]) > Number(limit));
      for (const mark of marks) mark.toggleAttribute("hidden", !shown(mark.dataset));
      const rows = marks.filter((mark) => mark.tagName === "TR");
      said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} data sets`;
    });
  }
});
