"use strict";
// Who is fastest among the lanes shown, in the words of report/words/sentences.py, and figures with the digits of report/words/numbers.py. A test holds both against each other.
// A ratio is [value, low, high], of the run; without an interval its ends are undefined.
const answers = (() => {
  const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`);
  const some = (names) => list(names.length <= 3 ? names : [...names.slice(0, 2), `${names.length - 2} more`]);
  const rounded = (value, places) => {
    const step = 10 ** Math.max(0, -places), text = (Math.round(value / step) * step).toFixed(0);
    const told = places > 0 ? value.toFixed(places) : text;
    return Number(told) === 0 ? told.replace("-", "") : told;
  };
  const magnitude = (value) => Math.floor(Math.log10(Math.abs(value)));
  const settled = (ratio) => ratio[1] !== undefined;
  const supported = ([value, low, high], most) => {
    if (low === undefined) return value === 0 ? 0 : Math.min(most, 1 - magnitude(value));
    const half = (high - low) / 2;
    return half <= 0 ? most : Math.min(most, -magnitude(half));
  };
  const decimals = (ratio) => {
    const [value, low, high] = ratio;
    const most = Math.abs(value - 1) < 0.02 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
    const places = low <= 0 ? supported(ratio, most) : Math.max(supported(ratio, most), Math.min(most, -magnitude(low)));
    return rounded(low, places) === rounded(high, places) ? supported(ratio, most + 1) : places;
  };
  const interval = (ratio) => (settled(ratio) ? [ratio[1], ratio[2]].map((end) => rounded(end, decimals(ratio))).join(" to ") : "no interval");
  const fasterThan = (ratio, other) => {
    const [value, low, high] = ratio;
    if (!settled(ratio)) return `about ${rounded(value, 1 - magnitude(value))} times faster than ${other} (too few passes for an interval)`;
    if (value < 1.1) {
      const percent = [value, low, high].map((one) => (one - 1) * 100), places = Math.max(0, supported(percent, 1));
      const [a, b, c] = percent.map((one) => rounded(one, places));
      return `${a} % faster than ${other} (${b} to ${c} %)`;
    }
    return `${rounded(value, decimals(ratio))} times faster than ${other} (${interval(ratio)})`;
  };
  const span = (ratios) => {
    const least = ratios.reduce((a, b) => (b[0] < a[0] ? b : a));
    return ratios.every(settled) ? [least[0], Math.min(...ratios.map((one) => one[1])), Math.max(...ratios.map((one) => one[2]))] : [least[0]];
  };
  const apart = (ratio) => settled(ratio) && (ratio[1] > 1 || ratio[2] < 1);

  // `of`: a case of the live data; lanes are numbers in its order. `name`: of a lane, `maker`: its library.
  const letter = (of, i, j) => (i === j ? "e" : of.pairs[i][j].split(" ")[3]);
  const ratio = (of, i, j) => { const told = of.pairs[i][j].split(" ").slice(4).map(Number); return told.length ? told : null; };
  const each = (lanes) => lanes.flatMap((a, n) => lanes.slice(n + 1).map((b) => [b, a]));
  const secondTakes = (known) => `: the second takes ${interval(known)} times as long`;
  const tie = (of, lanes, name) => {
    const [first, ...others] = lanes, two = lanes.length === 2;
    if (each(lanes).every(([b, a]) => letter(of, b, a) === "e")) {
      const within = `within ${of.within}`;
      if (!each(lanes).some(([b, a]) => apart(ratio(of, b, a)))) return `${two ? "as fast as each other" : "all equally fast"}, to ${within}`;
      return `${two ? "" : "all "}${within} of each other` + (two ? secondTakes(ratio(of, others[0], first)) : "");
    }
    if (each(lanes).some(([b, a]) => ["f", "s"].includes(letter(of, b, a)))) return `none is shown to be slower than ${name(first)} here, though some differ from each other`;
    const known = others.map((lane) => ratio(of, lane, first)).filter(Boolean);
    if (known.length < others.length || !known.every(settled)) return "cannot be told apart here";
    const by = `by more than ${of.beyond}`;
    if (two) return (apart(known[0]) ? `not shown to differ ${by}` : "cannot be told apart here") + secondTakes(known[0]);
    return `${known.some(apart) ? `none is shown to be slower than ${name(first)} ${by}` : "no clear winner"}: the others take ${interval(span(known))} times as long as ${name(first)}`;
  };
  const oneEach = (lanes, maker) => lanes.filter((i, n) => lanes.findIndex((k) => maker(k) === maker(i)) === n);
  const beatenWords = (of, winners, beaten, name) => {
    const told = beaten.every((i) => winners.every((j) => letter(of, i, j) === "s"));
    const ahead = told ? winners : winners.slice(0, 1);
    const known = beaten.flatMap((i) => ahead.map((j) => ratio(of, i, j))).filter(Boolean);
    if (!known.length) return "";
    const said = fasterThan(span(known), list(beaten.map(name)));
    return told || winners.length === 1 ? said : `${name(winners[0])} is ${said}`;
  };
  // `ranked`: groups of those shown, `left`: those shown with a figure that no group has. `whole`: whether nothing is hidden.
  const answer = (of, ranked, left, name, maker, whole) => {
    const aside = left.length ? `${some(left.map(name))} ${left.length === 1 ? "has" : "have"} too few passes for an interval` : "";
    if (!ranked.length) return { winners: [], first: [], rate: "", sentence: aside ? `not settled: ${aside}` : "no library with a figure is shown" };
    const makers = oneEach(ranked[0], maker), first = makers.length > 1 ? makers : ranked[0];
    const later = ranked.slice(1).map((group) => oneEach(group.filter((i) => !first.some((k) => maker(k) === maker(i))), maker)).find((group) => group.length);
    const beaten = later || (ranked.length > 1 ? ranked[1].slice(0, 1) : []);
    const parts = first.length > 1 ? [tie(of, first, name)] : [], said = beatenWords(of, first, beaten, name);
    const here = whole ? "here" : "shown here";
    if (said) parts.push(beaten.every((i) => maker(i) === maker(first[0])) && !aside ? `no other library ${here} has a figure; ${said}` : said);
    else if (first.length < 2 && !aside) parts.push(!beaten.length ? (whole ? "the only one measured here" : "the only one shown here") : "ahead of the rest, by an amount not published");
    if (aside) parts.push(`not settled: ${aside}`);
    for (const i of first) if (of.deviates && of.deviates[i]) parts.push(`${name(i)} is ${of.deviates[i]}`);
    return { winners: first.map(name), first, rate: (of.words || of.rates)[first[0]], sentence: parts.join("; ") };
  };
  return { answer, list, some };
})();
