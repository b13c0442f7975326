"use strict";
// What is large stands in the page once, packed: texts, and the CSV of all cells, of which figures take their rows, and of the roofline.
const packed = (() => {
  const unpacked = async (address) => {
    const bytes = Uint8Array.from(atob(address.split(",")[1]), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const tables = new Map();
  const table_of = (id) => {
    if (!tables.has(id)) tables.set(id, unpacked(document.getElementById(id).getAttribute("href")).then((text) => { const rows = text.match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g); return [rows[0], rows.slice(1)]; }));
    return tables.get(id);
  };
  const fields = (row) => [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] === undefined ? m[2] : m[1].replaceAll('""', '"')));
  const save_text = (text, name) => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const file = document.createElement("a");
    file.href = address; file.download = name; file.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  const save_rows = async (link) => {
    const [head, rows] = await table_of(link.getAttribute("href").slice(1));
    const wanted = new Set(link.dataset.rows.split(" "));
    save_text([head, ...rows.filter((r) => wanted.has(fields(r)[0]))].join("\r\n") + "\r\n", link.dataset.name);
  };
  // Of each case the square of its pairs, each a text, from the columns of blocks/livepairs.py.
  const with_pairs = (live) => {
    Object.values(live.cases).forEach((of, n) => {
      const verdict = live.pairs.verdict[n], [ratio, low, high, figures] = ["ratio", "low", "high", "figures"].map((name) => live.pairs[name][n].split(" "));
      const end = (text, k) => {
        if (text.startsWith("=")) return text.slice(1);
        const beside = ratio[k].split("/")[0], places = (beside.split(".")[1] || "").length, units = 10 ** places;
        return ((Math.round(Number(beside) * units) + Number(text)) / units).toFixed(places);
      };
      const one = (k) => (verdict[k] === "-" ? "" : [ratio[k], end(low[k], k), end(high[k], k), verdict[k], ...(figures[k] || "").split(",").filter(Boolean)].join(" "));
      let k = 0;
      of.pairs = of.order.map((_, i) => of.order.map((_, j) => (i === j ? "1.00 - - e" : one(k++))));
    });
    return live;
  };
  return { with_pairs, unpacked, table_of, fields, save_text, save_rows };
})();
