# SPDX-License-Identifier: Apache-2.0
"""What a browser finds illegible on a page as it is drawn: expressions that give a list of findings, empty where all is well.

Contrast is that of WCAG 2.2, 1.4.3 (text 4.5:1, large text 3:1) and 1.4.11 (marks of charts 3:1), from computed colours over what is painted below.
"""

# Opens every fold, and waits for those that the page's script unpacks.
UNFOLD = """(async () => {
    const folds = () => [...document.querySelectorAll('details')];
    while (folds().some((d) => !d.open || d.children.length < 2)) {
        folds().forEach((d) => { d.open = true });
        await new Promise((done) => setTimeout(done, 20));
    }
})()"""

_TOOLS = """
const sheet = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const known = new Map();
const rgba = (text) => {
    if (!known.has(text)) {
        sheet.clearRect(0, 0, 1, 1); sheet.fillStyle = '#000'; sheet.fillStyle = text; sheet.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = sheet.getImageData(0, 0, 1, 1).data;
        known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
// A text of a chart inside of what is not drawn counts as visible in Chromium.
const hidden = (e) => e.closest('.off') !== null || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
// Every colour that may lie under an element: those of the nearest painted ancestor, hatching and all; the shadows at the edges of scrolling boxes are not read over.
const below = (e) => {
    const layers = [];
    for (; e; e = e.parentElement) {
        const style = getComputedStyle(e);
        const hatch = e.matches('.scroll, .plot, nav') ? [] : (style.backgroundImage.match(/(rgba?|color|oklab|oklch)\\([^()]*\\)/g) || []);
        layers.push([style.backgroundColor, ...hatch].map(rgba));
        if (rgba(style.backgroundColor)[3] === 1) break;
    }
    let grounds = [[255, 255, 255, 1]];
    for (const colours of layers.reverse()) grounds = grounds.flatMap((g) => { const plain = over(colours[0], g); return [plain, ...colours.slice(1).map((c) => over(c, plain))]; });
    return grounds;
};
const seen = (e, colour, extra = 1) => {
    let alpha = extra;
    for (let a = e; a; a = a.parentElement) alpha *= Number(getComputedStyle(a).opacity);
    const [r, g, b, own] = rgba(colour);
    return [r, g, b, own * alpha];
};
const place = (e) => { const home = e.closest('[id], [aria-label]'); return (home ? '#' + (home.id || home.getAttribute('aria-label')) + ' ' : '') + e.tagName.toLowerCase() + '.' + (e.getAttribute('class') || ''); };
const texts = () => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const e = node.parentElement;
        if (!node.data.trim() || e.closest('script, style, template, title') && !e.closest('svg text') || hidden(e)) continue;
        found.push([node, e]);
    }
    return found;
};
const say = (map) => [...map.values()];
"""

LOW_TEXT = f"""() => {{ {_TOOLS}
    const found = new Map();
    for (const [node, e] of texts()) {{
        const style = getComputedStyle(e), inside = e.closest('svg text');
        const colour = inside ? style.fill : style.color;
        if (inside && style.strokeWidth === '4px') continue;  // the halo behind a label
        const big = parseFloat(style.fontSize), large = big >= 24 || (big >= 18.66 && Number(style.fontWeight) >= 700);
        for (const ground of below(inside ? e.closest('svg').parentElement : e)) {{
            const ratio = contrast(over(seen(e, colour, inside ? Number(style.fillOpacity) : 1), ground), ground);
            if (ratio < (large ? 3 : 4.5)) found.set(place(e), `${{ratio.toFixed(2)}} ${{place(e)}}: ${{node.data.trim().slice(0, 40)}}`);
        }}
    }}
    return say(found);
}}"""

# Lines of the grid and edges in the colour of the page carry nothing.
LOW_MARKS = f"""() => {{ {_TOOLS}
    const found = new Map(), style = getComputedStyle(document.documentElement);
    const quiet = ['--line', '--paper', '--page'].map((name) => rgba(style.getPropertyValue(name)).join());
    for (const e of document.querySelectorAll('svg.chart :is(path, use, line, rect, circle), svg.mark use, i.phase, span.phase')) {{
        if (hidden(e) || e.closest('defs')) continue;
        const own = getComputedStyle(e), flat = e instanceof HTMLElement;
        const paints = (flat ? [[own.backgroundColor, 1]] : [[own.fill, Number(own.fillOpacity)], [own.stroke, Number(own.strokeOpacity)]])
            .filter(([paint, share]) => paint !== 'none' && share > 0 && !paint.startsWith('url') && rgba(paint)[3] > 0 && !quiet.includes(rgba(paint).join()));
        if (!paints.length) continue;
        for (const ground of below(flat ? e.parentElement : e.closest('svg').parentElement)) {{
            const best = Math.max(...paints.map(([paint, share]) => contrast(over(seen(e, paint, share), ground), ground)));
            if (best < 3) found.set(place(e) + paints.join(), `${{best.toFixed(2)}} ${{place(e)}}: ${{paints.join(' ')}}`);
        }}
    }}
    return say(found);
}}"""

