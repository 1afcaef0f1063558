// The search over the index that search.py writes: pages with most of the words, titles before headings before texts.
"use strict";
(() => {
  const {pages, words, synonyms} = window.mlreduceSearch;
  const {element} = window.mlreduce;
  const SHOWN = 30;
  const EXACT = 1, BEGINS = 0.5, SYNONYM = 0.9;
  const TITLE = 12, HEADING = 4;
  const GUIDE = 1.6; // a guide says more on a subject than a function or a table does

  function wordsOf(text) {
    return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=..[^s])s$/, ""));
  }

  // How well a word of the query is one of those of a text.
  function fit(word, others) {
    if (others.includes(word)) return EXACT;
    return word.length > 2 && others.some((other) => other.startsWith(word)) ? BEGINS : 0;
  }

  const known = pages.map(([address, title, text, headings]) => ({
    address, title, text, words: wordsOf(title), weight: /^docs\/[^/]+$|^site\/index/.test(address) ? GUIDE : 1,
    headings: headings.map(([anchor, heading]) => ({anchor, heading, words: wordsOf(heading)})),
  }));

  // The query with each phrase that has synonyms in the words of these.
  function variants(asked) {
    const all = [asked], joined = ` ${asked.join(" ")} `;
    for (const group of synonyms) {
      const phrases = group.map((phrase) => wordsOf(phrase).join(" "));
      for (const phrase of phrases.filter((own) => joined.includes(` ${own} `))) {
        for (const other of phrases) {
          if (other !== phrase) all.push(joined.replace(` ${phrase} `, ` ${other} `).trim().split(" "));
        }
      }
    }
    return all;
  }

  function inTexts(word) {
    const found = new Map();
    for (const [other, steps] of Object.entries(words)) {
      const own = fit(word, [other]);
      let page = 0;
      if (own) for (const step of steps) found.set(page += step, Math.max(own, found.get(page) ?? 0));
    }
    return found;
  }

  function search(query) {
    const best = new Map();
    variants(wordsOf(query)).forEach((asked, place) => {
      const texts = asked.map(inTexts);
      known.forEach((page, number) => {
        let matched = 0, score = 0;
        asked.forEach((word, index) => {
          const own = Math.max(
            TITLE * fit(word, page.words) / Math.sqrt(page.words.length),
            HEADING * Math.max(0, ...page.headings.map((one) => fit(word, one.words) / Math.sqrt(one.words.length))),
            texts[index].get(number) ?? 0,
          );
          matched += own > 0 ? 1 / asked.length : 0;
          score += own / asked.length;
        });
        score *= page.weight * (place ? SYNONYM : 1);
        const before = best.get(page);
        if (matched && (!before || matched > before.matched || matched === before.matched && score > before.score)) {
          best.set(page, {page, matched, score, asked});
        }
      });
    });
    const most = Math.max(0, ...[...best.values()].map((one) => one.matched));
    return [...best.values()].filter((one) => one.matched === most).sort((one, two) => two.score - one.score);
  }

  function shown({page, asked}) {
    const fitting = page.headings.filter((one) => asked.every((word) => fit(word, one.words)));
    const parts = fitting.filter((one, place) => fitting.findIndex((own) => own.heading === one.heading) === place).slice(0, 3);
    return element("li", {},
      element("a", {href: page.address}, page.title), " ", element("span", {class: "note"}, page.address),
      element("p", {}, page.text, "…"),
      ...parts.map((one) => element("p", {}, "→ ", element("a", {href: `${page.address}#${one.anchor}`}, one.heading))));
  }

  function show(query) {
    for (const box of document.querySelectorAll("input[name=q]")) box.value = query;
    const found = query.trim() ? search(query) : [];
    if (query.trim()) {
      document.title = `${query}: search`;
      document.getElementById("count").textContent =
        found.length ? `${found.length} ${found.length === 1 ? "page" : "pages"}` + (found.length > SHOWN ? `, the first ${SHOWN} of them:` : ":")
          : "No page has such words.";
    } else document.getElementById("asked").focus();
    document.getElementById("found").replaceChildren(...found.slice(0, SHOWN).map(shown));
    document.getElementById("found").dataset.ready = "";
  }

  window.mlreduceSearch.show = show;
  show(new URLSearchParams(location.search).get("q") ?? "");
})();
