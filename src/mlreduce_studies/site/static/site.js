// What all pages share: the state of a page in its address, and scripts with data that are loaded when they are needed.
"use strict";
window.mlreduce = (() => {
  const root = document.currentScript.dataset.root;
  const loading = new Map();

  function load(address) {
    if (!loading.has(address)) {
      loading.set(address, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${address} is missing`));
        document.head.append(script);
      }));
    }
    return loading.get(address);
  }

  function state(key) {
    return new URLSearchParams(location.search).get(key);
  }

  function keep(changes) {
    const query = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === "") query.delete(key);
      else query.set(key, value);
    }
    const text = query.toString();
    history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
  }

  // Calls `start` once for an element when it is about to be seen.
  function whenSeen(elements, start) {
    const observer = new IntersectionObserver((entries) => {
      for (const {target} of entries.filter((entry) => entry.isIntersecting)) {
        observer.unobserve(target);
        start(target);
      }
    }, {rootMargin: "400px"});
    for (const element of elements) observer.observe(element);
  }

  // An element with attributes and children; texts are never read as HTML.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "onclick") made.addEventListener("click", value);
      else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== undefined && child !== null));
    return made;
  }

  // A table of names of columns and rows, each of cells, which are texts or elements; the first names its row.
  function table(head, rows, attributes = {}) {
    const row = ([first, ...cells]) => element("tr", {}, element("th", {scope: "row"}, first), ...cells.map((cell) => (cell instanceof Element ? cell : element("td", {}, String(cell)))));
    return element("table", attributes, element("thead", {}, element("tr", {}, ...head.map((text) => element("th", {scope: "col"}, text)))), element("tbody", {}, ...rows.map(row)));
  }

  // The circle of a method's colour, as in the pages' macro.
  function swatch(fill) {
    const [made, circle] = ["svg", "circle"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
    for (const [key, value] of Object.entries({viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true"})) made.setAttribute(key, value);
    for (const [key, value] of Object.entries({cx: 5, cy: 5, r: 5, fill})) circle.setAttribute(key, value);
    made.append(circle);
    return made;
  }

  // A link to a place that is folded away unfolds it.
  function unfold() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) for (let own = target; own; own = own.parentElement) if (own.tagName === "DETAILS") own.open = true;
  }
  addEventListener("hashchange", unfold);
  addEventListener("DOMContentLoaded", unfold);

  return {root, load, state, keep, whenSeen, element, table, swatch};
})();
