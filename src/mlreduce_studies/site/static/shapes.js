// Data like mine: methods, nearest data sets and costs by the shape of one's data, as mlreduce.recommend computes them;
// and the choice of data sets by domain and size on their page.
"use strict";
globalThis.mlreduceShapes = (() => {
  const sizesOf = ({n, d, q, sparse}, {stored, pairs, asked, share}) => {
    const m = Math.min(n, d), r = Math.min(n, q);
    return {n, d, q, m, r, t: Math.min(n * n, pairs), s: n * (sparse ? Math.min(d, stored) : d), p: n * q, k: Math.min(asked, Math.max(Math.floor(share * m), 1))};
  };

  // The value of operations or numbers such as "s m + m^3", with a rate for each term.
  const valueOf = (text, sizes, rates) => text.split(" + ").reduce((total, term, i) => total + term.split(" ").reduce((product, factor) => {
    const [symbol, power = "1"] = factor.split("^");
    return product * (/^\d+$/.test(symbol) ? Number(symbol) : sizes[symbol] ** Number(power));
  }, rates?.[i] ?? 1), 0);

  const iterates = (part, sizes, sparse, {dense}) => sizes.m > dense && part.iterated !== null && (sparse || part.iterates_on === "any");

  function costOf(method, sizes, sparse, constants) {
    const work = sparse ? {...sizes, s: constants.entry * sizes.s} : sizes;
    let seconds = method.rates.seconds_least, bytes = method.rates.bytes_least;
    for (const part of method.parts) {
      if (iterates(part, sizes, sparse, constants)) {
        seconds += constants.seconds * valueOf(part.iterated, sizes);
        bytes += 8 * constants.arrays * (sizes.n + sizes.d) * (sizes.k + sizes.q);
      } else {
        seconds += valueOf(part.time, work, part.rates);
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

  // The data sets of a comparison, by their places in its study, and how far each is from a shape: by the ratios of rows,
  // features, labels and filled values.
  function distancesOf(sets, places, sizes, {few}) {
    const shape = [sizes.n, sizes.d, sizes.q, sizes.s / (sizes.n * sizes.d)];
    return places.map((place) => {
      const [name, ...traits] = sets[place], group = traits.pop();
      const logs = traits.map((value, i) => Math.log(Math.max(value, few) / Math.max(shape[i], few)));
      const factor = Math.exp(Math.max(...logs.slice(0, 3).map(Math.abs)));
      return {place, name, group, shape: traits, factor: Number(factor.toFixed(2)), apart: logs.reduce((sum, log) => sum + log ** 2, 0)};
    });
  }

  // How much each of these data sets counts, together 1; those of a group share a weight.
  function sharesOf(sets, {floor}) {
    const values = sets.map(({apart, group}) => (floor + Math.exp(-apart / 2)) / sets.filter((other) => other.group === group).length);
    const sum = values.reduce((total, value) => total + value, 0);
    return values.map((value) => value / sum);
  }

  // Methods in the order that similar data sets give, with their weighted means.
  function weighted(methods, sets, constants) {
    const shares = sharesOf(sets, constants);
    const mean = (values) => Number(sets.reduce((sum, {place}, i) => sum + shares[i] * values[place], 0).toFixed(6));
    return methods.map((method) => {
      const near = mean(method.near_on);
      return {...method, near, low: Math.min(method.low, near), high: Math.max(method.high, near), rank: mean(method.rank_on)};
    }).sort((a, b) => b.near - a.near || a.rank - b.rank || (a.name < b.name ? -1 : 1));
  }

  // What fits data of a shape {n, d, q, sparse}, the first in the comparison for {predictor, measure, parameters} first;
  // null where there is no such comparison.
  function recommend(data, family, shape, {predictor, measure, parameters}) {
    const {constants} = data, {comparisons, used} = data.families[family];
    const comparison = comparisons[used[`${predictor} ${measure} ${parameters}`]];
    if (!comparison) return null;
    const sizes = sizesOf(shape, constants), columns = ["searched", "near", "low", "high", "near_on", "rank_on"];
    const rows = comparison.methods.map((name, i) => ({name, ...data.methods[name], ...Object.fromEntries(columns.map((key) => [key, comparison[key][i]]))}));
    const places = rows[0].near_on.flatMap((value, place) => (value === null ? [] : [place]));
    const sets = distancesOf(data.sets[comparison.study], places, sizes, constants);
    const nearest = [...sets].sort((a, b) => a.apart - b.apart || (a.name < b.name ? -1 : 1)).slice(0, constants.nearest);
    const nearby = (method) => nearest.reduce((sum, {place}) => sum + method.near_on[place], 0) / nearest.length;
    const fit = (comparison.weighted ? weighted(rows, sets, constants) : rows).filter((method) => fits(method, family, sizes, shape.sparse, constants));
    return {
      comparison, nearest, far: Math.min(...nearest.map(({factor}) => factor)) > constants.far,
      // What reduces nothing is recommended with methods of the family alone.
      methods: fit.some((method) => method.family === family) ? fit.map((method) => ({...method, ...costOf(method, sizes, shape.sparse, constants), nearby: nearby(method)})) : [],
    };
  }

  return {recommend};
})();

if (typeof document !== "undefined") addEventListener("DOMContentLoaded", () => {
  const {state, keep, element, table} = window.mlreduce;
  const count = (value) => value.toLocaleString("en-US");

  const form = document.getElementById("like");
  if (form) {
    // Fields keep what the address says, and say in it what is chosen.
    const offered = (field, value) => !field.options || [...field.options].some((option) => option.value === value);
    for (const field of form.elements) {
      const value = field.name && state(field.name);
      if (value && offered(field, value)) field.value = value;
    }
    form.addEventListener("input", () => {
      keep(Object.fromEntries([...form.elements].filter((field) => field.name).map((field) => [field.name, field.value])));
      show();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    const data = window.mlreduceData.shapes, place = document.getElementById("alike"), {pages} = data;
    const linked = (folder, name) => (pages[folder][name] ? element("a", {href: `${folder}/${pages[folder][name]}.html`}, name) : name);
    const rounded = (value, unit) => (value === null ? "" : `${Number(value.toPrecision(2))} ${unit}`);
    // Which comparison is shown, and whether it has other parameters than are chosen.
    function described({study, predictor, measure, tuned, searched, data_sets: sets}, parameters) {
      const defaults = searched.some(Boolean) ? "default parameters, except of methods marked as tuned" : "default parameters";
      const missing = {tuned: "There is no comparison of tuned methods with this predictor by this measure.", default: "There is no comparison with default parameters for this predictor and measure."};
      const text = `Comparison: ${study}, ${count(sets)} data sets; ${data.words[measure]}; ${data.words[predictor]}; ${tuned ? "tuned parameters" : defaults}.`;
      return (parameters === "tuned") === tuned ? text : `${text} ${missing[parameters]}`;
    }
    function show() {
      const [n, d, q] = ["n", "d", "q"].map((name) => Number(form.elements[name].value));
      if (![n, d, q].every((value) => Number.isInteger(value) && value > 0)) {
        place.replaceChildren(element("p", {}, "Rows, features and labels are integers above 0."));
        return;
      }
      const [family, predictor, measure, parameters = "default"] = ["reduce", "predictor", "measure", "parameters"].map((name) => form.elements[name]?.value);
      const found = mlreduceShapes.recommend(data, family, {n, d, q, sparse: form.elements.kind.value === "sparse"}, {predictor, measure, parameters});
      place.dataset.ready = "yes";
      if (!found) {
        place.replaceChildren(element("p", {}, "No study compares such methods with this predictor by this measure."));
        return;
      }
      const {comparison} = found, marked = (one) => [one.control ? " (control)" : "", one.searched ? " (tuned)" : ""].join("");
      const near = found.nearest.map(({name, shape, factor}) => element("li", {}, linked("datasets", name), `: ${count(shape[0])} rows, ${count(shape[1])} features, ${count(shape[2])} labels; a factor of ${factor.toFixed(1)} away`));
      const head = ["first choices", "on these sets", "on all sets", "95 % interval", "seconds", "memory"];
      const rows = found.methods.slice(0, 3).map((one) => [
        element("span", {}, linked("methods", one.name), marked(one)),
        one.nearby.toFixed(2), one.near.toFixed(2), `${one.low.toFixed(2)} to ${one.high.toFixed(2)}`, rounded(one.seconds, "s"), rounded(one.gigabytes, "GB"),
      ]);
      const choices = table(head, rows, {id: "choices-like"});
      choices.prepend(element("caption", {}, `Probability of being within ${data.margin} of the best${comparison.weighted ? "; on all sets, similar ones have more weight" : ""}`));
      place.replaceChildren(
        found.far ? element("p", {class: "warning"}, element("strong", {}, "No data set is similar to yours"), `: none is within a factor of ${data.constants.far} in rows, features and labels. The best methods there may not be the best for your data.`) : "",
        element("p", {id: "compared-like"}, `${described(comparison, parameters)} Nearest data sets:`), element("ol", {}, ...near),
        rows.length ? element("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "First choices"}, choices) : element("p", {}, "No method of this comparison takes data of this shape."));
    }
    show();
  }
});
