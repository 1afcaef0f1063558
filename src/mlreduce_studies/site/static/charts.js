// Figures with hover values, by Vega-Lite: the same lines as in the picture that they take the place of.
"use strict";
window.mlreduceCharts = (() => {
  const {root, load, whenSeen, element, swatch} = window.mlreduce;
  const SHAPES = {o: "circle", s: "square", "^": "triangle-up", D: "diamond", v: "triangle-down", P: "cross", X: "cross", "<": "triangle-left", ">": "triangle-right", p: "circle", h: "square", "*": "triangle-up", d: "diamond"};
  // As they are printed and saved; of the dark pages site.css turns them.
  const TEXT = "#1d1d1f", FAINT = "#BDBDBD", SOFT = "#70757d", GRID = "#d5d8dd";
  const PAD = 8; // pixels around the points of a panel

  // Rows of a panel for Vega-Lite: one per point.
  function rows(panel, hidden) {
    const found = [];
    for (const line of panel.lines) {
      if (hidden.has(line.name)) continue;
      line.points.forEach((point, index) => {
        if (point.length === 1) found.push({line: line.name, index: -1, y: point[0]});
        else {
          const row = {line: line.name, index, x: point[0], y: point[1]};
          if (point.length === 4) Object.assign(row, {low: point[2], high: point[3]});
          row.xname = panel.x.names?.[point[0]] ?? null;
          row.yname = panel.y.names?.[point[1]] ?? null;
          found.push(row);
        }
      });
    }
    return found;
  }

  // The ends of an axis in a number of pixels. The height of a panel is at least two percent of its values, so that a
  // small difference does not fill it.
  function domainOf(values, log, pixels, least) {
    const turned = (value) => (log ? Math.log10(value) : value), back = (value) => (log ? 10 ** value : value);
    let low = turned(Math.min(...values)), high = turned(Math.max(...values));
    const lacking = Math.max(least && !log ? 0.02 * Math.max(Math.abs(low), Math.abs(high)) - (high - low) : 0, high > low ? 0 : 1e-3);
    low -= lacking > 0 ? lacking / 2 : 0;
    high += lacking > 0 ? lacking / 2 : 0;
    const pad = ((high - low) * PAD) / (pixels - 2 * PAD);
    return [back(low - pad), back(high + pad)];
  }

  function axis(panel, which, log, width, domain) {
    const own = panel[which];
    const encoding = {field: which, type: "quantitative", title: own.label || null, scale: {...(log ? {type: "log"} : {zero: false}), nice: false, domain}};
    encoding.axis = {grid: true, tickCount: which === "x" ? Math.max(3, Math.floor(width / 60)) : 5, labelOverlap: true, labelFlush: false};
    if (own.names) {
      const values = Object.keys(own.names).map(Number);
      encoding.axis.values = values;
      encoding.axis.tickCount = values.length; // or some of the values are left out
      encoding.axis.labelExpr = values.reduceRight((rest, value) => `abs(datum.value - ${value}) < 1e-9 ? ${JSON.stringify(own.names[value])} : ${rest}`, "''");
      encoding.axis.labelLimit = 150;
      encoding.axis.labelOverlap = which === "x";
    }
    return encoding;
  }

  function panelSpec(panel, styles, hidden, width, height) {
    const all = rows(panel, hidden);
    if (panel.y.names) height = Math.max(150, 16 * Object.keys(panel.y.names).length);
    const names = [...new Set(all.map((row) => row.line))];
    const valuesOf = (which) => all.flatMap((row) => [row[which], ...(which === along ? [row.low, row.high] : [])]).filter((value) => value !== undefined);
    const along = panel.lines.some((line) => line.along === "x") ? "x" : "y";
    const isLog = (which) => panel[which].log && !panel[which].names && valuesOf(which).every((value) => value > 0);
    const [x, y] = [["x", width], ["y", height]].map(([which, pixels]) => {
      const domain = domainOf(valuesOf(which).length ? valuesOf(which) : [0, 1], isLog(which), pixels, which === "y" && !panel.y.names);
      return axis(panel, which, isLog(which), width, domain);
    });
    const scaled = (of) => ({field: "line", type: "nominal", scale: {domain: names, range: names.map((name) => of(styles.get(name)))}, legend: null});
    const colour = {condition: {test: "seen === datum.line && indexof(faint, datum.line) >= 0", value: TEXT}, ...scaled((line) => line.colour)};
    const tooltip = [{field: "line", title: "line"}];
    if (all.some((row) => row.x !== undefined)) tooltip.push(panel.x.names ? {field: "xname", title: panel.x.label || "x"} : {field: "x", title: panel.x.label || "x", type: "quantitative", format: ".6~g"});
    tooltip.push(panel.y.names ? {field: "yname", title: panel.y.label || "y"} : {field: "y", title: panel.y.label || "y", type: "quantitative", format: ".6~g"});
    if (all.some((row) => row.low !== undefined)) tooltip.push({field: "low", title: "− one error", type: "quantitative", format: ".6~g"}, {field: "high", title: "+ one error", type: "quantitative", format: ".6~g"});
    const faint = names.filter((name) => styles.get(name).faint), drawn = names.filter((name) => styles.get(name).width > 0);
    // What the pointer or the keyboard is at stands out.
    const opacity = {condition: {test: "seen === null || seen === datum.line", value: 1}, value: .12};
    const strokeDash = scaled((line) => line.dash ?? [1, 0]);
    const lineOf = (lines, strokeWidth) => ({transform: [{filter: {field: "line", oneOf: lines}}, {filter: "datum.index >= 0"}], mark: {type: "line", strokeWidth, clip: true}, encoding: {x, y, color: colour, opacity, order: {field: "index"}, strokeDash, detail: {field: "line"}}});
    const layer = [
      [faint.some((name) => drawn.includes(name)), lineOf(faint.filter((name) => drawn.includes(name)), .8)],
      [all.some((row) => row.index < 0), {transform: [{filter: "datum.index < 0"}], mark: {type: "rule", strokeWidth: 1.2, strokeDash: [4, 2]}, encoding: {y, color: colour, opacity, tooltip}}],
      [drawn.length > faint.length, lineOf(drawn.filter((name) => !faint.includes(name)), 1.4)],
      [all.some((row) => row.low !== undefined), {transform: [{filter: "isValid(datum.low) && isValid(datum.high)"}], mark: {type: "rule", strokeWidth: .8, clip: true},
        encoding: along === "x" ? {y, x: {...x, field: "low"}, x2: {field: "high"}, color: colour, opacity} : {x, y: {...y, field: "low"}, y2: {field: "high"}, color: colour, opacity}}],
      [all.some((row) => row.index >= 0), {transform: [{filter: "datum.index >= 0"}], mark: {type: "point", filled: true, size: 32, clip: true},
        encoding: {x, y, color: colour, opacity: faint.some((name) => drawn.includes(name)) ? {condition: [{test: "indexof(faint, datum.line) >= 0 && seen !== datum.line", value: 0}, opacity.condition], value: .12} : opacity, tooltip, shape: scaled((line) => SHAPES[line.marker] ?? "circle")}}],
    ].filter(([there]) => there).map(([, part]) => part);
    return {title: {text: panel.title, fontSize: 12, fontWeight: "normal", anchor: "middle"}, width, height, data: {values: all}, layer};
  }

  function stylesOf(panels) {
    const styles = new Map();
    for (const panel of panels) for (const line of panel.lines) if (!styles.has(line.name)) styles.set(line.name, line);
    return styles;
  }

  // Colours that differ: a method's own or, where an earlier one has that, the first free one; as in plot/colours.py.
  function distinct(names, own, palette) {
    const first = new Map();
    for (const name of names) if (![...first.values()].includes(own[name])) first.set(name, own[name]);
    const free = palette.slice(1).filter((colour) => ![...first.values()].includes(colour));
    return Object.fromEntries(names.map((name) => [name, first.get(name) ?? free.shift() ?? own[name]]));
  }

  const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  function tableOf(panels) {
    const lines = panels.flatMap((panel) => rows(panel, new Set()).map((row) => [panel.title, row.line, row.xname ?? row.x, row.yname ?? row.y, row.low, row.high]));
    return [["panel", "line", "x", "y", "low", "high"], ...lines].map((line) => line.map((value) => cell(String(value ?? ""))).join(",")).join("\n") + "\n";
  }

  function save(address, name) {
    element("a", {href: address, download: name}).click();
  }

  // Draws panels into a place, with buttons for lines and files, which are called `name`.
  async function draw(place, content, label, name = "figure") {
    await load(`${root}assets/vega.js`);
    const styles = stylesOf(content.panels);
    const hidden = new Set();
    const target = element("div", {class: "drawn wide", tabindex: 0, role: "region", "aria-label": label});
    const legend = element("div", {class: "legend", role: "group", "aria-label": "Lines"});
    const tools = element("div", {class: "tools", role: "group", "aria-label": "Files"});
    const faint = [...styles].filter(([, line]) => line.faint).map(([own]) => own);
    let view = null;

    async function show() {
      const room = Math.max(260, place.clientWidth - 30);
      const named = content.panels.some((panel) => panel.y.names);
      const names = named ? 150 : 96;
      const columns = Math.max(1, Math.min(content.panels.length, 4, Math.floor(room / (170 + names))));
      const alone = content.panels.length === 1;
      const width = Math.min(alone ? 760 : 420, Math.floor(room / columns) - names);
      const height = alone && styles.size > 5 ? 340 : 190;
      const specification = {
        $schema: "https://vega.github.io/schema/vega-lite/v6.json",
        config: {
          font: "system-ui, sans-serif", background: null, view: {stroke: null}, concat: {spacing: 18}, title: {color: TEXT},
          axis: {labelColor: TEXT, titleColor: TEXT, domainColor: SOFT, tickColor: SOFT, gridColor: GRID, gridOpacity: .5},
        },
        params: [{name: "seen", value: null}, {name: "faint", value: faint}],
        columns, concat: content.panels.map((panel) => panelSpec(panel, styles, hidden, width, height)),
        resolve: {scale: {color: "independent", shape: "independent", strokeDash: "independent"}},
      };
      const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      const made = await window.vegaEmbed(target, specification, {ast: true, actions: false, renderer: "svg", tooltip: {theme}});
      view?.finalize();
      view = made.view;
      view.addEventListener("mouseover", (event, item) => see(item?.datum?.line ?? null));
      place.dataset.ready = "yes";
    }

    function toggle(own, button) {
      if (hidden.has(own)) hidden.delete(own); else hidden.add(own);
      button.setAttribute("aria-pressed", String(!hidden.has(own)));
      show();
    }

    const see = (own) => view && view.signal("seen") !== own && view.signal("seen", own).runAsync();

    function button(own, line) {
      const made = element("button", {type: "button", "aria-pressed": String(!hidden.has(own)), onclick: () => toggle(own, made)});
      made.append(swatch(line.colour), " ", own);
      for (const event of ["mouseenter", "focus"]) made.addEventListener(event, () => see(hidden.has(own) ? null : own));
      for (const event of ["mouseleave", "blur"]) made.addEventListener(event, () => see(null));
      return made;
    }

    for (const [own, line] of styles) if (!line.faint) legend.append(button(own, line));
    if (faint.length) legend.append(element("details", {}, element("summary", {}, `${faint.length} more, grey`), element("div", {class: "legend"}, ...faint.map((own) => button(own, styles.get(own))))));
    const files = {
      SVG: async () => view.background("#ffffff").toImageURL("svg"), PNG: async () => view.background("#ffffff").toImageURL("png", 2),
      CSV: async () => URL.createObjectURL(new Blob([tableOf(content.panels)], {type: "text/csv"})),
    };
    for (const [kind, make] of Object.entries(files)) {
      tools.append(element("button", {type: "button", class: "tool", "aria-label": `Save as ${kind}`, onclick: async () => {
        save(await make(), `${name}.${kind.toLowerCase()}`);
        if (kind !== "CSV") view.background(null).runAsync();
      }}, kind));
    }
    place.replaceChildren(legend, tools, target, ...(content.says ? [element("p", {class: "note narrow"}, content.says)] : []));
    await show();
    return {show};
  }

  async function drawFigure(figure) {
    await load(figure.dataset.points);
    const picture = figure.querySelector(".picture");
    const place = element("div", {class: "interactive"});
    picture.before(place);
    await draw(place, window.mlreduceData[figure.dataset.key], picture.getAttribute("aria-label"), figure.dataset.key.replaceAll("/", "-"));
    // The picture goes once the chart is there, so that nothing jumps; prints keep the chart.
    picture.remove();
    figure.dataset.ready = "yes";
  }

  addEventListener("DOMContentLoaded", () => whenSeen(document.querySelectorAll("figure.chart"), drawFigure));

  return {draw, distinct, FAINT};
})();
