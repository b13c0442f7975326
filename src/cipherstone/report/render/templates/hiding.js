"use strict";
// What is hidden: libraries and builds, as the address names them (hide=botan,openssl@4.0).
const hiding = (text, columns) => {
  const names = new Set((text || "").split(",").filter(Boolean));
  // Of a build, or a lane of it (BUILD:IMPLEMENTATION): a build is hidden with its library.
  const build = (id) => names.has(id.split(":")[0]) || names.has(id.split("@")[0]);
  const own = (library) => columns.filter((id) => id.split("@")[0] === library);
  // Of a library: hidden itself, or with each of its builds.
  const has = (library) => names.has(library) || (own(library).length > 0 && own(library).every(build));
  // Of an element of the page: by its build or lane, else by its library.
  const element = (e) => {
    const { lib, key } = e.dataset, id = e.dataset.build || e.dataset.lane || (key && key.startsWith(`${lib}@`) ? key : "");
    return id ? build(id) : has(lib);
  };
  // The names that leave the builds `chosen` alone.
  const but = (chosen) => {
    const whole = [...new Set(columns.map((id) => id.split("@")[0]))].filter((library) => !own(library).some((id) => chosen.includes(id)));
    return [...whole, ...columns.filter((id) => !whole.includes(id.split("@")[0]) && !chosen.includes(id))].join(",");
  };
  // The names when a reader has ticked the libraries `shown` among `every`: builds that were hidden stay so.
  const ticked = (every, shown) => [...every.filter((library) => !shown.includes(library)), ...[...names].filter((id) => id.includes("@") && shown.includes(id.split("@")[0]) && !has(id.split("@")[0]))].join(",");
  return { size: names.size, build, has, element, but, ticked };
};
