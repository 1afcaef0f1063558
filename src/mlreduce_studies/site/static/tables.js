// Tables that sort, filter and hide columns, by DataTables; the choice is kept in the address.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const {state, keep, whenSeen, element} = window.mlreduce;

  function enhance(table) {
    table.dataset.ready = "yes";
    if (table.tBodies[0].rows.length < 2) return;
    const wide = table.closest(".wide");
    const many = table.tBodies[0].rows.length > 8;
    const key = `t.${table.id}`;
    const [order = "", hidden = "", ...search] = (state(key) ?? "").split("~");
    const columns = table.tHead.rows[0].cells.length;
    const options = {
      paging: table.tBodies[0].rows.length > 100,
      pageLength: 50,
      lengthMenu: [50, 200, {label: "all", value: -1}],
      autoWidth: false,
      info: many,
      order: /^\d+[ad]$/.test(order) && parseInt(order) < columns ? [[parseInt(order), order.endsWith("a") ? "asc" : "desc"]] : [],
      columnDefs: [{targets: hidden.split(".").filter((text) => /^\d+$/.test(text) && +text < columns).map(Number), visible: false}],
      search: {search: search.join("~")},
      layout: {topStart: many ? {buttons: [{extend: "colvis", text: "columns"}]} : null, topEnd: many ? "search" : null, bottomStart: many ? "info" : null, bottomEnd: table.tBodies[0].rows.length > 100 ? "paging" : null},
    };
    const made = new window.DataTable(table, options);
    // The table scrolls; what is above and below it stays.
    wide.classList.remove("wide");
    const scroller = element("div", {class: "wide", tabindex: 0, role: "region", "aria-label": wide.getAttribute("aria-label")});
    for (const name of ["tabindex", "role", "aria-label"]) wide.removeAttribute(name);
    table.before(scroller);
    scroller.append(table);
    made.on("order.dt search.dt column-visibility.dt", () => {
      const [[column, way] = []] = made.order();
      const gone = made.columns().indexes().toArray().filter((index) => !made.column(index).visible());
      const parts = [column === undefined ? "" : `${column}${way === "desc" ? "d" : "a"}`, gone.join("."), made.search()];
      keep({[key]: parts.join("~").replace(/~+$/, "")});
    });
  }

  whenSeen(document.querySelectorAll("table.data"), enhance);
});
