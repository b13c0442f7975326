"use strict";
// The scoreboard among the libraries shown, by the rules of report/blocks/overall.py and in the words of report/words/verdict.py. A test compares both.
// `rows`: of each operation [best, rivals, costs]: builds in the first group, whether these are of several libraries, and build -> [cost, text with the operation's title, low, high].
const scoreboard = (() => {
  const counted = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
  const mean = (values) => (values.length ? Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length) : null);
  // `builds`: [id, title] of those shown.
  const board = (builds, rows) => {
    const compared = builds.filter(([id]) => 2 * rows.filter(([, , costs]) => costs.has(id)).length >= Math.max(1, rows.length)), among = new Set(compared.map(([id]) => id));
    const common = rows.filter(([, , costs]) => compared.every(([id]) => costs.has(id)));
    const scores = builds.map(([id, title]) => {
      const costs = rows.filter(([, , known]) => known.has(id)).map(([, , known]) => known.get(id));
      const won = rows.filter(([best]) => best.includes(id)), ties = won.filter(([, rivals]) => rivals).length;
      const worst = costs.length ? costs.reduce((a, b) => (b[0] > a[0] ? b : a)) : null;
      return { id, title, wins: won.length - ties, ties, costs, worst, mean: !among.has(id) ? null : mean(common.map(([, , known]) => known.get(id)[0])) };
    });
    const order = (s) => [-s.wins, -s.ties, s.mean === null ? Infinity : s.mean, s.title.toLowerCase()];
    scores.sort((a, b) => { const x = order(a), y = order(b), n = x.findIndex((v, i) => v !== y[i]); return n < 0 ? 0 : x[n] < y[n] ? -1 : 1; });
    return { scores, operations: rows.length, common: common.length, compared: compared.length, named: rows.filter(([best, , , settled]) => settled && !best.length).length };
  };
  const often = ({ wins, ties }, of = "") => (!wins ? `with others in ${ties}${of}` : `alone in ${wins}${of}${ties ? ` and with others in ${ties}` : ""}`);
  const verdict = ({ scores, operations, named }) => {
    const figures = scores.filter((s) => s.costs.length);
    if (!figures.length) return "No library has a figure here.";
    if (figures.length === 1) return `Only ${figures[0].title} has figures here, so there is nothing to compare.`;
    const groups = [];
    for (const s of scores.filter((s) => s.wins + s.ties)) { const last = groups[groups.length - 1]; last && last[0].wins === s.wins && last[0].ties === s.ties ? last.push(s) : groups.push([s]); }
    if (!groups.length) return named ? "No library is fastest with what it takes by default." : "No operation has a settled winner.";
    const names = (group) => answers.some(group.map((s) => s.title)), many = counted(operations, "operation"), [first, second] = groups;
    let text = `${first[0].title} is fastest most often: ${often(first[0], ` of ${many}`)}`;
    if (first.length > 1) text = `${names(first)} are fastest equally often: each ${often(first[0], ` of ${many}`)}`;
    else if (first[0].wins === operations) text = `${first[0].title} is fastest in all ${many}`;
    if (second) text += `; next ${second.length > 1 ? "are" : "is"} ${names(second)}, ${second.length > 1 ? "each " : ""}${often(second[0])}`;
    return `${text}.`;
  };
  // `base`: title of the build that costs are over, "" for the best.
  const meanWords = ({ common, compared, operations, named }, several, base) => {
    const kind = several ? "builds" : "libraries", many = counted(operations, "operation");
    let text = `No mean cost: fewer than two ${kind} have at least half of the ${many}.`;
    if (compared > 1) text = `No mean cost: the ${compared} ${kind} that have at least half of the ${many} have none in common. Show fewer to get one.`;
    if (compared > 1 && common) text = `Mean cost: geometric mean of the cost over ${base || "the best"}, over the ${counted(common, "operation")} common to the ${compared} ${kind} that have at least half of the ${operations}. It weighs every operation alike, which no program does. It has no interval, because operations are no sample of anything.`;
    if (named) text += ` In ${counted(named, "operation")} the fastest is an implementation that a caller asks for by its name; it counts for no library here.`;
    return text;
  };
  const fillTable = (table, { scores, operations }) => {
    const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.key, row]));
    for (const s of scores) {
      const row = rows.get(s.id);
      if (!row) continue;
      const put = (n, text, v) => { row.cells[n].textContent = text; v === undefined ? row.cells[n].removeAttribute("data-v") : (row.cells[n].dataset.v = v); };
      row.cells[1].querySelector("b").textContent = s.wins; row.cells[1].dataset.v = s.wins;
      [s.wins, s.ties].forEach((n, at) => { row.querySelectorAll(".bar i")[at].style.width = `${(100 * n) / Math.max(1, operations)}%`; });
      put(2, s.ties, s.ties);
      s.mean === null ? put(3, "none") : put(3, s.mean.toFixed(2), s.mean);
      put(4, `${s.costs.length} of ${operations}`, s.costs.length);
      s.worst ? put(5, s.worst[1], s.worst[0]) : put(5, "no figure");
      table.tBodies[0].append(row);
    }
  };
  const OFFSETS = [0, 5, -5, 2.5, -2.5];
  const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].flatMap((t) => [t, 1 / t]);
  const fillChart = (svg, { scores }, base, draw) => {
    const left = Number(svg.dataset.left), px = Number(svg.dataset.px), every = scores.flatMap((s) => s.costs.flatMap(([v, , a, b]) => [v, a, b].filter(Boolean)));
    const shown = new Map(scores.map((s) => [s.id, s]));
    const low = Math.min(0.99, ...every) / 1.03, high = Math.max(1.1, ...every) * 1.06, x = (v) => left + (px * Math.log(v / low)) / Math.log(high / low);
    const groups = [...svg.querySelectorAll("[data-lane]")];
    for (const g of groups) g.classList.toggle("off", !shown.has(g.dataset.lane));
    let y = 0;
    for (const s of scores) {
      const g = groups.find((one) => one.dataset.lane === s.id);
      if (!g) continue;
      const tall = Number(g.dataset.high), marks = s.costs.map((c, i) => [c, OFFSETS[i % OFFSETS.length]]), f = (v) => x(v).toFixed(1);
      g.setAttribute("transform", `translate(0 ${y + tall / 2})`);
      y += tall;
      g.querySelector(".dots").setAttribute("d", marks.map(([c, at]) => `M${f(c[0])} ${at}h0`).join(""));
      g.querySelector(".whisker").setAttribute("d", marks.filter(([c]) => c[2] && c[3]).map(([c, at]) => `M${f(c[2])} ${at}H${f(c[3])}`).join(""));
      g.querySelector(".mean").setAttribute("d", s.mean === null ? "" : `M${f(s.mean)} -10v20`);
    }
    const ticks = TICKS.filter((t) => t >= low && t <= high).filter((t, n, all) => all.slice(0, n).every((other) => Math.abs(x(other) - x(t)) > 30));
    svg.querySelector(".xs").replaceChildren(...ticks.flatMap((t) => [draw.shape("path", { d: `M${x(t).toFixed(1)} 0V${y}`, stroke: `var(--${t === 1 ? "ink" : "line"})` }), draw.words(x(t), y + 15, String(t), "middle")]), draw.words(left + px / 2, y + 32, `cost over ${base || "the best"} (left is better)`, "middle", "var(--muted)"));
    svg.setAttribute("height", y + 40);
    svg.setAttribute("viewBox", `0 -4 ${svg.getAttribute("width")} ${y + 40}`);
  };
  return { board, verdict, meanWords, fillTable, fillChart, counted };
})();
