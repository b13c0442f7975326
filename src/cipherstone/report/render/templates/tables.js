"use strict";
// Tables of the page: sorted by a column, copied as Markdown, the fewest of a column named anew where libraries are hidden.
const tables = (() => {
  const value = (cell) => (!cell ? null : cell.dataset.v !== undefined ? Number(cell.dataset.v) : /^\d+(\.\d+)?$/.test(cell.textContent.trim()) ? Number(cell.textContent) : null);
  const sort = (table, column, down) => {
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((r) => !r.classList.contains("family"));
      const key = (r) => value(r.cells[column]);
      const numeric = rows.some((r) => key(r) !== null);
      rows.sort((a, b) => {
        const x = key(a), y = key(b);
        if (numeric) return x === null ? (y === null ? 0 : 1) : y === null ? -1 : down ? y - x : x - y;
        const order = a.cells[column].textContent.trim().localeCompare(b.cells[column].textContent.trim());
        return down ? -order : order;
      });
      rows.forEach((r) => body.append(r));
    }
    for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    table.tHead.rows[0].cells[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  };

  // The fewest of a column among the libraries shown, where several are; by the text, as what sorting goes by is rounded.
  const recount = (table, hidden) => {
    const rows = [...table.tBodies[0].rows];
    for (let n = 1; n < table.tHead.rows[0].cells.length; n++) {
      const told = rows.map((row) => /^(?:best )?([\d,]+)$/.exec(row.cells[n].textContent.trim()));
      const number = (i) => (told[i] && !hidden.element(rows[i]) ? Number(told[i][1].replaceAll(",", "")) : Infinity);
      const shown = rows.map((_, i) => number(i)).filter(Number.isFinite), least = shown.length > 1 ? Math.min(...shown) : -1;
      rows.forEach((row, i) => { if (told[i]) row.cells[n].textContent = (number(i) === least ? "best " : "") + told[i][1]; });
    }
  };

  const copy = async (text, button) => {
    const said = button.textContent;
    try { await navigator.clipboard.writeText(text); }
    catch {
      const area = document.createElement("textarea");
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  };
  const markdown = (table) => {
    const clean = (cell) => cell.innerText.replace(/\s+/g, " ").trim().replace(/([\\`*_\[\]<>|])/g, "\\$1");
    const lines = [...table.rows].filter((r) => !r.classList.contains("family") && !r.classList.contains("off"))
      .map((r) => "| " + [...r.cells].filter((c) => !c.classList.contains("off")).map(clean).join(" | ") + " |");
    const count = [...table.rows[0].cells].filter((c) => !c.classList.contains("off")).length;
    lines.splice(1, 0, "|" + " --- |".repeat(count));
    return lines.join("\n");
  };
  return { sort, recount, markdown, copy };
})();
