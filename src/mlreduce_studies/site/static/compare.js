// The comparison: what is chosen, and curves, ranks, pairs and the verdict on a pair from the scores of every split.
"use strict";
addEventListener("DOMContentLoaded", async () => {
  const {root, load, state, keep, element} = window.mlreduce;
  const {mean, posterior, ranking, ranks, friedman, criticalDifference, signedRank} = window.mlreduceStatistics;
  const studies = window.mlreduceData.studies;
  const form = document.getElementById("choices");
  const said = document.getElementById("said");
  const result = document.getElementById("result");
  const fields = form.elements;
  const AVERAGE = "average over the sizes", LARGEST = "largest number of dimensions";
  let scores = null; // of the study and measure that are chosen
  let pair = (state("pair") ?? "").split("~").filter(Boolean);

  // Data

  async function decoded(content) {
    if (!content.array) {
      const bytes = Uint8Array.from(atob(content.values), (letter) => letter.charCodeAt(0));
      const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      content.array = new Float32Array(await new Response(unpacked).arrayBuffer());
    }
    return content;
  }

  // Values of a method by split at a setting, or averaged over the settings; splits with a gap are NaN.
  function valuesOf(block, method, setting) {
    const row = block.methods.indexOf(method);
    if (row < 0) return null;
    const own = settingsOf(block, row, setting);
    if (!own.length || own.includes(-1)) return null;
    const found = [];
    for (let split = 0; split < block.splits; split++) {
      found.push(mean(own.map((s) => scores.array[block.offset + (row * block.settings.length + s) * block.splits + split])));
    }
    return found.some(Number.isFinite) ? found : null;
  }

  // Positions of the settings of a block that a choice means; several are averaged over.
  function settingsOf(block, row, choice, methods = chosen("methods")) {
    if (choice === AVERAGE) {
      const own = percentsOf(block, row);
      return own.length === 1 ? own : commonSettings(block, methods);
    }
    const most = choice === LARGEST ? Infinity : Number(/^at most (\d+) dimensions$/.exec(choice)?.[1] ?? NaN);
    if (Number.isNaN(most)) {
      const asked = choice.split("; ").map((name) => block.settings.findIndex((one) => nameOf(one) === name));
      const own = percentsOf(block, row); // one size alone, as of a control, is a line: it stands at every percentage
      return own.length === 1 && asked.every((s) => s >= 0 && block.settings[s][0] > 0) ? asked.map(() => own[0]) : asked;
    }
    const there = block.settings.map((_, s) => s).filter((s) => {
      const [percent, energy, size] = block.settings[s];
      return !percent && !energy && size <= most && Number.isFinite(scores.array[block.offset + (row * block.settings.length + s) * block.splits]);
    });
    return there.length ? [there.reduce((a, b) => (block.settings[b][2] > block.settings[a][2] ? b : a))] : [];
  }

  // Positions of the percentages that a method has.
  function percentsOf(block, row) {
    return block.settings.map((_, s) => s).filter((s) => block.settings[s][0] > 0 && Number.isFinite(scores.array[block.offset + (row * block.settings.length + s) * block.splits]));
  }

  // Percentages that every method has that has several, but for 100, where nothing is reduced: one with a single
  // size, such as all labels, stands at each of them.
  function commonSettings(block, methods) {
    const own = methods.filter((method) => block.methods.includes(method)).map((method) => percentsOf(block, block.methods.indexOf(method))).filter((sizes) => sizes.length > 1);
    const common = own.length ? own[0].filter((s) => own.every((sizes) => sizes.includes(s))) : [];
    const reduced = common.filter((s) => block.settings[s][0] < 100);
    return reduced.length ? reduced : common;
  }

  // Means of the methods at each of the settings that a choice means, NaN where one has none.
  function settingMeans(block, methods, choice) {
    const own = methods.map((method) => (block.methods.includes(method) ? settingsOf(block, block.methods.indexOf(method), choice, methods) : []));
    const length = Math.max(...own.map((sizes) => sizes.length));
    return Array.from({length}, (_, at) => methods.map((method, j) => {
      const row = block.methods.indexOf(method), s = own[j][own[j].length === 1 ? 0 : at] ?? -1;
      return s < 0 ? NaN : meanOf(Array.from({length: block.splits}, (_, split) => scores.array[block.offset + (row * block.settings.length + s) * block.splits + split]));
    }));
  }

  function nameOf([percent, energy, size]) {
    return percent ? `${percent} %` : energy ? `threshold ${energy}` : size ? `${size} dimensions` : "one size";
  }

  // Scores are 32-bit numbers: means that differ by less are ties.
  const meanOf = (values) => Math.fround(mean(values.filter(Number.isFinite)));

  // Choices

  function options(select, entries, wanted) {
    const before = wanted ?? select.value;
    select.replaceChildren(...entries.map(([value, text]) => element("option", {value}, text)));
    if (entries.some(([value]) => value === before)) select.value = before;
    select.parentElement.hidden = entries.length < 2 && select.name !== "study";
  }

  function boxes(id, names, wanted, colours) {
    const place = document.getElementById(id);
    place.replaceChildren(...names.map((name) => element("label", {}, element("input", {type: "checkbox", name: id, value: name, checked: wanted.includes(name)}), swatch(colours?.[name]), name)));
  }

  function swatch(colour) {
    if (!colour) return null;
    const made = element("span", {class: "swatch", "aria-hidden": "true"});
    made.style.cssText = `background: ${/^#[0-9A-F]{6}$/i.test(colour) ? colour : "#808080"}; border-radius: 50%; display: inline-block`;
    return made;
  }

  const chosen = (id) => [...document.querySelectorAll(`#${id} input:checked`)].map((box) => box.value);
  const study = () => studies.find((own) => own.key === fields.study.value) ?? studies[0];
  const wantedOf = (key) => state(key)?.split("~");

  async function changed(what) {
    const own = study();
    if (what <= 0) options(fields.measure, own.measures.map((m) => [m.name, m.label]), what < 0 ? state("measure") : undefined);
    if (what <= 1) {
      const measure = own.measures.find((m) => m.name === fields.measure.value);
      const key = `${own.page}/${measure.name}`;
      await load(root + measure.file);
      scores = await decoded(window.mlreduceData[key]);
      const first = what < 0;
      options(fields.protocol, unique(scores.blocks.map((b) => b.protocol)), first ? state("protocol") : undefined);
      options(fields.predictor, predictors(), first ? state("predictor") : undefined);
    } else if (what === 2) {
      options(fields.predictor, predictors());
    }
    if (what <= 3) {
      const own = blocks();
      const settings = unique(own.flatMap((b) => b.settings.map(nameOf)));
      const curves = own.some((b) => b.settings.filter(([percent]) => percent > 0).length > 1);
      const numbered = own.some((b) => b.settings.filter(([percent, energy]) => !percent && !energy).length > 1);
      const wanted = what < 0 ? state("size") ?? undefined : fields.size.value;
      // Of a claim: some of the sizes, or those up to a number.
      const several = wanted?.includes("; ") || wanted?.startsWith("at most ") ? [[wanted, wanted.replaceAll("; ", ", ")]] : [];
      options(fields.size, [...(curves ? [[AVERAGE, AVERAGE]] : []), ...(numbered ? [[LARGEST, LARGEST]] : []), ...several, ...settings], wanted);
      const known = Object.keys(study().methods);
      const methods = [...new Set(own.flatMap((b) => b.methods))].sort((a, b) => known.indexOf(a) - known.indexOf(b));
      const sets = own.map((b) => b.dataset);
      const before = chosen("methods").filter((name) => methods.includes(name));
      boxes("methods", methods, (what < 0 && wantedOf("methods")) || (before.length > 1 ? before : first(methods)), study().methods);
      const kept = chosen("datasets").filter((name) => sets.includes(name));
      boxes("datasets", sets, (what < 0 && wantedOf("datasets")) || (kept.length ? kept : sets));
    }
    await show();
  }

  // The best methods by the measure and the controls, as on the other pages.
  function first(methods) {
    const own = (study().first?.[fields.measure.value] ?? []).filter((name) => methods.includes(name));
    return own.length > 1 ? own : plain(methods);
  }

  // The first methods that are no variants of another, so that the page begins with a picture that can be read.
  function plain(methods) {
    const own = methods.filter((name) => !methods.some((other) => other !== name && name.startsWith(`${other}-`)));
    return own.slice(0, 8);
  }

  // In the order of the study file.
  function predictors() {
    const there = new Set(scores.blocks.filter((b) => b.protocol === fields.protocol.value).map((b) => b.predictor));
    return unique(study().predictors.filter((name) => there.has(name)));
  }

  const unique = (values) => [...new Set(values)].map((value) => [value, value]);
  const blocks = () => scores.blocks.filter((b) => b.protocol === fields.protocol.value && b.predictor === fields.predictor.value);

  // Results

  async function show() {
    const methods = chosen("methods"), sets = chosen("datasets");
    const margin = fields.margin.value === "" ? 0.01 : Math.max(0, Number(fields.margin.value));
    keep({study: fields.study.value, measure: fields.measure.value, protocol: fields.protocol.value, predictor: fields.predictor.value, size: fields.size.value, margin: fields.margin.value, methods: methods.join("~"), datasets: sets.join("~"), pair: pair.join("~")});
    const enough = methods.length > 1 && sets.length > 0;
    result.hidden = !enough;
    said.textContent = enough ? "" : "Choose two methods or more, and a data set.";
    if (!enough) return;
    const own = blocks().filter((b) => sets.includes(b.dataset));
    await curves(own, methods);
    const table = own.map((block) => ({block, values: methods.map((method) => valuesOf(block, method, fields.size.value))}));
    const whole = table.filter((row) => row.values.every((values) => values));
    const left = table.filter((row) => !whole.includes(row)).map((row) => row.block.dataset);
    const alone = fields.size.value === AVERAGE ? methods.filter((method) => own.some((block) => block.methods.includes(method) && percentsOf(block, block.methods.indexOf(method)).length === 1)) : [];
    said.textContent = `${scores.label}, ${scores.higher ? "higher" : "lower"} is better; ${whole.length} of ${own.length} data sets${left.length ? ` (without a value of every method: ${left.join(", ")})` : ""}.${alone.length ? ` One size alone, which stands for the average: ${alone.join(", ")}.` : ""}`;
    const means = whole.map((row) => row.values.map(meanOf));
    showRanks(methods, own, means, margin);
    showPairs(methods, whole, means, margin);
    window.mlreduceCompared = {methods, sets: whole.map((row) => row.block.dataset), means};
    form.dataset.ready = String(Number(form.dataset.ready ?? 0) + 1);
  }

  async function curves(own, methods) {
    const place = document.getElementById("curves-chart");
    const markers = "os^Dv<>dPXph*";
    const panels = own.map((block) => {
      const swept = block.settings.some(([percent]) => percent > 0) ? 0 : 2;
      const lines = methods.filter((method) => block.methods.includes(method)).map((method) => {
        const points = [];
        block.settings.forEach((setting) => {
          if (!setting[swept]) return;
          const values = (valuesOf(block, method, nameOf(setting)) ?? []).filter(Number.isFinite);
          if (!values.length) return;
          const m = mean(values);
          const error = values.length > 1 ? Math.sqrt(values.reduce((t, v) => t + (v - m) ** 2, 0) / (values.length - 1) / values.length) : NaN;
          points.push(Number.isFinite(error) ? [setting[swept], m, m - error, m + error] : [setting[swept], m]);
        });
        return {name: method, colour: study().methods[method] ?? "#808080", dash: null, marker: markers[methods.indexOf(method) % markers.length], width: 1.2, points};
      });
      return {title: block.dataset, x: {label: swept ? "dimensions" : "size, %", log: false}, y: {label: scores.label, log: false}, lines: lines.filter((line) => line.points.length)};
    }).filter((panel) => panel.lines.length);
    if (!panels.length) {
      place.replaceChildren(element("p", {}, "There is no curve: one size was measured."));
      return;
    }
    await window.mlreduceCharts.draw(place, {panels}, "Curves");
  }

  function tableOf(head, rows, attributes = {}) {
    return element("table", attributes, element("thead", {}, element("tr", {}, ...head.map((text) => element("th", {scope: "col"}, text)))), element("tbody", {}, ...rows));
  }

  // All methods of the study that other pages rank, those that are chosen among them, in some blocks.
  function fieldOf(blocks, methods) {
    const there = new Set(blocks.flatMap((block) => block.methods));
    const ranked = (study().ranked?.[fields.measure.value] ?? []).filter((name) => there.has(name));
    return [...new Set([...ranked, ...methods])];
  }

  function showRanks(methods, own, means, margin) {
    const place = document.getElementById("ranks-table");
    if (!means.length) return place.replaceChildren(element("p", {}, "No data set has a value of every method."));
    // Scores are 32-bit numbers, whose differences are not exact.
    const field = fieldOf(own, methods);
    const settings = own.map((block) => settingMeans(block, field, fields.size.value)).filter((table) => table.length);
    const all = ranking(settings, scores.higher, margin + 1e-7).methods;
    const found = methods.map((method) => all[field.indexOf(method)]);
    const rows = means.map((values) => ranks(values, scores.higher));
    const average = methods.map((_, j) => mean(rows.map((row) => row[j])));
    const {statistic, p} = friedman(rows);
    const difference = criticalDifference(methods.length, rows.length);
    const places = methods.map((_, j) => j).sort((i, j) => found[j].near - found[i].near || found[i].rank - found[j].rank || (methods[i] < methods[j] ? -1 : 1));
    const best = Math.min(...average);
    const body = places.map((j) => element("tr", {}, element("th", {scope: "row"}, swatch(study().methods[methods[j]]), ` ${methods[j]}`), element("td", {}, found[j].near.toFixed(2)), element("td", {}, found[j].rank.toFixed(2)), element("td", {}, `${(100 * found[j].won).toFixed(0)} %`), element("td", {}, mean(means.map((row) => row[j])).toPrecision(4)), element("td", {class: "text"}, average[j] - best <= difference ? "not told apart from the best" : "worse than the best")));
    window.mlreduceRanked = Object.fromEntries(methods.map((method, j) => [method, found[j]]));
    const few = difference >= methods.length - 1;
    place.replaceChildren(
      tableOf(["method", `within ${margin} of the best`, `average rank of ${field.length}`, "best in", "mean", Number.isFinite(difference) ? "by Nemenyi's test of the chosen" : ""], Number.isFinite(difference) ? body : body.map((row) => (row.lastChild.replaceChildren(""), row))),
      element("p", {}, Number.isFinite(p) ? `Friedman's test: chi-square ${statistic.toFixed(2)}, p = ${p.toPrecision(2)}. Nemenyi's critical difference: ${difference.toFixed(2)}${few ? `, more than ranks of ${methods.length} methods can differ: ${rows.length} data sets are too few for this test` : ""}.` : "No test: it needs three methods on two data sets."),
    );
  }

  function showPairs(methods, whole, means, margin) {
    const place = document.getElementById("pairs-table");
    if (!means.length) {
      document.getElementById("pair").replaceChildren();
      return place.replaceChildren();
    }
    const sign = scores.higher ? 1 : -1;
    const differences = (i, j) => means.map((row) => sign * (row[i] - row[j]));
    const overall = methods.map((_, i) => mean(methods.map((_, j) => mean(differences(i, j)))));
    const order = methods.map((_, i) => i).sort((i, j) => overall[j] - overall[i]);
    const found = new Map();
    const body = order.map((i) => element("tr", {}, element("th", {scope: "row"}, methods[i]), ...order.map((j) => {
      if (i === j) return element("td", {}, "");
      const own = differences(i, j);
      // One test per pair: the other order is its mirror.
      const mirrored = found.get(`${j} ${i}`);
      const chances = mirrored ? {above: mirrored.below, within: mirrored.within, below: mirrored.above} : signedRank(own, margin);
      found.set(`${i} ${j}`, chances);
      const [word, chance] = [["better", chances.above], ["similar", chances.within], ["worse", chances.below]].reduce((a, b) => (b[1] > a[1] ? b : a));
      const wins = own.filter((d) => d > margin).length, losses = own.filter((d) => d < -margin).length;
      const text = `${mean(own) >= 0 ? "+" : "−"}${Math.abs(mean(own)).toPrecision(3)}`;
      return element("td", {class: chance >= 0.95 ? word : "", "data-better": chances.above}, element("button", {type: "button", title: `${methods[i]} and ${methods[j]}`, onclick: () => {
        pair = [methods[i], methods[j]];
        keep({pair: pair.join("~")});
        showPair(whole, margin, methods);
      }}, element("b", {}, text), element("br"), `${wins}/${own.length - wins - losses}/${losses}`, element("br"), `${word} ${chance.toFixed(2)}`));
    })));
    place.replaceChildren(tableOf(["", ...order.map((i) => methods[i])], body, {class: "matrix"}));
    if (!pair.every((name) => methods.includes(name)) || pair.length < 2) pair = [methods[order[0]], methods[order[1]]];
    showPair(whole, margin, methods);
  }

  function showPair(whole, margin, methods) {
    const place = document.getElementById("pair");
    const [i, j] = pair.map((name) => methods.indexOf(name));
    const sign = scores.higher ? 1 : -1;
    const all = [];
    const rows = whole.map(({block, values}) => {
      const own = values[i].map((value, split) => sign * (value - values[j][split])).filter(Number.isFinite);
      if (own.length) all.push(mean(own));
      const cells = [element("th", {scope: "row"}, block.dataset), element("td", {}, own.length ? mean(own).toPrecision(3) : "–")];
      if (own.length < 2 || !block.share) return element("tr", {}, ...cells, ...Array.from({length: 4}, () => element("td", {}, "–")));
      const found = posterior(own, block.share);
      const [low, high] = found.interval();
      const {below, within, above} = found.regions(margin);
      return element("tr", {}, ...cells, element("td", {}, `${low.toPrecision(3)} to ${high.toPrecision(3)}`), ...[above, within, below].map((chance) => element("td", {class: chance >= 0.95 ? "strong" : ""}, chance.toFixed(3))));
    });
    if (!all.length) return place.replaceChildren(element("p", {}, "No split has a value of both."));
    const chances = signedRank(all, margin);
    const [word, chance] = [["better than", chances.above], ["similar to", chances.within], ["worse than", chances.below]].reduce((a, b) => (b[1] > a[1] ? b : a));
    place.replaceChildren(
      element("p", {}, element("b", {}, `${pair[0]} is ${word} ${pair[1]} with probability ${chance.toFixed(3)}`), ` (better ${chances.above.toFixed(3)}, similar ${chances.within.toFixed(3)}, worse ${chances.below.toFixed(3)}) on a data set like these, by a margin of ${margin}: Bayesian signed-rank test over ${all.length} data sets, decided from 0.95 on.`),
      element("p", {class: "note"}, "By data set: the Bayesian correlated t-test over the splits; differences are positive where the first is better."),
      tableOf(["data set", "mean difference", "95 % interval", "better", "similar", "worse"], rows),
    );
  }

  options(fields.study, studies.map((own) => [own.key, own.key]), state("study") ?? undefined);
  fields.margin.value = state("margin") ?? "0.01";
  form.hidden = false;
  ["study", "measure", "protocol", "predictor"].forEach((name, number) => fields[name].addEventListener("change", () => changed(number)));
  for (const name of ["size", "margin"]) fields[name].addEventListener("change", show);
  for (const id of ["methods", "datasets"]) document.getElementById(id).addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  await changed(-1);
});
