"use strict";
(() => {
  // State lives in the address: #f=text&hide=library,build&base=build&size=16 KiB&sort=table:column:asc&at=anchor. A plain #anchor works too.
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

  const { unpacked, with_pairs, save_text, save_rows } = packed, { sort, recount, markdown, copy } = tables;
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

  // Ranking anew. Ratios and verdicts are of the run, pair by pair; what is done here is the grouping rule of the method, and looking up.
  let live = null;
  const groups = (of, hidden) => {
    let left = of.order.map((_, i) => i).filter((i) => !hidden.build(live.lanes[of.order[i]][3]));
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
    if (!base) return ranked.length ? ranked[0][0] : of.order.findIndex((k) => !hidden.build(live.lanes[k][3]));
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
  const answered = (of, ranked, hidden) => {
    const maker = (i) => live.lanes[of.order[i]][2], placed = new Set(ranked.flat());
    const left = of.order.map((_, i) => i).filter((i) => !placed.has(i) && !hidden.build(live.lanes[of.order[i]][3]));
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
  const build = (id) => document.querySelector(`th[data-build="${CSS.escape(id)}"] .lib`).textContent;
  let turn = 0;
  const { drawing, words, moveChart, followSizes, followFirsts } = charts({ get live() { return live; }, get turn() { return turn; }, ratio, against, sized, build });
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
  // Columns of the grid, in builds: known before the rest of the run is unpacked.
  const hidingNow = () => hiding(state.get("hide"), all("table.grid thead th[data-build]").map((th) => th.dataset.build));
  const wanted = (hidden) => ({ base: live && live.columns.includes(state.get("base")) ? state.get("base") : "", size: (live && state.get("size")) || "", hidden });
  const rerank = ({ hidden, base, size }) => {
    if (!live) return;
    const any = hidden.size || base || size;
    if (any || kept.size) restore();
    document.body.classList.toggle("anew", Boolean(any));
    turn++;
    for (const e of all("li[data-of]")) e.classList.toggle("off", e.dataset.of.split(" ").some((l) => hidden.has(l)));
    const aside = new Set(all("table.grid thead th.thin").map((th) => th.dataset.build)), left = live.columns.filter((b) => !hidden.build(b));
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
        td.classList.toggle("off", hidden.element(td));
        if (column[1] !== "value" || hidden.element(td)) continue;
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
    const apart = live.columns.filter((b) => hidden.build(b) && !hidden.has(b.split("@")[0])), left = live.columns.filter((b) => !hidden.build(b)).length;
    const among = apart.length ? scoreboard.counted(left, "build") : rest === 1 ? "one library" : `${rest} libraries`;
    if (gone.length || apart.length) told.push(`Hidden: ${apart.length ? answers.some([...gone, ...apart.map(build)]) : answers.list(gone)}. Winners and figures are among the ${among} shown.`);
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
      const row = !hidden.build(live.lanes[k][3]) && all("tbody tr", table).find((r) => r.dataset.key === live.lanes[k][0]);
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

  const matcher = search(JSON.parse(document.getElementById("names").dataset.names));
  const filter = () => {
    const matches = matcher(state.get("f") || "");
    const hidden = hidingNow(), view = wanted(hidden);
    rerank(view);
    for (const e of all("[data-search]")) if (e.dataset.search) e.classList.toggle("off", !matches(e.dataset.search) || e.hasAttribute("data-nosize"));
    for (const e of all("[data-lib]:not(svg [data-lane])")) e.classList.toggle("off", hidden.element(e));
    for (const table of all('#counts table:not([data-sort="counts-made"])')) recount(table, hidden);
    for (const head of all("table.grid tr.family")) head.parentElement.classList.toggle("off", all("tr:not(.family):not(.off)", head.parentElement).length === 0);
    const grid = document.querySelector("table.grid"), shown = all("table.grid thead th[data-lib]").filter((th) => !th.classList.contains("off") && (!th.classList.contains("thin") || grid.classList.contains("whole"))).length;
    for (const head of all("table.grid tr.family th")) head.colSpan = shown + 1;
    const nothing = document.getElementById("nothing");
    if (nothing) {
      nothing.hidden = all("table.grid tbody tr:not(.family):not(.off)").length > 0;
      nothing.textContent = live && live.columns.every((b) => hidden.build(b)) ? "Every library is hidden." : `No operation here matches \u201c${state.get("f") || ""}\u201d.`;
      if (live && live.columns.every((b) => hidden.build(b))) nothing.hidden = false;
    }
    for (const fold of all("#implementations details.fam:not([data-pack])")) fold.classList.toggle("off", all("tbody tr:not(.off)", fold).length === 0);
    overview.banner(differs(view), clear);
    for (const fold of all("details.fam")) {
      const inside = all("[data-search]", fold).filter((e) => e.dataset.search);
      if (inside.length) fold.classList.toggle("off", inside.every((e) => e.classList.contains("off")));
    }
  };

  const sortFromState = () => {
    const [name, column, way] = (state.get("sort") || "").split(":");
    const table = all("table[data-sort]").find((t) => t.dataset.sort === name);
    if (table && table.tHead.rows[0].cells[Number(column)]) sort(table, Number(column), way === "desc");
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
      const every = all("#tools input[type=checkbox]");
      put("hide", hidingNow().ticked(every.map((i) => i.value), every.filter((i) => i.checked).map((i) => i.value)));
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
  overview.start((chosen) => { put("hide", hidingNow().but(chosen)); apply(); }, () => filter());
  dress(document);
  for (const pre of all("pre", document.getElementById("again") || document.createElement("p"))) pre.after(button("Copy", (b) => copy(pre.textContent, b)));

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
    const hidden = hidingNow();
    for (const tick of all("#tools input[type=checkbox]")) tick.checked = !hidden.has(tick.value);
    for (const key of ["base", "size"]) { const list = document.getElementById(key); if (list) list.value = state.get(key) || ""; }
    filter(); sortFromState();
    if (state.get("at")) go(state.get("at"));
  };
  window.addEventListener("hashchange", () => { for (const k of [...state.keys()]) state.delete(k); apply(); });
  apply();
  const store = document.getElementById("live").dataset.packed;
  if (store) unpacked(store).then((text) => { live = with_pairs(JSON.parse(text)); choices(); apply(); });
})();
