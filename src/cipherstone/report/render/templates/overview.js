"use strict";
// The first screen's controls: a banner that says what is hidden or compared otherwise, "Only these", columns that are folded, heads that stay in sight.
const overview = (() => {
  const made = (name, text, kind) => { const e = document.createElement(name); e.textContent = text; if (kind) e.className = kind; return e; };
  const pressed = (text, action) => { const b = made("button", text); b.type = "button"; b.addEventListener("click", action); return b; };
  const table = () => document.querySelector('table[data-sort="overall"]');
  // Heights of what stays at the top of the window, for the heads of the grid below them.
  const measure = () => {
    const nav = document.querySelector("nav.contents"), banner = document.getElementById("basis"), root = document.documentElement.style;
    const high = (e) => (e && getComputedStyle(e).position === "sticky" ? e.offsetHeight : 0);
    root.setProperty("--nav", `${high(nav)}px`);
    root.setProperty("--top", `${high(nav) + high(banner)}px`);
  };
  // `only`: shows some builds alone; `anew`: after columns were added.
  const start = (only, anew) => {
    new ResizeObserver(measure).observe(document.body);
    const home = table();
    if (!home) return;
    for (const row of home.tBodies[0].rows) {
      const tick = made("input", "", "pick");
      tick.type = "checkbox"; tick.value = row.dataset.key; tick.setAttribute("aria-label", `Choose ${row.cells[0].textContent.trim()}`);
      row.cells[0].prepend(tick, " ");
    }
    const picks = () => [...new Set([...home.querySelectorAll(".pick:checked")].map((tick) => tick.value))];
    const go = pressed("Only these", () => { only(picks()); for (const tick of home.querySelectorAll(".pick")) tick.checked = false; go.disabled = true; });
    go.id = "only"; go.disabled = true; go.title = "Show the chosen builds alone";
    home.addEventListener("change", () => {
      go.disabled = !picks().length;
    });
    home.parentElement.after(go, " ");
    const thin = document.getElementById("thin"), grid = document.querySelector("table.grid");
    if (thin) thin.append(" ", pressed("Show these columns", () => { grid.classList.add("whole"); thin.lastChild.remove(); anew(); }));
  };
  // `told`: sentences of what differs from the page as it was made; none for no banner.
  const banner = (told, clear) => {
    const home = document.getElementById("basis");
    if (!home) return;
    home.hidden = !told.length;
    home.replaceChildren(...(told.length ? [made("span", told.join(" ")), " ", pressed("Show everything", clear)] : []));
    measure();
  };
  // The whole page in the words of a base, where one is chosen.
  const speakOf = (base) => {
    document.getElementById("grid-title").textContent = `How far is each library from ${base}?`;
    document.getElementById("grid-lead").textContent = `1.00 is ${base}; 2.00 takes twice as long, 0.50 half as long. The scale below the grid has a colour for more and one for less. "best" stands at the first of the ranking.`;
    const swatch = (t, kind) => { const i = made("i", "", kind); i.style.setProperty("--t", `${t}%`); return i; };
    const scale = made("span", "", "scale");
    scale.append(...[65, 45, 20].map((t) => swatch(t, "less")), swatch(0, ""), ...[30, 70, 100].map((t) => swatch(t, t > 55 ? "deep" : "")));
    document.getElementById("scale").replaceChildren(scale, " ", made("span", `0.1 and less, 0.2, 0.5, 1, 2, 5, 10 and more times ${base}`));
    for (const title of document.querySelectorAll(".board h3")) title.textContent = `How far from ${base}, over all operations?`;
    for (const caption of document.querySelectorAll("svg.family text")) if (caption.textContent.startsWith("cost relative to the best")) caption.textContent = `cost against ${base} (left is better)`;
  };
  return { start, banner, speakOf, table };
})();
