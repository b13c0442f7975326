"use strict";
(() => {
  // State lives in the address: #f=text&hide=a,b&base=build&size=16 KiB&sort=table:column:asc&at=anchor. A plain #anchor works too.
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
    if (!target) { if (document.getElementById("pages")) find(id); return; }
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView();
  };

  // What is large stands in the page once, packed: the CSV of all cells, of which figures take their rows, and of the roofline.
  const unpacked = async (address) => {
    const bytes = Uint8Array.from(atob(address.split(",")[1]), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  // In a large report what is folded is packed as well, all of it as one text: unpacked when the first fold is opened, and put in its place.
  let pages = null;
  const bodies = () => (pages ??= unpacked(document.getElementById("pages").dataset.packed).then(JSON.parse));
  const fill = async (home) => {
    const number = Number(home.dataset.pack);
    home.removeAttribute("data-pack");
    home.insertAdjacentHTML("beforeend", (await bodies())[number]);
    dress(home);
    if (kept.size) for (const e of all(MOVED, home)) keep(e);
    filter(); sortFromState();
  };
  document.addEventListener("toggle", (event) => { if (event.target.open && event.target.matches("details[data-pack]")) fill(event.target); }, true);
  const find = async (id) => {
    const number = (await bodies()).findIndex((text) => text.includes(`id="${id}"`));
    const home = number < 0 ? null : document.querySelector(`details[data-pack="${number}"]`);
    if (home) { await fill(home); go(id); }
  };
  const tables = new Map();
  const table_of = (id) => {
    if (!tables.has(id)) tables.set(id, unpacked(document.getElementById(id).getAttribute("href")).then((text) => { const rows = text.match(/(?:"(?:[^"]|"")*"|[^"\r\n])+/g); return [rows[0], rows.slice(1)]; }));
    return tables.get(id);
  };
  const fields = (row) => [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] === undefined ? m[2] : m[1].replaceAll('""', '"')));

  // Ranking anew. Ratios and verdicts are of the run, pair by pair; what is done here is the grouping rule of the method, and looking up.
  let live = null;
  const groups = (of, hidden) => {
    let left = of.order.map((_, i) => i).filter((i) => !hidden.has(live.lanes[of.order[i]][2]));
    const out = [], shown = left.length;
    // Too few passes for an interval beside the first: in no group. If that is so of all others, there are no groups.
    left = left.filter((i) => i === left[0] || (of.pairs[i][left[0]] && !of.pairs[i][left[0]].includes(" - - ")));
    if (left.length === 1 && shown > 1) return out;
    while (left.length) {
      const [first, ...others] = left;
      const slower = others.filter((i) => of.pairs[i][first].split(" ")[3] === "s");
      out.push([first, ...others.filter((i) => !slower.includes(i))]);
      left = slower;
    }
    return out;
  };
  const sized = (id, size) => {
    const mine = live.cases[id];
    if (!size || !mine || !mine.size || mine.size === size) return id;
    return Object.keys(live.cases).find((other) => live.cases[other].op === mine.op && live.cases[other].size === size) || id;
  };
  const element = (name, text, kind) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const against = (of, base, ranked, hidden) => {
    if (!base) return ranked.length ? ranked[0][0] : of.order.findIndex((k) => !hidden.has(live.lanes[k][2]));
    const column = live.columns.indexOf(base);
    return column < 0 ? -1 : of.order.indexOf(of.builds[column][0]);
  };
  // A pair: the ratio beside its interval (and, where they differ, as the grid has it), the ends of the interval, the verdict, the figures with all digits.
  const pair = (of, i, j) => (i < 0 || j < 0 ? "" : of.pairs[i][j]).split(" ");
  const ratio = (of, i, j) => { const [text, ...rest] = pair(of, i, j); return [text.split("/")[0], ...rest]; };
  const short = (of, i, j) => pair(of, i, j)[0].split("/").pop();
  const exact = (of, i, j) => { const told = ratio(of, i, j); return i === j ? 1 : Number(told[4] || told[0].replace("~", "")); };
  const builds = (group, of) => new Set(group.map((i) => live.lanes[of.order[i]][3]));
  const fillCell = (td, of, build, ranked, to, base, same) => {
    const [lane, kind, word, tags, trouble] = build;
    if (kind !== "value") { td.replaceChildren(element("span", word, "word")); td.className = `no ${kind}`; td.removeAttribute("data-v"); td.removeAttribute("style"); td.removeAttribute("title"); return; }
    const i = of.order.indexOf(lane), text = short(of, i, to), [beside, low, high] = ratio(of, i, to);
    const best = ranked.length > 0 && ranked[0].includes(i);
    const said = [best ? (builds(ranked[0], of).size > 1 ? "tie" : "best") : "", ...tags].filter(Boolean).join(", ");
    const number = exact(of, i, to), less = number > 0 && number < 1;
    const depth = number ? Math.min(1, Math.abs(Math.log(number)) / Math.log(10)) : 0;
    td.className = `v${!number ? " bare" : less ? " less" : depth > 0.55 ? " deep" : ""}${best ? " best" : ""}`;
    td.style.setProperty("--t", `${Math.round(depth * (less ? 65 : 100))}%`);
    td.replaceChildren(element("b", text || "no ratio"));
    if (said) td.append(" ", element("span", said, "tag"));
    if (trouble) td.append(" ", element("span", trouble, "tag bad"));
    if (number) td.dataset.v = number; else td.removeAttribute("data-v");
    const rest = same ? td.title.replace(/; (takes [^;]*|the others are compared with it)$/, "") : of.rates[i] || "";
    td.title = rest + (i === to ? "; the others are compared with it" : beside ? `; takes ${beside} times as long as ${base || "the best"} (${low === "-" ? "no interval" : `${low} to ${high}`})` : "");
    const place = ranked.findIndex((g) => g.includes(i));
    const own = live.lanes[lane][3];
    ranked.flatMap((g, n) => (place < 0 || n < place ? g : [])).filter((k) => k !== i && live.lanes[of.order[k]][3] === own).slice(0, live.most).forEach((k) => {
      const known = live.known[of.order[k]];
      const small = element("small", `${live.lanes[of.order[k]][4]} ${short(of, k, to)}`.trim(), "faster");
      if (known) { small.title = known; small.append(element("span", `: ${known}`, "known")); }
      td.append(small);
    });
  };
  const moveChart = (group, of, hidden, ranked, to) => {
    const svg = group.closest("svg"), { low, span, from, px } = svg.dataset;
    const x = (v) => Number(from) + (Number(px) * Math.log(v / Number(low))) / Number(span);
    for (const mark of all("[data-lane]", group)) {
      const i = of.order.findIndex((n) => live.lanes[n][0] === mark.dataset.lane);
      const [text, a, b] = ratio(of, i, to);
      const at = Number(text.replace("~", ""));
      const gone = hidden.has(mark.dataset.lib) || !at;
      mark.classList.toggle("off", gone);
      if (gone) continue;
      const inside = Math.min(x(Number(low) * Math.exp(Number(span))), Math.max(x(Number(low)), x(at)));
      mark.setAttribute("transform", `translate(${inside.toFixed(1)} ${mark.getAttribute("transform").split(" ")[1]}`);
      const whisker = mark.querySelector(".whisker");
      if (whisker && Number(a) && Number(b)) whisker.setAttribute("d", `M${(x(Number(a)) - inside).toFixed(1)} 0H${(x(Number(b)) - inside).toFixed(1)}`);
      const name = mark.querySelector("title");
      if (name) name.textContent = `${live.lanes[of.order[i]][1]} ${text}`;
    }
  };
  const answered = (of, ranked, hidden) => {
    const maker = (i) => live.lanes[of.order[i]][2], placed = new Set(ranked.flat());
    const left = of.order.map((_, i) => i).filter((i) => !placed.has(i) && !hidden.has(maker(i)));
    return answers.answer(of, ranked, left, (i) => live.lanes[of.order[i]][1], maker, !hidden.size);
  };
  const fillCard = (card, of, ranked, hidden) => {
    if (!of.order.length) return;
    const { winners, first, rate, sentence } = answered(of, ranked, hidden), home = card.querySelector(".winner");
    home.classList.toggle("none", !winners.length);
    home.replaceChildren(...(winners.length ? winners.flatMap((name, n) => {
      const one = element("b", ""), mark = document.querySelector(`th[data-build="${CSS.escape(live.lanes[of.order[first[n]]][3])}"] svg.mark`);
      one.append(mark.cloneNode(true), "\u00a0", ...name.split("+").flatMap((part, at) => (at ? ["+", element("wbr", ""), part] : [part])));
      return n ? [" ", element("i", "and"), " ", one] : [one];
    }) : ["no winner"]));
    for (const [kind, text] of [[".rate", rate], [".by", sentence.replaceAll(" %", "\u00a0%")]]) { const e = card.querySelector(kind); if (e) e.textContent = text; }
    const doubt = card.querySelector(".doubt");
    if (doubt) doubt.hidden = hidden.size > 0;
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
    const cases = Object.entries(live.cases).filter(([, c]) => c.op === op && c.size).map(([id, c]) => [Number(/bytes=(\d+)/.exec(id)[1]), c]).sort((a, b) => a[0] - b[0]);
    const x = (n) => left + (px * Math.log(n / first)) / span;
    for (const g of all("[data-of]", svg)) g.classList.toggle("off", g.dataset.of.split(" ").some((l) => hidden.has(l)));
    const chosen = cases.find(([, c]) => c.size === size);
    if (chosen) svg.prepend(drawing("path", { class: "chosen", d: `M${x(chosen[0]).toFixed(1)} ${top}v${tall}`, stroke: "var(--ink)", "stroke-width": 1.6 }));
    const lanes = all("[data-lane]", svg).map((g) => [g, base && !hidden.has(g.dataset.lib) ? cases.map(([n, c]) => [n, ...ratio(c, c.order.findIndex((k) => live.lanes[k][0] === g.dataset.lane), against(c, base, [], hidden)).map((t) => Number(t.replace("~", "")))]).filter((p) => p[1]) : []]);
    for (const [g, points] of lanes) g.classList.toggle("off", hidden.has(g.dataset.lib) || (base !== "" && !points.length));
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
    for (const g of groups) g.classList.toggle("off", hidden.has(g.dataset.lib) || !firsts.has(g.dataset.lane));
    const shown = groups.filter((g) => !g.classList.contains("off")).map((g) => [g, firsts.get(g.dataset.lane)]).sort((a, b) => a[1].once - b[1].once);
    if (!shown.length) { svg.querySelector(".xs").replaceChildren(); return; }
    const every = shown.flatMap(([, f]) => f.marks), low = Math.min(...every) / 1.25, high = Math.max(...every) * 1.25;
    const x = (ns) => left + (px * Math.log(ns / low)) / Math.log(high / low);
    const standing = base ? live.cases[id].builds[live.columns.indexOf(base)][0] : -1;
    const theirs = standing < 0 ? -1 : shown.findIndex(([g]) => g.dataset.lane === live.lanes[standing][0]);
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
    if (mine !== turn) return;
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
      for (const e of [figure.querySelector("h3"), figure.parentElement.querySelector("summary")]) e.firstChild.textContent = `What does a single ${live.cases[id].title} cost in a fresh process? `;
      svg.setAttribute("aria-label", figure.querySelector("h3").textContent);
      for (const row of all("tbody tr", figure)) {
        const first = firsts.get(row.dataset.key);
        [...row.cells].slice(1).forEach((cell, n) => { const ns = first ? first.steps[n] : null; cell.textContent = ns === null ? (first ? "none" : "not here") : time(ns); ns === null ? cell.removeAttribute("data-v") : (cell.dataset.v = ns); });
      }
    }
  };
  const build = (id) => document.querySelector(`th[data-build="${CSS.escape(id)}"] .lib`).textContent;
  let turn = 0;
  const kept = new Map();
  const MOVED = ".cards, table.grid tbody, svg.family, #rankings tbody, #rankings .answer, table[data-sort=overall] tbody, svg.spread, .board h3, #verdict, #mean-of, #grid-title, #grid-lead, #scale, svg.sizes, svg.phases, #first-call tbody, #first-call h3, #first-call summary";
  const keep = (e) => kept.set(e, [e.innerHTML, ["height", "viewBox", "aria-label"].map((k) => [k, e.getAttribute(k)])]);
  const restore = () => {
    if (!kept.size) all(MOVED).forEach(keep);
    for (const [e, [text, given]] of kept) {
      if (e.innerHTML !== text) e.innerHTML = text;
      for (const [k, v] of given) if (e.getAttribute(k) !== v) e.setAttribute(k, v);
    }
  };
  const wanted = (hidden) => ({ base: live && live.columns.includes(state.get("base")) ? state.get("base") : "", size: (live && state.get("size")) || "", hidden });
  const rerank = ({ hidden, base, size }) => {
    if (!live) return;
    const any = hidden.size || base || size;
    if (any || kept.size) restore();
    document.body.classList.toggle("anew", Boolean(any));
    turn++;
    for (const e of all("li[data-of]")) e.classList.toggle("off", e.dataset.of.split(" ").some((l) => hidden.has(l)));
    const aside = new Set(all("table.grid thead th.thin").map((th) => th.dataset.build)), left = live.columns.filter((b) => !hidden.has(b.split("@")[0]));
    const grid = document.querySelector("table.grid");
    if (aside.has(base) || left.every((b) => aside.has(b))) grid.classList.add("whole");
    if (!any) return;
    const known = base ? build(base) : "", rows = [];
    for (const row of all("table.grid tr[data-case]")) {
      const id = sized(row.dataset.case, size), of = live.cases[id], ranked = groups(of, hidden), to = against(of, base, ranked, hidden);
      const without = size && of.size && of.size !== size;
      row.toggleAttribute("data-nosize", Boolean(without));
      row.querySelector("th a").textContent = of.title;
      const first = ranked.length ? ranked[0] : [], best = [], costs = new Map();
      for (const td of all("td[data-build]", row)) {
        const column = of.builds[live.columns.indexOf(td.dataset.build)];
        fillCell(td, of, column, ranked, to, known, id === row.dataset.case);
        td.classList.toggle("thin", aside.has(td.dataset.build));
        td.classList.toggle("off", hidden.has(td.dataset.lib));
        if (column[1] !== "value" || hidden.has(td.dataset.lib)) continue;
        const i = of.order.indexOf(column[0]), cost = exact(of, i, to);
        if (first.includes(i)) best.push(td.dataset.build);
        if (cost) costs.set(td.dataset.build, [cost, `${short(of, i, to)}, ${of.title}`, ...ratio(of, i, to).slice(1, 3).map(Number)]);
      }
      if (!without) rows.push([best, builds(first, of).size > 1, costs, first.length > 0]);
      for (const chart of all(`svg.family g[data-case="${CSS.escape(row.dataset.case)}"]`)) {
        const own = live.cases[row.dataset.case], mine = groups(own, hidden);
        moveChart(chart, own, hidden, mine, against(own, base, mine, hidden));
      }
      for (const table of all(`table[data-sort="${CSS.escape("rank-" + row.dataset.case.replace(/[^\p{L}\p{N}]/gu, "-"))}"]`)) fillRanking(table, row.dataset.case, hidden, base);
    }
    for (const svg of all("svg.sizes")) followSizes(svg, hidden, base, size);
    followFirsts(hidden, base, size, turn);
    for (const card of all(".card[data-case]")) fillCard(card, live.cases[card.dataset.case], groups(live.cases[card.dataset.case], hidden), hidden);
    if (base) overview.speakOf(known);
    const home = overview.table();
    if (!home) return;
    const board = scoreboard.board(left.map((b) => [b, build(b)]), rows);
    document.getElementById("verdict").textContent = scoreboard.verdict(board);
    document.getElementById("mean-of").textContent = scoreboard.meanWords(board, new Set(left.map((b) => b.split("@")[0])).size < left.length, known);
    scoreboard.fillTable(home, board);
    for (const svg of all("svg.spread")) scoreboard.fillChart(svg, board, known, { shape: drawing, words });
  };
  // What a reader must know to read the page as it is now: one sentence for each thing that differs from the page as it was made.
  const differs = ({ hidden, base, size }) => {
    if (!live) return [];
    const titles = all("table.grid thead th[data-lib]").filter((th, n, every) => every.findIndex((one) => one.dataset.lib === th.dataset.lib) === n);
    const gone = titles.filter((th) => hidden.has(th.dataset.lib)).map((th) => th.querySelector(".lib").textContent), rest = titles.length - gone.length;
    const rows = all("table.grid tr[data-case]"), without = all("table.grid tr[data-nosize]").length;
    const told = [];
    if (gone.length) told.push(`Hidden: ${answers.list(gone)}. Winners and figures are among the ${rest === 1 ? "one library" : `${rest} libraries`} shown.`);
    if (base) told.push(`Base: costs are over ${build(base)}, not over the best.`);
    if (size) told.push(`Size: the grid and the scoreboard are at ${size}.${without ? ` ${scoreboard.counted(without, "operation")} without this size ${without === 1 ? "is" : "are"} left out.` : ""} Cards keep the size that they name.`);
    if (state.get("f")) told.push(`Search: the grid shows ${rows.filter((row) => !row.classList.contains("off")).length} of ${rows.length} operations; the scoreboard counts ${without ? "those of this size" : "all"}.`);
    return told;
  };
  const clear = () => { for (const key of ["f", "hide", "base", "size"]) state.delete(key); save(); apply(); };
  const fillRanking = (table, id, hidden, base) => {
    const of = live.cases[id], ranked = groups(of, hidden), to = against(of, base, ranked, hidden);
    const answer = table.closest("figure").querySelector(".answer");
    const { winners, rate, sentence } = answered(of, ranked, hidden);
    if (answer && of.order.length) answer.textContent = winners.length ? `${answers.list(winners)}: ${rate}; ${sentence}.` : `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
    let place = 1;
    for (const k of of.order) {
      const row = !hidden.has(live.lanes[k][2]) && all("tbody tr", table).find((r) => r.dataset.key === live.lanes[k][0]);
      if (row) { row.cells[1].textContent = "not settled"; row.cells[1].removeAttribute("data-v"); }
    }
    for (const group of ranked) {
      for (const i of group) {
        const row = all("tbody tr", table).find((r) => r.dataset.key === live.lanes[of.order[i]][0]);
        if (!row) continue;
        const [text, a, b] = ratio(of, i, to);
        row.cells[1].textContent = `${place}${group.length > 1 ? " tie" : ""}`; row.cells[1].dataset.v = place;
        row.cells[2].textContent = text || "no ratio"; row.cells[2].dataset.v = text.replace("~", "");
        row.cells[3].textContent = i === to ? "compared with" : !a || a === "-" ? "no interval" : `${a} to ${b}`;
      }
      place += group.length;
    }
  };

  // The fewest of a column among the libraries shown, where several are; by the text, as what sorting goes by is rounded.
  const recount = (table, hidden) => {
    const rows = [...table.tBodies[0].rows];
    for (let n = 1; n < table.tHead.rows[0].cells.length; n++) {
      const told = rows.map((row) => /^(?:best )?([\d,]+)$/.exec(row.cells[n].textContent.trim()));
      const number = (i) => (told[i] && !hidden.has(rows[i].dataset.lib) ? Number(told[i][1].replaceAll(",", "")) : Infinity);
      const shown = rows.map((_, i) => number(i)).filter(Number.isFinite), least = shown.length > 1 ? Math.min(...shown) : -1;
      rows.forEach((row, i) => { if (told[i]) row.cells[n].textContent = (number(i) === least ? "best " : "") + told[i][1]; });
    }
  };

  const matcher = search(JSON.parse(document.getElementById("names").dataset.names));
  const filter = () => {
    const matches = matcher(state.get("f") || "");
    const hidden = new Set((state.get("hide") || "").split(",").filter(Boolean)), view = wanted(hidden);
    rerank(view);
    for (const e of all("[data-search]")) if (e.dataset.search) e.classList.toggle("off", !matches(e.dataset.search) || e.hasAttribute("data-nosize"));
    for (const e of all("[data-lib]:not(svg [data-lane])")) e.classList.toggle("off", hidden.has(e.dataset.lib));
    for (const table of all('#counts table:not([data-sort="counts-made"])')) recount(table, hidden);
    for (const head of all("table.grid tr.family")) head.parentElement.classList.toggle("off", all("tr:not(.family):not(.off)", head.parentElement).length === 0);
    const grid = document.querySelector("table.grid"), shown = all("table.grid thead th[data-lib]").filter((th) => !th.classList.contains("off") && (!th.classList.contains("thin") || grid.classList.contains("whole"))).length;
    for (const head of all("table.grid tr.family th")) head.colSpan = shown + 1;
    const nothing = document.getElementById("nothing");
    if (nothing) {
      nothing.hidden = all("table.grid tbody tr:not(.family):not(.off)").length > 0;
      nothing.textContent = live && live.columns.every((b) => hidden.has(b.split("@")[0])) ? "Every library is hidden." : `No operation here matches \u201c${state.get("f") || ""}\u201d.`;
      if (live && live.columns.every((b) => hidden.has(b.split("@")[0]))) nothing.hidden = false;
    }
    for (const fold of all("#implementations details.fam:not([data-pack])")) fold.classList.toggle("off", all("tbody tr:not(.off)", fold).length === 0);
    overview.banner(differs(view), clear);
    for (const fold of all("details.fam")) {
      const inside = all("[data-search]", fold).filter((e) => e.dataset.search);
      if (inside.length) fold.classList.toggle("off", inside.every((e) => e.classList.contains("off")));
    }
  };

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
  box.type = "search"; box.id = "filter"; box.placeholder = "Find: sha256, aead, openssl"; box.setAttribute("aria-label", "Find operations");
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
  const choice = (key, label, first, options) => {
    const home = document.createElement("label"), list = document.createElement("select");
    list.id = key;
    for (const [v, words] of [["", first], ...options]) { const o = element("option", words); o.value = v; list.append(o); }
    list.addEventListener("change", () => { put(key, list.value); filter(); });
    home.append(label, " ", list);
    tools.append(home);
  };
  const choices = () => {
    choice("base", "Base", "the best", live.columns.map((b) => [b, document.querySelector(`th[data-build="${CSS.escape(b)}"] .lib`).textContent]));
    const bytes = new Map(Object.entries(live.cases).filter(([, c]) => c.size).map(([id, c]) => [c.size, Number(/bytes=(\d+)/.exec(id)[1])]));
    const sizes = [...bytes.keys()].sort((a, b) => bytes.get(a) - bytes.get(b));
    if (sizes.length > 1) choice("size", "Size", "as in the grid", sizes.map((s) => [s, s]));
    tools.append(unfold);
  };
  const unfold = button("Unfold all", (b) => { const open = b.textContent === "Unfold all"; for (const d of all("details.fam")) d.open = open; b.textContent = open ? "Fold all" : "Unfold all"; });
  tools.append(unfold);

  const dress = (root) => { for (const table of all("table[data-sort]", root)) {
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
  } };
  overview.start((chosen) => { put("hide", all("#tools input[type=checkbox]").map((i) => i.value).filter((l) => !chosen.includes(l)).join(",")); apply(); }, () => filter());
  dress(document);
  for (const pre of all("pre", document.getElementById("again") || document.createElement("p"))) pre.after(button("Copy", (b) => copy(pre.textContent, b)));

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
  document.addEventListener("click", (event) => {
    const packed = event.target.closest('a[download][href^="data:application/gzip"]');
    if (packed) { event.preventDefault(); unpacked(packed.getAttribute("href")).then((text) => save_text(text, packed.download.replace(/\.gz$/, ""))); return; }
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    if (link.dataset.rows) { event.preventDefault(); save_rows(link); return; }
    event.preventDefault();
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    put("at", id); go(id);
  });
  const apply = () => {
    parse();
    box.value = state.get("f") || "";
    const hidden = new Set((state.get("hide") || "").split(","));
    for (const tick of all("#tools input[type=checkbox]")) tick.checked = !hidden.has(tick.value);
    for (const key of ["base", "size"]) { const list = document.getElementById(key); if (list) list.value = state.get(key) || ""; }
    filter(); sortFromState();
    if (state.get("at")) go(state.get("at"));
  };
  window.addEventListener("hashchange", () => { for (const k of [...state.keys()]) state.delete(k); apply(); });
  apply();
  const store = document.getElementById("live").dataset.packed;
  if (store) unpacked(store).then((text) => { live = JSON.parse(text); choices(); apply(); });
})();
