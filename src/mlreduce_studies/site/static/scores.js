// Scores of every split as the pages carry them: what a choice of measures, predictors and sizes means, and two methods
// on a data set as `mlreduce_studies.verdicts.weighing` compares them.
"use strict";
globalThis.mlreduceScores = (() => {
  const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;
  const AVERAGE = "average over the sizes", LARGEST = "largest number of dimensions";

  // Unpacks the scores of a measure, once.
  async function decoded(content) {
    if (!content.array) {
      const bytes = Uint8Array.from(atob(content.values), (letter) => letter.charCodeAt(0));
      const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      content.array = new Float32Array(await new Response(unpacked).arrayBuffer());
    }
    return content;
  }

  function nameOf([percent, energy, size]) {
    return percent ? `${percent} %` : energy ? `threshold ${energy}` : size ? `${size} dimensions` : "one size";
  }

  const valueAt = (content, block, row, setting, split) => content.array[block.offset + (row * block.settings.length + setting) * block.splits + split];
  const bySplit = (block, value) => Array.from({length: block.splits}, (_, split) => value(split));

  // Positions of the percentages that a method has.
  function percentsOf(content, block, method) {
    const row = block.methods.indexOf(method);
    return block.settings.map((_, s) => s).filter((s) => block.settings[s][0] > 0 && bySplit(block, (split) => valueAt(content, block, row, s, split)).some(Number.isFinite));
  }

  // Percentages that every method has that has several, but for 100, where nothing is reduced: one with a single size,
  // such as all labels, stands at each of them.
  function commonPercents(content, block, methods) {
    const own = methods.filter((method) => block.methods.includes(method)).map((method) => percentsOf(content, block, method)).filter((sizes) => sizes.length > 1);
    const common = own.length ? own[0].filter((s) => own.every((sizes) => sizes.includes(s))) : [];
    const reduced = common.filter((s) => block.settings[s][0] < 100);
    return reduced.length ? reduced : common;
  }

  // Values of a method by split at each size of a choice: pairs of a name and a list with NaN for gaps. With `lines` a
  // method of one size alone, such as a control, stands at every percentage.
  function listsOf(content, block, method, choice) {
    const row = block.methods.indexOf(method);
    const own = (s, split) => (s < 0 ? NaN : valueAt(content, block, row, s, split));
    const at = (s) => bySplit(block, (split) => own(s, split));
    const percents = percentsOf(content, block, method);
    if (choice.size === AVERAGE) return (percents.length === 1 ? percents : commonPercents(content, block, choice.methods)).map((s) => [nameOf(block.settings[s]), at(s)]);
    const most = choice.size === LARGEST ? Infinity : Number(/^at most (\d+) dimensions$/.exec(choice.size)?.[1] ?? NaN);
    if (!Number.isNaN(most)) {
      const numbered = block.settings.map((_, s) => s).filter((s) => !block.settings[s][0] && !block.settings[s][1] && block.settings[s][2] <= most).sort((s, t) => block.settings[t][2] - block.settings[s][2]);
      return [["", bySplit(block, (split) => own(numbered.find((s) => Number.isFinite(own(s, split))) ?? -1, split))]];
    }
    const names = choice.size.split("; "), positions = names.map((name) => block.settings.findIndex((one) => nameOf(one) === name));
    const line = choice.lines && percents.length === 1 && positions.every((s) => s >= 0 && block.settings[s][0] > 0);
    return names.map((name, i) => [name, at(line ? percents[0] : positions[i])]);
  }

  // The same with the mean over the sizes as one where that is asked for.
  function atSizes(content, block, method, choice) {
    const lists = listsOf(content, block, method, choice);
    if (choice.size !== AVERAGE) return lists;
    return lists.length ? [["", bySplit(block, (split) => mean(lists.map(([, values]) => values[split])))]] : [];
  }

  // Cells of a method on a data set: one for each measure, predictor and size of a choice that it has values of.
  // A choice has `parts` (of a measure each: its name, label and content), `protocol`, `predictors`, `size`, `methods`,
  // `margin` {value, relative}, `each` (whether cells are counted one by one), `direction`, and `lines` of `listsOf`.
  function cellsOf(choice, method, dataset) {
    const cells = [];
    for (const {measure, content} of choice.parts) {
      for (const predictor of choice.predictors) {
        const block = content.blocks.find((b) => b.protocol === choice.protocol && b.predictor === predictor && b.dataset === dataset);
        if (!block?.methods.includes(method)) continue;
        const sign = choice.direction === "larger" || (choice.direction !== "smaller" && content.higher) ? 1 : -1;
        for (const [size, values] of atSizes(content, block, method, choice)) {
          if (values.some(Number.isFinite)) cells.push({name: [measure, predictor, size].join(" "), size, sign, values});
        }
      }
    }
    return cells;
  }

  // Splits on which all of some cells have a value.
  const completeSplits = (cells) => (cells[0]?.values ?? []).map((_, split) => split).filter((split) => cells.every((cell) => Number.isFinite(cell.values[split])));

  // Two methods on a data set by their common cells: differences by split, positive where the first is better, with their
  // margin; null where they have no cell or split in common.
  function pairOf(choice, first, second, dataset) {
    const [firsts, seconds] = [first, second].map((method) => cellsOf(choice, method, dataset));
    const there = completeSplits(seconds), splits = completeSplits(firsts).filter((split) => there.includes(split));
    const common = firsts.map((cell) => [cell, seconds.find((other) => other.name === cell.name)]).filter(([, other]) => other);
    if (!common.length || !splits.length) return null;
    const cells = common.map(([cell, other]) => ({
      differences: splits.map((split) => cell.sign * (cell.values[split] - other.values[split])),
      level: mean(splits.map((split) => Math.abs(other.values[split]))),
    }));
    const {value, relative} = choice.margin;
    const made = choice.each ? cells : [{differences: splits.map((_, i) => mean(cells.map((cell) => cell.differences[i]))), level: mean(cells.map((cell) => cell.level))}];
    const parts = made.map(({differences, level}) => ({differences, mean: mean(differences), margin: relative ? value * level : value}));
    const wins = parts.filter((part) => part.mean > part.margin).length, losses = parts.filter((part) => part.mean < -part.margin).length;
    return {
      dataset, wins, losses, ties: parts.length - wins - losses,
      mean: mean(parts.map((part) => part.mean)), margin: mean(parts.map((part) => part.margin)),
    };
  }

  // Two methods over data sets: the pairs, mean difference, and wins, ties and losses.
  function pairsOf(choice, first, second, datasets) {
    const pairs = datasets.map((dataset) => pairOf(choice, first, second, dataset)).filter(Boolean);
    const total = (key) => pairs.reduce((sum, pair) => sum + pair[key], 0);
    return {pairs, mean: mean(pairs.map((pair) => pair.mean)), wins: total("wins"), ties: total("ties"), losses: total("losses")};
  }

  // A margin as people write it: a number, or a share of the second method's mean such as "2 %"; null where it is neither.
  function marginOf(text) {
    const found = /^\s*(\d*\.?\d+(?:e-?\d+)?)\s*(%?)\s*$/i.exec(text);
    return found && {value: Number(found[1]) / (found[2] ? 100 : 1), relative: Boolean(found[2])};
  }

  // The choice that an address asks for, but for the scores and what it leaves out: lists have "~" between their names.
  function askedOf(query) {
    const list = (key) => query.get(key)?.split("~").filter(Boolean) ?? [];
    return {
      study: query.get("study"), measures: list("measure"), protocol: query.get("protocol"), predictors: list("predictor"),
      size: query.get("size"), margin: query.get("margin") === null ? null : marginOf(query.get("margin")), methods: list("methods"),
      datasets: list("datasets"), each: query.get("cells") === "each", direction: query.get("direction"), claim: query.get("claim"),
    };
  }

  return {AVERAGE, LARGEST, mean, decoded, nameOf, percentsOf, cellsOf, completeSplits, pairOf, pairsOf, marginOf, askedOf};
})();
