"use strict";
(() => {
  // State lives in the address: #f=text&hide=a,b&sort=table:column:asc&at=anchor. A plain #anchor works too.
  const state = new URLSearchParams();
  const parse = () => {
    const text = location.hash.slice(1);
    if (text.includes("=")) new URLSearchParams(text).forEach((v, k) => state.set(k, v));
    else if (text) state.set("at", decodeURIComponent(text));
  };
  const save = () => history.replaceState(null, "", state.size ? "#" + state.toString().replace(/%2C/g, ",").replace(/%3A/g, ":") : location.pathname + location.search);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const put = (key, value) => { value ? state.set(key, value) : state.delete(key); save(); };

  const go = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView();
  };

  const filter = () => {
    const words = (state.get("f") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const hidden = new Set((state.get("hide") || "").split(",").filter(Boolean));
    for (const e of all("[data-search]")) if (e.dataset.search) e.classList.toggle("off", !words.every((w) => e.dataset.search.includes(w)));
    for (const e of all("[data-lib]")) e.classList.toggle("off", hidden.has(e.dataset.lib));
    for (const head of all("table.grid tr.family")) head.parentElement.classList.toggle("off", all("tr:not(.family):not(.off)", head.parentElement).length === 0);
  };

  const value = (cell) => (cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : null);
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
  const sortFromState = () => {
    const [name, column, way] = (state.get("sort") || "").split(":");
    const table = all("table[data-sort]").find((t) => t.dataset.sort === name);
    if (table && table.tHead.rows[0].cells[Number(column)]) sort(table, Number(column), way === "desc");
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
  const button = (text, action) => {
    const b = document.createElement("button");
    b.type = "button"; b.textContent = text; b.addEventListener("click", () => action(b));
    return b;
  };

  const tools = document.getElementById("tools");
  tools.hidden = false;
  const box = document.createElement("input");
  box.type = "search"; box.id = "filter"; box.placeholder = "Filter operations, e.g. gcm"; box.setAttribute("aria-label", "Filter operations");
  box.addEventListener("input", () => { put("f", box.value.trim()); filter(); });
  tools.append(box);
  for (const th of all("table.grid thead th[data-lib]")) {
    if (all("#tools input[type=checkbox]").some((i) => i.value === th.dataset.lib)) continue;
    const label = document.createElement("label"), tick = document.createElement("input");
    tick.type = "checkbox"; tick.value = th.dataset.lib; tick.checked = true;
    tick.addEventListener("change", () => {
      put("hide", all("#tools input[type=checkbox]").filter((i) => !i.checked).map((i) => i.value).join(","));
      filter();
    });
    label.append(tick, " ", th.querySelector(".lib").textContent);
    tools.append(label);
  }
  const whole = document.getElementById("markdown");
  tools.append(button("Copy summary as Markdown", (b) => copy(whole.textContent, b)));

  for (const table of all("table[data-sort]")) {
    [...table.tHead.rows[0].cells].forEach((th, column) => {
      const b = document.createElement("button");
      b.type = "button"; b.className = "sort"; b.title = "Sort by this column";
      b.append(...th.childNodes); th.append(b);
      b.addEventListener("click", () => {
        const down = th.getAttribute("aria-sort") === "ascending";
        sort(table, column, down);
        put("sort", `${table.dataset.sort}:${column}:${down ? "desc" : "asc"}`);
      });
    });
    table.parentElement.after(button("Copy as Markdown", (b) => copy(markdown(table), b)));
  }
  for (const pre of all("pre:not(#markdown)", document.getElementById("again"))) pre.after(button("Copy", (b) => copy(pre.textContent, b)));

  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    put("at", id); go(id);
  });
  const apply = () => {
    parse();
    box.value = state.get("f") || "";
    const hidden = new Set((state.get("hide") || "").split(","));
    for (const tick of all("#tools input[type=checkbox]")) tick.checked = !hidden.has(tick.value);
    filter(); sortFromState();
    if (state.get("at")) go(state.get("at"));
  };
  window.addEventListener("hashchange", () => { for (const k of [...state.keys()]) state.delete(k); apply(); });
  apply();
})();
