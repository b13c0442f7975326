"use strict";
// Charts after libraries were hidden, or a base or a size was chosen: marks, lines and bars move, scales are drawn anew.
// `page`: the run (`live`), how often it was ranked anew (`turn`), and what looks up in it: `ratio`, `against`, `sized`, `build`.
const charts = (page) => {
  const { ratio, against, sized, build } = page, { table_of, fields } = packed;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const moveChart = (group, of, hidden, ranked, to) => {
    const svg = group.closest("svg"), { low, span, from, px } = svg.dataset;
    const x = (v) => Number(from) + (Number(px) * Math.log(v / Number(low))) / Number(span);
    for (const mark of all("[data-lane]", group)) {
      const i = of.order.findIndex((n) => page.live.lanes[n][0] === mark.dataset.lane);
      const [text, a, b] = ratio(of, i, to);
      const at = Number(text.replace("~", ""));
      const gone = hidden.element(mark) || !at;
      mark.classList.toggle("off", gone);
      if (gone) continue;
      const inside = Math.min(x(Number(low) * Math.exp(Number(span))), Math.max(x(Number(low)), x(at)));
      mark.setAttribute("transform", `translate(${inside.toFixed(1)} ${mark.getAttribute("transform").split(" ")[1]}`);
      const whisker = mark.querySelector(".whisker");
      if (whisker && Number(a) && Number(b)) whisker.setAttribute("d", `M${(x(Number(a)) - inside).toFixed(1)} 0H${(x(Number(b)) - inside).toFixed(1)}`);
      const name = mark.querySelector("title");
      if (name) name.textContent = `${page.live.lanes[of.order[i]][1]} ${text}`;
    }
  };
  // Charts of sizes: what is hidden goes, a chosen size is marked; against a base the lines are the run's own ratios.
  const drawing = (name, of) => { const made = document.createElementNS("http://www.w3.org/2000/svg", name); for (const [k, v] of Object.entries(of)) made.setAttribute(k, v); return made; };
  const words = (x, y, text, anchor, fill) => { const made = drawing("text", { x: x.toFixed(1), y, "text-anchor": anchor, ...(fill ? { fill } : {}) }); made.textContent = text; return made; };
  const ends = (g) => { const last = all("use", g).pop(); return last ? ["x", "y"].map((k) => Number(last.getAttribute(k))) : null; };
  // Lines nearest to the top at any size, as the chart chose them of all; the others are grey, without a name.
  const contend = (svg, lanes) => {
    const places = new Map(lanes.map((g) => [g, []])), sizes = new Map();
    for (const g of lanes) for (const x of new Set(all("use", g).map((u) => u.getAttribute("x")))) sizes.set(x, [...(sizes.get(x) || []), [Number(g.querySelector(`use[x="${x}"]`).getAttribute("y")), g]]);
    for (const there of sizes.values()) there.sort((a, b) => a[0] - b[0]).forEach(([, g], place) => places.get(g).push(place));
    const key = (g) => [Math.min(...places.get(g)), places.get(g).reduce((a, b) => a + b, 0) / places.get(g).length];
    const order = [...lanes].filter((g) => places.get(g).length).sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]);
    for (const g of lanes) g.classList.toggle("faint", !order.slice(0, Number(svg.dataset.most)).includes(g));
  };
  const nameLines = (svg, lanes) => {
    const named = lanes.filter((g) => !g.matches(".off, .faint") && ends(g)).map((g) => [ends(g), g]).sort((a, b) => a[0][1] - b[0][1]);
    const places = [], right = Number(svg.dataset.left) + Number(svg.dataset.px);
    for (const [[, y]] of named) places.push(places.length ? Math.max(y, places.at(-1) + 13) : y);
    let limit = Number(svg.dataset.top) + Number(svg.dataset.tall);
    for (let i = places.length - 1; i >= 0; i--) { places[i] = Math.min(places[i], limit); limit = places[i] - 13; }
    named.forEach(([[x, y], g], i) => {
      g.querySelector(".lead").setAttribute("d", `M${(x + 6).toFixed(1)} ${y.toFixed(1)}L${right + 12} ${places[i].toFixed(1)}`);
      g.querySelector(".end").setAttribute("y", (places[i] + 4).toFixed(1));
    });
  };
  const followSizes = (svg, hidden, base, size) => {
    const { op } = svg.dataset, [left, px, top, tall, first, span] = ["left", "px", "top", "tall", "first", "span"].map((k) => Number(svg.dataset[k]));
    const cases = Object.entries(page.live.cases).filter(([, c]) => c.op === op && c.size).map(([id, c]) => [Number(/bytes=(\d+)/.exec(id)[1]), c]).sort((a, b) => a[0] - b[0]);
    const x = (n) => left + (px * Math.log(n / first)) / span;
    for (const g of all("[data-of]", svg)) g.classList.toggle("off", g.dataset.of.split(" ").some((l) => hidden.has(l)));
    const chosen = cases.find(([, c]) => c.size === size);
    if (chosen) svg.prepend(drawing("path", { class: "chosen", d: `M${x(chosen[0]).toFixed(1)} ${top}v${tall}`, stroke: "var(--ink)", "stroke-width": 1.6 }));
    const lanes = all("[data-lane]", svg).map((g) => [g, base && !hidden.element(g) ? cases.map(([n, c]) => [n, ...ratio(c, c.order.findIndex((k) => page.live.lanes[k][0] === g.dataset.lane), against(c, base, [], hidden)).map((t) => Number(t.replace("~", "")))]).filter((p) => p[1]) : []]);
    for (const [g, points] of lanes) g.classList.toggle("off", hidden.element(g) || (base !== "" && !points.length));
    const drawn = lanes.map(([g]) => g), shown = drawn.filter((g) => !g.classList.contains("off"));
    contend(svg, shown);
    const every = lanes.flatMap(([, points]) => points.flatMap((p) => p.slice(1, 4).filter(Boolean)));
    if (!every.length) { nameLines(svg, shown); return; }
    const low = Math.min(...every) / 1.1, high = Math.max(...every) * 1.1;
    const y = (v) => top + (tall * Math.log(high / v)) / Math.log(high / low);
    svg.querySelector(".what").replaceChildren(words(left, 7, `cost against ${build(base)} (down is better)`, "start", "var(--muted)"));
    const ticks = [1];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) for (const s of [1, 1.5, 2, 3, 5, 7]) if (s * 10 ** e >= low && s * 10 ** e <= high && ticks.every((t) => Math.abs(y(t) - y(s * 10 ** e)) > 14)) ticks.push(Number((s * 10 ** e).toPrecision(3)));
    svg.querySelector(".ys").replaceChildren(...ticks.flatMap((t) => [drawing("path", { d: `M${left} ${y(t).toFixed(1)}h${px}`, stroke: `var(--${t === 1 ? "ink" : "line"})` }), words(left - 6, (y(t) + 4).toFixed(1), String(t), "end")]));
    for (const [g, points] of lanes) {
      g.querySelector(".line").setAttribute("d", points.map(([n, v], i) => `${i ? "L" : "M"}${x(n).toFixed(1)} ${y(v).toFixed(1)}`).join(""));
      g.querySelector(".whisker").setAttribute("d", points.filter((p) => p[2] && p[3]).map(([n, , a, b]) => `M${x(n).toFixed(1)} ${y(a).toFixed(1)}V${y(b).toFixed(1)}`).join(""));
      for (const mark of all("use", g)) mark.remove();
      for (const [n, v] of points) for (const shape of g.dataset.shape.split(" ")) g.append(drawing("use", { href: `#${shape}`, x: x(n).toFixed(1), y: y(v).toFixed(1) }));
    }
    nameLines(svg, shown);
  };
  // Charts of first calls: bars and their table out of the CSV of all cells.
  const time = (ns) => { const [f, u] = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]].find(([f]) => ns >= f) || [1, "ns"]; const v = ns / f; return `${v >= 100 ? Math.round(v) : v.toPrecision(3)} ${u}`; };
  // Powers of ten, with 2 and 5 times them where that gives one or none, as the chart was drawn.
  const timeTicks = (low, high, px) => {
    let ticks = [];
    for (const steps of [[1], [1, 2, 5]]) {
      ticks = [];
      for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) for (const s of steps) if (s * 10 ** e >= low && s * 10 ** e <= high) ticks.push(s * 10 ** e);
      if (ticks.length > 1) break;
    }
    return ticks.reduce((kept, at) => (kept.length && (px * Math.log(at / kept.at(-1))) / Math.log(high / low) < 56 ? kept : [...kept, at]), []);
  };
  const timeLabel = (ns) => { const place = Math.min(3, Math.max(0, Math.floor(Math.log10(ns) / 3 + 1e-9))); return `${Number((ns / 1000 ** place).toPrecision(6))} ${["ns", "\u00b5s", "ms", "s"][place]}`; };
  const followBars = (svg, firsts, hidden, base, id) => {
    const left = Number(svg.dataset.left), px = Number(svg.dataset.px), groups = all("[data-lane]", svg);
    for (const g of groups) g.classList.toggle("off", hidden.element(g) || !firsts.has(g.dataset.lane));
    const shown = groups.filter((g) => !g.classList.contains("off")).map((g) => [g, firsts.get(g.dataset.lane)]).sort((a, b) => a[1].once - b[1].once);
    if (!shown.length) { svg.querySelector(".xs").replaceChildren(); return; }
    const every = shown.flatMap(([, f]) => f.marks), low = Math.min(...every) / 1.25, high = Math.max(...every) * 1.25;
    const x = (ns) => left + (px * Math.log(ns / low)) / Math.log(high / low);
    const standing = base ? page.live.cases[id].builds[page.live.columns.indexOf(base)][0] : -1;
    const theirs = standing < 0 ? -1 : shown.findIndex(([g]) => g.dataset.lane === page.live.lanes[standing][0]);
    let y = 0;
    shown.forEach(([g, f], row) => {
      const tall = Number(g.dataset.high), home = g.querySelector(":scope > g"), [later, first, once] = f.marks.map(x);
      g.setAttribute("transform", `translate(0 ${y + tall / 2})`);
      y += tall;
      const ends = [Math.min(later, first, once), Math.max(later, first, once)];
      home.replaceChildren(
        drawing("path", { d: `M${ends[0].toFixed(1)} 0H${ends[1].toFixed(1)}`, stroke: "var(--muted)" }),
        drawing("rect", { x: (once - 2).toFixed(1), y: -9, width: 4, height: 18, fill: "var(--phase-open)" }),
        drawing("path", { d: `M${first.toFixed(1)} -6l6 6l-6 6l-6 -6Z`, fill: "var(--phase-first)" }),
        drawing("circle", { cx: later.toFixed(1), r: 3.5, fill: "var(--phase-steady)" }),
        words(ends[1] + 9, 4, time(f.once) + (theirs < 0 ? "" : row === theirs ? ", base" : `, ${Number((f.once / shown[theirs][1].once).toPrecision(2))} x`), "start"),
      );
    });
    svg.querySelector(".xs").replaceChildren(...timeTicks(low, high, px).flatMap((t) => [drawing("path", { d: `M${x(t).toFixed(1)} 0V${y}`, stroke: "var(--line)" }), words(x(t), y + 15, timeLabel(t), "middle")]), words(left + px / 2, y + 32, "time, logarithmic (left is better)", "middle", "var(--muted)"));
    svg.setAttribute("height", y + 40);
    svg.setAttribute("viewBox", `0 -4 ${svg.getAttribute("width")} ${y + 40}`);
  };
  const followFirsts = async (hidden, base, size, mine) => {
    const charts = all("svg.phases");
    if (!charts.length || !document.getElementById("all-data")) return;
    const [head, rows] = await table_of("all-data");
    if (mine !== page.turn) return;
    const names = fields(head), ids = new Map(charts.map((svg) => [svg, sized(svg.dataset.case, size)])), wanted = new Set(ids.values()), found = new Map();
    for (const row of rows.map(fields)) {
      if (!wanted.has(row[0])) continue;
      const of = (name) => { const text = row[names.indexOf(`${name}_ns`)]; return text ? Number(text) : null; };
      const call = of("first_call"), steady = of("steady_call");
      if (call === null || steady === null) continue;
      const steps = ["open", "seed", "fetch", "setup", "first_call", "once", "steady_call", "teardown"].map(of);
      if (!found.has(row[0])) found.set(row[0], new Map());
      found.get(row[0]).set(row[2], { steps, once: of("once"), marks: [steady, call, of("once")] });
    }
    for (const [svg, id] of ids) {
      const firsts = found.get(id) || new Map(), figure = svg.closest("figure");
      followBars(svg, firsts, hidden, base, id);
      if (id === svg.dataset.case) continue;
      for (const e of [figure.querySelector("h3"), figure.parentElement.querySelector("summary")]) e.firstChild.textContent = `What does a single ${page.live.cases[id].title} cost in a fresh process? `;
      svg.setAttribute("aria-label", figure.querySelector("h3").textContent);
      for (const row of all("tbody tr", figure)) {
        const first = firsts.get(row.dataset.key);
        [...row.cells].slice(1).forEach((cell, n) => { const ns = first ? first.steps[n] : null; cell.textContent = ns === null ? (first ? "none" : "not here") : time(ns); ns === null ? cell.removeAttribute("data-v") : (cell.dataset.v = ns); });
      }
    }
  };
  return { drawing, words, moveChart, followSizes, followFirsts };
};