_BOXES = """
const clipped = (box, e) => {
    let { left, right, top, bottom } = box;
    for (let a = e; a && a !== document.body; a = a.parentElement) {
        const style = getComputedStyle(a);
        if (style.overflowX === 'visible') continue;
        const home = a.getBoundingClientRect();
        left = Math.max(left, home.left); right = Math.min(right, home.right);
        if (style.overflowY !== 'visible') { top = Math.max(top, home.top); bottom = Math.min(bottom, home.bottom); }
    }
    return { left, right, top, bottom };
};
const boxes = () => texts().filter(([, e]) => !e.closest('svg text') || getComputedStyle(e).strokeWidth !== '4px').flatMap(([node, e]) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].map((r) => ({ ...clipped(r, e), words: node.data.trim().slice(0, 30), e })).filter((b) => b.right - b.left > 1 && b.bottom - b.top > 1);
});
"""

OVERLAPS = f"""() => {{ {_TOOLS} {_BOXES}
    const rows = new Map(), found = new Map();
    for (const one of boxes().filter((b) => !b.e.closest('nav.contents'))) {{
        for (let y = Math.floor(one.top / 40); y <= Math.floor(one.bottom / 40); y++) {{
            const near = rows.get(y) || [];
            for (const other of near) {{
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left), down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
                const high = Math.min(one.bottom - one.top, other.bottom - other.top);
                if (one.e !== other.e && across > 1 && down > 0.3 * high) found.set(place(one.e) + one.words, `${{place(one.e)}}: "${{one.words}}" on "${{other.words}}" by ${{across.toFixed(0)}} x ${{down.toFixed(0)}}`);
            }}
            rows.set(y, [...near, one]);
        }}
    }}
    return say(found);
}}"""

# Wider than its home: a box past its parent's edge, a text past its block's, a chart's text outside of its chart. What scrolls may hold wide things.
WIDE = f"""() => {{ {_TOOLS}
    const found = new Map(), edge = document.documentElement.clientWidth;
    const scroller = (e) => e.closest('.scroll, .plot, nav.contents');
    for (const e of document.querySelectorAll('body *:not(svg *, script, style, template)')) {{
        const box = e.getBoundingClientRect(), home = e.parentElement.getBoundingClientRect();
        if (box.width <= 0 || box.height <= 0 || hidden(e) || e.matches('.sheet, nav.contents')) continue;
        if (!scroller(e.parentElement) && (box.right > edge + 1 || (home.width > 0 && box.right > home.right + 1.5 && getComputedStyle(e.parentElement).display !== 'inline'))) found.set(place(e), `${{place(e)}}: ${{(box.right - home.right).toFixed(0)}} px past its home`);
        if (!e.matches('.scroll, .plot, nav.contents, .sheet') && getComputedStyle(e).display !== 'inline' && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && !e.querySelector('.scroll, .plot') && !e.matches('table, thead, tbody, tr, input, select, svg')) found.set(place(e), `${{place(e)}}: text wider than its box: ${{e.textContent.trim().slice(0, 40)}}`);
    }}
    for (const t of document.querySelectorAll('svg.chart text')) {{
        const box = t.getBoundingClientRect(), home = t.closest('svg').getBoundingClientRect();
        if (box.width > 0 && !hidden(t) && (box.left < home.left - 1 || box.right > home.right + 1)) found.set(place(t) + t.textContent, `${{place(t)}}: "${{t.textContent}}" ${{Math.max(home.left - box.left, box.right - home.right).toFixed(0)}} px outside its chart`);
    }}
    return say(found);
}}"""

# A box that scrolls takes focus, has a name, and shows that there is more, also where scroll bars are hidden.
SCROLLERS = """() => [...document.querySelectorAll('body *:not(svg *)')].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1 && e.checkVisibility())
    .filter((e) => !((e.tabIndex === 0 || e.querySelector('a')) && e.getAttribute('aria-label') && getComputedStyle(e).backgroundImage.includes('gradient')))
    .map((e) => e.outerHTML.slice(0, 90))"""

# Text that is cut, by an ellipsis or by a box that hides what runs out of it.
CUT = """() => [...document.querySelectorAll('body *:not(svg *)')].filter((e) => e.checkVisibility() && ['', '::before', '::after'].some((part) => {
        const style = getComputedStyle(e, part || null);
        return (style.textOverflow === 'ellipsis' || style.overflowX === 'hidden') && (part ? style.content !== 'none' : e.scrollWidth > e.clientWidth + 1);
    })).map((e) => e.outerHTML.slice(0, 90))"""

SMALL = """() => [...document.querySelectorAll('svg.chart')].filter((s) => s.getBoundingClientRect().width > 0 && s.getBoundingClientRect().width / s.viewBox.baseVal.width < 0.99
        || [...s.querySelectorAll('text')].some((t) => parseFloat(getComputedStyle(t).fontSize) < 11)).map((s) => s.getAttribute('aria-label'))"""

LONELY = """() => [...document.querySelectorAll('svg.chart')].filter((svg) => {
        const home = svg.closest('figure, details.case, .home');
        return !svg.getAttribute('aria-label') || svg.getAttribute('role') !== 'img' || !home || !home.querySelector('.twin table, .twin dl')
            || !home.querySelector('a[download][href^="data:"], a[data-rows][href$="-data"]');
    }).map((svg) => svg.getAttribute('aria-label'))"""

EVERYTHING = {
    "text of too little contrast": LOW_TEXT,
    "marks of too little contrast": LOW_MARKS,
    "texts that overlap": OVERLAPS,
    "wider than its container": WIDE,
    "scrolls without saying so": SCROLLERS,
    "cut text": CUT,
    "text under 11 px in a chart": SMALL,
    "charts without a table, data or a name": LONELY,
}
