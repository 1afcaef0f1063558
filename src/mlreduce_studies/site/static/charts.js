// Figures with hover values, by Vega-Lite: the same lines as in the picture that they take the place of.
"use strict";
window.mlreduceCharts = (() => {
  const {root, load, whenSeen, element} = window.mlreduce;
  const SHAPES = {o: "circle", s: "square", "^": "triangle-up", D: "diamond", v: "triangle-down", P: "cross", X: "cross", "<": "triangle-left", ">": "triangle-right", p: "circle", h: "square", "*": "triangle-up", d: "diamond"};

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

  function axis(panel, which, log, width) {
    const own = panel[which];
    const encoding = {field: which, type: "quantitative", title: own.label || null, scale: log ? {type: "log", nice: false, padding: 8} : {zero: false, nice: false, padding: 8}};
    encoding.axis = {grid: true, gridOpacity: .4, tickCount: which === "x" ? Math.max(3, Math.floor(width / 60)) : 5, labelOverlap: true, labelFlush: false};
    if (own.names) {
      const values = Object.keys(own.names).map(Number);
      encoding.axis.values = values;
      encoding.axis.tickCount = values.length; // or some of the values are left out
      encoding.axis.labelExpr = values.reduceRight((rest, value) => `abs(datum.value - ${value}) < 1e-9 ? ${JSON.stringify(own.names[value])} : ${rest}`, "''");
      encoding.axis.labelLimit = 150;
      encoding.axis.labelOverlap = which === "x";
      encoding.scale = {zero: false, nice: false, padding: 8};
    }
    return encoding;
  }

  function panelSpec(panel, styles, hidden, logs, width, height) {
    const all = rows(panel, hidden);
    const names = [...new Set(all.map((row) => row.line))];
    const positive = (which) => all.every((row) => row[which] === undefined || row[which] > 0);
    const logX = logs.x && positive("x"), logY = logs.y && positive("y");
    const x = axis(panel, "x", logX, width), y = axis(panel, "y", logY, width);
    const colour = {field: "line", type: "nominal", scale: {domain: names, range: names.map((name) => styles.get(name).colour)}, legend: null};
    const tooltip = [{field: "line", title: "line"}];
    if (all.some((row) => row.x !== undefined)) tooltip.push(panel.x.names ? {field: "xname", title: panel.x.label || "x"} : {field: "x", title: panel.x.label || "x", type: "quantitative", format: ".6~g"});
    tooltip.push(panel.y.names ? {field: "yname", title: panel.y.label || "y"} : {field: "y", title: panel.y.label || "y", type: "quantitative", format: ".6~g"});
    if (all.some((row) => row.low !== undefined)) tooltip.push({field: "low", title: "− one error", type: "quantitative", format: ".6~g"}, {field: "high", title: "+ one error", type: "quantitative", format: ".6~g"});
    const along = panel.lines.some((line) => line.along === "x") ? "x" : "y";
    const drawn = names.filter((name) => styles.get(name).width > 0);
    // What the pointer or the keyboard is at in the legend stands out.
    const opacity = {condition: {test: "seen === null || seen === datum.line", value: 1}, value: .12};
    const dashes = names.map((name) => styles.get(name).dash ?? [1, 0]);
    const layer = [
      {transform: [{filter: "datum.index < 0"}], mark: {type: "rule", strokeWidth: 1.2, strokeDash: [4, 2]}, encoding: {y, color: colour, opacity, tooltip}},
      {transform: [{filter: {field: "line", oneOf: drawn}}, {filter: "datum.index >= 0"}], mark: {type: "line", strokeWidth: 1.3, clip: true},
        encoding: {x, y, color: colour, opacity, order: {field: "index"}, strokeDash: {field: "line", type: "nominal", scale: {domain: names, range: dashes}, legend: null}, detail: {field: "line"}}},
      {transform: [{filter: "isValid(datum.low) && isValid(datum.high)"}], mark: {type: "rule", strokeWidth: .8, clip: true},
        encoding: along === "x" ? {y, x: {...x, field: "low"}, x2: {field: "high"}, color: colour, opacity} : {x, y: {...y, field: "low"}, y2: {field: "high"}, color: colour, opacity}},
      {transform: [{filter: "datum.index >= 0"}], mark: {type: "point", filled: true, size: 32, clip: true},
        encoding: {x, y, color: colour, opacity, tooltip, shape: {field: "line", type: "nominal", scale: {domain: names, range: names.map((name) => SHAPES[styles.get(name).marker] ?? "circle")}, legend: null}}},
    ].filter((part, number) => [all.some((row) => row.index < 0), drawn.length, all.some((row) => row.low !== undefined), all.some((row) => row.index >= 0)][number]);
    return {title: {text: panel.title, fontSize: 12, fontWeight: "normal", anchor: "middle"}, width, height: panel.y.names ? Math.max(150, 16 * Object.keys(panel.y.names).length) : height, data: {values: all}, layer};
  }

  function stylesOf(panels) {
    const styles = new Map();
    for (const panel of panels) for (const line of panel.lines) if (!styles.has(line.name)) styles.set(line.name, line);
    return styles;
  }

  // Draws panels into a place, with buttons for lines and axes; `families` maps lines to the name of their family.
  async function draw(place, content, label) {
    await load(`${root}assets/vega.js`);
    const styles = stylesOf(content.panels);
    const hidden = new Set([...styles].filter(([, line]) => line.off).map(([name]) => name));
    const logs = {x: content.panels[0].x.log, y: content.panels[0].y.log};
    const target = element("div", {class: "drawn wide", tabindex: 0, role: "region", "aria-label": label});
    const legend = element("div", {class: "legend", role: "group", "aria-label": "Lines"});
    const tools = element("div", {class: "tools", role: "group", "aria-label": "Axes and families"});
    let view = null;

    async function show() {
      const room = Math.max(260, place.clientWidth - 30);
      const names = content.panels.some((panel) => panel.y.names) ? 150 : 70;
      const columns = Math.max(1, Math.min(content.panels.length, 4, Math.floor(room / (170 + names))));
      const alone = content.panels.length === 1;
      const width = Math.min(alone ? 760 : 420, Math.floor(room / columns) - names);
      const height = alone && styles.size > 5 ? 340 : 190;
      const specification = {
        $schema: "https://vega.github.io/schema/vega-lite/v6.json",
        config: {font: "system-ui, sans-serif", background: "white", view: {stroke: null}, concat: {spacing: 18}},
        params: [{name: "seen", value: null}],
        columns, concat: content.panels.map((panel) => panelSpec(panel, styles, hidden, logs, width, height)),
        resolve: {scale: {color: "independent", shape: "independent", strokeDash: "independent"}},
      };
      const made = await window.vegaEmbed(target, specification, {ast: true, actions: false, renderer: "svg", tooltip: {theme: "light"}});
      view?.finalize();
      view = made.view;
      place.dataset.ready = "yes";
    }

    function toggle(names, on) {
      for (const name of names) if (on) hidden.delete(name); else hidden.add(name);
      for (const button of [...legend.children, ...tools.children]) {
        if (button.dataset.lines) button.setAttribute("aria-pressed", String(JSON.parse(button.dataset.lines).some((name) => !hidden.has(name))));
      }
      show();
    }

    function button(text, names, colour) {
      const made = element("button", {type: "button", "aria-pressed": String(names.some((name) => !hidden.has(name))), "data-lines": JSON.stringify(names), onclick: () => toggle(names, made.getAttribute("aria-pressed") === "false")});
      if (colour) {
        const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        swatch.setAttribute("viewBox", "0 0 10 10");
        swatch.setAttribute("class", "swatch");
        swatch.setAttribute("aria-hidden", "true");
        const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        for (const [key, value] of Object.entries({cx: 5, cy: 5, r: 5, fill: colour})) circle.setAttribute(key, value);
        swatch.append(circle);
        made.append(swatch, " ");
      }
      made.append(text);
      return made;
    }

    const see = (name) => view?.signal("seen", name).runAsync();
    for (const [name, line] of styles) {
      const made = button(name, [name], line.colour);
      for (const event of ["mouseenter", "focus"]) made.addEventListener(event, () => see(hidden.has(name) ? null : name));
      for (const event of ["mouseleave", "blur"]) made.addEventListener(event, () => see(null));
      legend.append(made);
    }
    const families = Map.groupBy ? Map.groupBy(styles, ([, line]) => line.colour) : new Map();
    const several = [...families.values()].filter((own) => own.length > 1);
    if (several.length && styles.size > 5) for (const own of several) tools.append(button(`all like ${own[0][0]}`, own.map(([name]) => name), own[0][1].colour));
    for (const which of ["x", "y"]) {
      if (content.panels.some((panel) => panel[which].names)) continue;
      const made = element("button", {type: "button", class: "tool", "aria-pressed": String(logs[which]), onclick: () => {
        logs[which] = !logs[which];
        made.setAttribute("aria-pressed", String(logs[which]));
        show();
      }}, `logarithmic ${which}`);
      tools.append(made);
    }
    place.replaceChildren(legend, tools, target);
    await show();
    return {show};
  }

  addEventListener("DOMContentLoaded", () => {
    whenSeen(document.querySelectorAll("figure.chart"), async (figure) => {
      await load(figure.dataset.points);
      const picture = figure.querySelector(".picture");
      const place = element("div", {class: "interactive"});
      picture.before(place);
      await draw(place, window.mlreduceData[figure.dataset.key], picture.getAttribute("aria-label"));
      // The picture goes once the chart is there, so that nothing jumps; prints keep the chart.
      picture.remove();
      figure.dataset.ready = "yes";
    });
  });

  return {draw};
})();
