// The comparison: what is chosen, and curves and pairs from the scores of every split.
"use strict";
addEventListener("DOMContentLoaded", async () => {
  const {root, load, keep, element, table, swatch} = window.mlreduce;
  const {AVERAGE, LARGEST, mean, decoded, nameOf, percentsOf, cellsOf, pairsOf, marginOf, askedOf} = window.mlreduceScores;
  const {draw, distinct, FAINT} = window.mlreduceCharts;
  const MOST = 8; // lines with colours
  const studies = window.mlreduceData.studies;
  const form = document.getElementById("choices");
  const said = document.getElementById("said");
  const result = document.getElementById("result");
  const fields = form.elements;
  const asked = askedOf(new URLSearchParams(location.search));
  let parts = []; // of the study: the scores of each measure that is chosen
  let claim = asked.claim && studies.some((own) => own.key === asked.study) ? asked.claim : null; // whose comparison this is, until something else is chosen
  let ticked = asked.methods.length > 0; // whether the methods are somebody's choice

  // Choices

  function options(select, entries, wanted) {
    const before = wanted ?? select.value;
    select.replaceChildren(...entries.map(([value, text]) => element("option", {value}, text)));
    if (entries.some(([value]) => value === before)) select.value = before;
    select.parentElement.hidden = entries.length < 2 && select.name !== "study";
  }

  function boxes(id, names, wanted, colours) {
    const place = document.getElementById(id);
    place.replaceChildren(...names.map((name) => element("label", {}, element("input", {type: "checkbox", name: id, value: name, checked: wanted.includes(name)}), colours ? swatch(colours[name]) : null, name)));
  }

  const chosen = (id) => [...document.querySelectorAll(`#${id} input:checked`)].map((box) => box.value);
  const study = () => studies.find((own) => own.key === fields.study.value) ?? studies[0];
  const listed = (name) => fields[name].value.split("~");
  const joined = (names) => (names.length ? names.join("~") : undefined);

  // Of a claim: several measures, predictors or sizes at once are one entry more.
  function several(names, shown, known, mark = "~") {
    return names.length > 1 && names.every((name) => known.includes(name)) ? [[names.join(mark), names.map(shown).join(", ")]] : [];
  }

  async function changed(what) {
    const own = study(), first = what < 0;
    if (what <= 0) {
      const labels = new Map(own.measures.map((m) => [m.name, m.label]));
      const more = first ? several(asked.measures, (name) => labels.get(name), [...labels.keys()]) : [];
      options(fields.measure, [...more, ...labels], first ? joined(asked.measures) : undefined);
    }
    if (what <= 1) {
      parts = await Promise.all(listed("measure").map(async (name) => {
        const measure = own.measures.find((m) => m.name === name);
        await load(root + measure.file);
        return {measure: name, content: await decoded(window.mlreduceData[`${own.page}/${name}`])};
      }));
      options(fields.protocol, unique(all().map((b) => b.protocol)), first ? asked.protocol : undefined);
    }
    if (what <= 2) {
      const known = predictors();
      const more = first ? several(asked.predictors, (name) => name, known) : [];
      options(fields.predictor, [...more, ...unique(known)], first ? joined(asked.predictors) : undefined);
    }
    if (what <= 3) {
      const there = blocks();
      const settings = [...new Set(there.flatMap((b) => b.settings.map(nameOf)))];
      const curves = there.some((b) => b.settings.filter(([percent]) => percent > 0).length > 1);
      const numbered = there.some((b) => b.settings.filter(([percent, energy]) => !percent && !energy).length > 1);
      const wanted = first ? asked.size ?? undefined : fields.size.value;
      // Of a claim: some of the sizes, or those up to a number.
      const more = /^at most \d+ dimensions$/.test(wanted ?? "") ? [[wanted, wanted]] : several(wanted?.split("; ") ?? [], (name) => name, settings, "; ");
      options(fields.size, [...(curves ? [[AVERAGE, AVERAGE]] : []), ...(numbered ? [[LARGEST, LARGEST]] : []), ...more, ...unique(settings)], wanted);
      const known = Object.keys(own.methods);
      const methods = [...new Set(there.flatMap((b) => b.methods))].sort((a, b) => known.indexOf(a) - known.indexOf(b));
      const sets = [...new Set(there.map((b) => b.dataset))];
      const before = chosen("methods").filter((name) => methods.includes(name));
      boxes("methods", methods, first && ticked ? asked.methods : ticked && before.length > 1 ? before : beginning(methods), own.methods);
      const kept = chosen("datasets").filter((name) => sets.includes(name));
      boxes("datasets", sets, first && asked.datasets.length ? asked.datasets : kept.length ? kept : sets);
    }
    await show();
  }

  // The best methods by the measure and the controls, as on the other pages; the first ones where none is named.
  function beginning(methods) {
    const own = (study().first?.[fields.measure.value] ?? []).filter((name) => methods.includes(name));
    return own.length > 1 ? own : methods.slice(0, MOST);
  }

  const all = () => parts.flatMap((part) => part.content.blocks);
  const blocks = () => all().filter((b) => b.protocol === fields.protocol.value && listed("predictor").includes(b.predictor));
  const unique = (values) => [...new Set(values)].map((value) => [value, value]);

  // In the order of the study file.
  function predictors() {
    const there = new Set(all().filter((b) => b.protocol === fields.protocol.value).map((b) => b.predictor));
    return study().predictors.filter((name) => there.has(name));
  }

  // What is compared, as mlreduceScores has it.
  function choice() {
    return {
      parts, protocol: fields.protocol.value, predictors: listed("predictor"), size: fields.size.value, methods: chosen("methods"),
      margin: marginOf(fields.margin.value) ?? {value: 0.01, relative: false}, each: claim !== null && asked.each, direction: claim && asked.direction, lines: claim === null,
    };
  }

  // Something else was chosen: this is no claim's comparison any more.
  function leave() {
    if (!claim) return;
    claim = null;
    keep({claim: null, cells: null, direction: null});
  }

  // Results

  async function show() {
    const methods = chosen("methods"), sets = chosen("datasets");
    keep({study: fields.study.value, measure: fields.measure.value, protocol: fields.protocol.value, predictor: fields.predictor.value, size: fields.size.value, margin: fields.margin.value, methods: methods.join("~"), datasets: sets.join("~")});
    const enough = methods.length > 1 && sets.length > 0;
    result.hidden = !enough;
    showClaim();
    said.textContent = enough ? "" : "Choose two methods or more, and a data set.";
    if (!enough) return;
    const own = choice();
    const there = [...new Set(blocks().map((b) => b.dataset))].filter((dataset) => sets.includes(dataset));
    await curves(own, there);
    // Data sets on which all methods can be compared.
    const whole = there.filter((dataset) => own.methods.every((method) => cellsOf(own, method, dataset).length));
    const left = there.filter((dataset) => !whole.includes(dataset));
    const alone = own.size === AVERAGE ? methods.filter((method) => parts.some(({content}) => blocks().some((block) => content.blocks.includes(block) && there.includes(block.dataset) && block.methods.includes(method) && percentsOf(content, block, method).length === 1))) : [];
    const better = [...new Set(parts.map((part) => part.content.higher))].map((higher) => (higher ? "higher" : "lower")).join(" or, of losses, ");
    said.textContent = `${marginOf(fields.margin.value) ? "" : `The margin ${fields.margin.value} is not a number or a share such as 2 %: 0.01 is used. `}${labels()}, ${better} is better; ${whole.length} of ${there.length} data sets${left.length ? ` (without a value of every method: ${left.join(", ")})` : ""}.${alone.length ? ` Only one size, used as the average: ${alone.join(", ")}.` : ""}`;
    const compared = showPairs(own, whole);
    window.mlreduceCompared = {methods, sets: whole, pairs: compared, claim};
    form.dataset.ready = String(Number(form.dataset.ready ?? 0) + 1);
  }

  const labels = () => parts.map((part) => part.content.label).join(", ");

  // While the choices are those of a claim.
  function showClaim() {
    const place = document.getElementById("claim"), link = element("a", {href: `${root}papers/${study().page}.html#claim-${claim}`}, `the claim ${claim}`);
    place.hidden = !claim;
    place.replaceChildren("Measures, sizes, data sets and margin are those of ", link, `${asked.each ? ", which has to hold for each measure, predictor and size: these are counted separately" : ""}. With another choice this is your comparison.`);
  }

  // Of several measures and predictors the first has curves.
  async function curves(own, datasets) {
    const place = document.getElementById("curves-chart");
    const markers = "os^Dv<>dPXph*";
    const {content} = parts[0], predictor = own.predictors[0];
    document.getElementById("curves-of").textContent = parts.length * own.predictors.length > 1 ? ` Here: ${content.label}, ${predictor}; choose another above.` : "";
    const best = own.methods.length > MOST ? beginning(own.methods) : own.methods;
    const named = own.methods.filter((method) => best.includes(method)); // in the order of the study, as in its figures
    const colours = distinct(named, study().methods, window.mlreduceData.palette);
    const shown = content.blocks.filter((b) => b.protocol === own.protocol && b.predictor === predictor && datasets.includes(b.dataset));
    const panels = shown.map((block) => {
      const swept = block.settings.some(([percent]) => percent > 0) ? 0 : 2;
      const lines = own.methods.filter((method) => block.methods.includes(method)).map((method) => {
        const points = [];
        block.settings.forEach((setting) => {
          if (!setting[swept]) return;
          const [cell] = cellsOf({...own, parts: parts.slice(0, 1), predictors: [predictor], size: nameOf(setting)}, method, block.dataset);
          const values = (cell?.values ?? []).filter(Number.isFinite);
          if (!values.length) return;
          const m = mean(values);
          const error = values.length > 1 ? Math.sqrt(values.reduce((t, v) => t + (v - m) ** 2, 0) / (values.length - 1) / values.length) : NaN;
          points.push(Number.isFinite(error) ? [setting[swept], m, m - error, m + error] : [setting[swept], m]);
        });
        const faint = !named.includes(method);
        return {name: method, colour: faint ? FAINT : colours[method], faint, dash: null, marker: markers[own.methods.indexOf(method) % markers.length], width: 1.2, points};
      });
      return {title: block.dataset, x: {label: swept ? "dimensions" : "size, %", log: false}, y: {label: content.label, log: false}, lines: lines.filter((line) => line.points.length)};
    }).filter((panel) => panel.lines.length);
    if (!panels.length) {
      place.replaceChildren(element("p", {}, "There is no curve: one size was measured."));
      return;
    }
    await draw(place, {panels}, "Curves", `${own.parts[0].measure}-${predictor}`);
  }

  const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toPrecision(3)}`;

  // All pairs.
  function showPairs(own, datasets) {
    const place = document.getElementById("pairs-table");
    if (!datasets.length) {
      place.replaceChildren(element("p", {}, "No data set has a value of every method."));
      return [];
    }
    const {methods} = own;
    const found = methods.map((first) => methods.map((second) => (first === second ? null : pairsOf(own, first, second, datasets))));
    const overall = found.map((row) => mean(row.filter((of) => of?.pairs.length).map((of) => of.mean)));
    const order = methods.map((_, i) => i).sort((i, j) => overall[j] - overall[i]);
    const rows = order.map((i) => [methods[i], ...order.map((j) => {
      const of = found[i][j];
      if (!of?.pairs.length) return "";
      const half = (of.wins + of.ties + of.losses) / 2;
      const outcome = of.wins > half ? "better" : of.losses > half ? "worse" : "";
      return element("td", {class: outcome}, element("b", {}, signed(of.mean)), element("br"), `${of.wins}/${of.ties}/${of.losses}`);
    })]);
    place.replaceChildren(table(["against", ...order.map((i) => methods[i])], rows, {class: "matrix"}));
    return found.flatMap((row, i) => row.map((of, j) => of && {methods: [methods[i], methods[j]], mean: of.mean, wins: of.wins, ties: of.ties, losses: of.losses})).filter(Boolean);
  }

  options(fields.study, studies.map((own) => [own.key, own.key]), asked.study ?? undefined);
  fields.margin.value = new URLSearchParams(location.search).get("margin") ?? "0.01";
  form.hidden = false;
  ["study", "measure", "protocol", "predictor"].forEach((name, number) => fields[name].addEventListener("change", () => { leave(); changed(number); }));
  for (const name of ["size", "margin"]) fields[name].addEventListener("change", () => { leave(); show(); });
  for (const id of ["methods", "datasets"]) document.getElementById(id).addEventListener("change", () => { ticked ||= id === "methods"; leave(); show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  await changed(-1);
});
