"use strict";
// What words of the search mean among the names of this run, by the rules of catalogue/names.py and catalogue/filter.py. A test compares the rows that both find.
// `data.keys`: what a word without a key may be a name of, in order; `data.aliases`: what people type for a key; `data.columns`: builds; `data.ops`: operation -> [family, numbers of the columns that offer it, sizes in bytes].
const search = (data) => {
  const bare = (name) => name.toLowerCase().replace(/[-_. ]/g, "");
  const parts = (name) => name.toLowerCase().match(/[a-z]+|[0-9]+/g) || [];
  const holds = (all, wanted) => { let at = 0; for (const part of all) if (part === wanted[at]) at++; return at === wanted.length; };
  const unique = (names) => [...new Set(names)];
  const ops = Object.keys(data.ops);
  const known = {
    library: unique(data.columns.map((b) => b.split("@")[0])),
    algorithm: unique(ops.map((op) => op.split("/")[0])),
    op: ops,
    family: unique(ops.map((op) => data.ops[op][0])),
    verb: unique(ops.map((op) => op.split("/")[1])),
    build: unique(data.columns.map((b) => b.slice(b.indexOf("@") + 1))),
  };
  const meant = (key, word) => {
    if (known[key].includes(word)) return [word];
    let same = known[key].filter((name) => bare(name) === bare(word));
    if (!same.length && key === "op") same = known.op.filter((name) => bare(name.split("/")[0]) === bare(word));
    if (same.length || !["algorithm", "op"].includes(key)) return same;
    const wanted = parts(word);
    return known[key].filter((name) => wanted.length && holds(parts(name), wanted));
  };
  const number = (word) => {
    const found = /^([0-9]{1,15})(b|k|kb|kib|m|mb|mib)?$/i.exec(word);
    return found ? Number(found[1]) * { b: 1, k: 1024, m: 1024 * 1024 }[(found[2] || "b")[0].toLowerCase()] : null;
  };
  const builds = (op) => data.ops[op][1].map((n) => data.columns[n]);
  const tests = {
    library: (names) => (op) => builds(op).some((b) => names.includes(b.split("@")[0])),
    build: (names) => (op) => builds(op).some((b) => names.includes(b.slice(b.indexOf("@") + 1))),
    algorithm: (names) => (op) => names.includes(op.split("/")[0]),
    op: (names) => (op) => names.includes(op),
    family: (names) => (op) => names.includes(data.ops[op][0]),
    verb: (names) => (op) => names.includes(op.split("/")[1]),
    bytes: (sizes) => (op) => data.ops[op][2].some((n) => sizes.includes(n)),
  };
  // Of one word: a test of an operation, or null where it is the beginning of a name, or no name at all.
  const term = (word) => {
    const [, key, value] = /^([A-Za-z_-]+):(.+)$/.exec(word) || [];
    const chosen = data.aliases[key] || key;
    if (key && (known[chosen] || chosen === "bytes")) {
      const names = chosen === "bytes" ? [number(value)] : meant(chosen, value);
      return names.length ? tests[chosen](names) : () => false;
    }
    const at = /^([a-z0-9_-]+)@(.+)$/i.exec(word);
    if (at && meant("library", at[1]).length) { const full = `${meant("library", at[1])[0]}@${at[2]}`; return (op) => builds(op).includes(full); }
    const size = number(word);
    if (size !== null) return ops.some((op) => data.ops[op][2].includes(size)) ? tests.bytes([size]) : null;
    const exact = data.keys.filter((k) => known[k].includes(word));
    if (exact.length) { const any = exact.map((k) => tests[k]([word])); return (op) => any.some((test) => test(op)); }
    const loose = data.keys.find((k) => meant(k, word).length);
    return loose ? tests[loose](meant(loose, word)) : null;
  };
  const memory = new Map();
  const opsIn = (text) => {
    if (!memory.has(text)) memory.set(text, unique((text.match(/[a-z0-9.+_-]+\/[a-z0-9-]+/g) || []).filter((op) => op in data.ops)));
    return memory.get(text);
  };
  // A word that is no name is looked for in the text, without the signs between its parts; so is every word in a text that names no operation.
  return (typed) => {
    const terms = typed.split(/\s+/).filter((word) => word && word !== "-").map((word) => {
      const not = word.startsWith("-"), plain = not ? word.slice(1) : word;
      return { not, test: term(plain), text: bare(plain) };
    });
    return (text) => {
      const named = opsIn(text), flat = bare(text);
      if (!named.length) return terms.every((one) => flat.includes(one.text) !== one.not);
      return named.some((op) => terms.every((one) => (one.test ? one.test(op) : flat.includes(one.text)) !== one.not));
    };
  };
};
