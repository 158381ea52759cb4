// What `Block` in page_data.py wrote: planes of differences of shares.
function unpack(spec, bytes) {
  var out = new Float64Array(spec.n), i, p, share = 0, wrap = Math.pow(256, spec.planes), top = wrap - 1;
  if (spec.at === undefined) { for (i = 0; i < spec.n; i++) out[i] = spec.from + spec.step * i; return out; }
  for (i = 0; i < spec.n; i++) {
    var moved = 0;
    for (p = spec.planes - 1; p >= 0; p--) moved = 256 * moved + bytes[spec.at + p * spec.n + i];
    share = (share + moved) % wrap;
    out[i] = share === top ? NaN : spec.low + spec.range * share / (top - 1);
  }
  return out;
}
function filled(item, bytes) {
  if (Array.isArray(item)) return item.map(function (x) { return filled(x, bytes); });
  if (item && typeof item === "object") {
    if (item.n !== undefined && (item.at !== undefined || item.from !== undefined && item.step !== undefined)) return unpack(item, bytes);
    Object.keys(item).forEach(function (key) { item[key] = filled(item[key], bytes); });
  }
  return item;
}
function inflated(packed) {
  var text = atob(packed), raw = new Uint8Array(text.length);
  for (var i = 0; i < raw.length; i++) raw[i] = text.charCodeAt(i);
  return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

// The finest level that covers the span with at most `most` buckets of its own; where none does, the coarsest one.
function choose(levels, from, to) {
  var most = 1000000, best = null, slack = 0.02 * (to - from);
  levels.forEach(function (level) {
    var covers = level.begin_s <= from + slack && level.begin_s + level.n * level.step_s >= to - slack;
    if (covers && (to - from) / level.step_s <= most && (!best || level.step_s < best.step_s)) best = level;
  });
  return best || levels.reduce(function (a, b) { return b.n * b.step_s > a.n * a.step_s ? b : a; });
}
// Smallest, mean and largest of at most 1,600 groups of buckets inside the span: no spike is lost.
function thin(level, from, to) {
  var a = Math.max(0, Math.floor((from - level.begin_s) / level.step_s)), b = Math.min(level.n, Math.ceil((to - level.begin_s) / level.step_s) + 1);
  var group = Math.max(1, Math.ceil((b - a) / 1600)), out = { x: [], low: [], mean: [], high: [] };
  for (var i = a; i < b; i += group) {
    var low = Infinity, high = -Infinity, sum = 0, n = Math.min(group, b - i);
    for (var k = i; k < i + n; k++) {
      low = Math.min(low, (level.low || level.mean)[k]); high = Math.max(high, (level.high || level.mean)[k]); sum += level.mean[k];
    }
    out.x.push(level.begin_s + i * level.step_s); out.low.push(low); out.high.push(high); out.mean.push(sum / n);
  }
  out.raw = group === 1 && !level.low;
  return out;
}
function levelled(id, from, to) {
  var level = choose(charts[id].zoom, from, to), x = thin(level, from, to);
  document.getElementById(id + "-level").textContent = "now drawn: " + level.word;
  document.getElementById(id).setAttribute("data-step", level.step_s);
  var line = { x: x.x, y: x.mean, name: x.raw ? "power" : "mean", colour: "#222222", width: 1, step: true };
  return x.raw ? [line] : [{ x: x.x, low: x.low, high: x.high, name: "smallest to largest", colour: "#0072B2", opacity: 0.35, step: true }, line];
}

// Ends of the x axis that hold everything.
function whole(spec) {
  if (spec.x.range) return spec.x.range;
  var from = Infinity, to = -Infinity;
  function take(v) { if (v === v && (!spec.x.log || v > 0)) { from = Math.min(from, v); to = Math.max(to, v); } }
  (spec.zoom || []).forEach(function (l) { take(l.begin_s); take(l.begin_s + l.n * l.step_s); });
  (spec.data || []).forEach(function (t) { (t.x0 ? [t.x0, t.x1] : [t.x]).forEach(function (xs) { xs.forEach(take); }); });
  return from < to ? [from, to] : [from - 1, to + 1];
}
function draw(id) {
  var s = states[id], spec = charts[id];
  if (spec.zoom) spec.data = levelled(id, s.from, s.to);
  s.W = Math.max(260, s.place.clientWidth);
  s.holder.innerHTML = picture(spec, spec.data, s.from, s.to, s.W, s.frame);
  s.reset.hidden = s.from === s.whole[0] && s.to === s.whole[1];
}
// Called with a chart's id after each zoom, where the page sets it.
var zoomed = null;
function go(id, from, to) {
  ids.forEach(function (other) {
    if (other !== id && !(charts[id].linked && charts[other].linked === charts[id].linked)) return;
    var s = states[other];
    s.from = Math.max(s.whole[0], from); s.to = Math.min(s.whole[1], to);
    if (!(s.to > s.from)) { s.from = s.whole[0]; s.to = s.whole[1]; }
    draw(other);
  });
  if (zoomed) zoomed(id);
}
window.tidewattZoom = go;

function value(v, span, log) {
  if (v !== v) return "\u2013";
  var d = log || !(span > 0) ? 0 : Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span))));
  return (log ? String(Number(v.toPrecision(4))) : v.toLocaleString("en-US", { minimumFractionDigits: d, maximumFractionDigits: d })).replace("-", "\u2212");
}
// What a trace says at a place of the x axis; nothing where it has nothing there.
function said(t, x, panel, s) {
  var i;
  if (t.y0) {
    if (!t.hover) return "";
    for (i = 0; i < t.x0.length; i++) if (x >= t.x0[i] && x < t.x1[i]) return t.hover[i] || t.name;
    return "";
  }
  i = Math.max(0, beyond(t.x, x) - 1);
  if (!t.step && i + 1 < t.x.length && Math.abs(t.x[i + 1] - x) < Math.abs(t.x[i] - x)) i++;
  if (t.texts) return Math.abs(s.frame.X(t.x[i]) - s.frame.X(x)) < 8 ? t.texts[i] : "";
  if (t.p05) return t.extremeWord + " " + value(t.extreme[i], panel.span) + "; 5th percentile " + value(t.p05[i], panel.span) + ", median " + value(t.q50[i], panel.span) + ", 95th " + value(t.p95[i], panel.span);
  if (t.low) return t.name + ": " + value(t.low[i], panel.span) + " to " + value(t.high[i], panel.span);
  return t.name ? t.name + ": " + value(t.y[i], panel.span, panel.log) : "";
}
function where(spec, x, s) {
  var axis = spec.x;
  if (axis.ticks) { var t = axis.ticks.reduce(function (a, b) { return Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a; }); return (axis.word || "") + t[1]; }
  if (axis.clock) return clock(axis, x, Math.min(1, (s.to - s.from) / 1000), 1e9);
  return axis.log ? Number(x.toPrecision(4)) + " " + (axis.unit || "") : value(x, s.to - s.from) + " " + (axis.unit || "");
}
function point(id, event) {
  var s = states[id], f = s.frame, box = s.holder.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top, share = (px - f.left) / f.width;
  var x = charts[id].x.log ? s.from * Math.pow(s.to / s.from, share) : s.from + share * (s.to - s.from);
  return { px: Math.max(f.left, Math.min(f.left + f.width, px)), py: py, x: x, inside: share >= 0 && share <= 1 && py > f.top - 6 && py < f.bottom + 6 };
}
function tell(id, p) {
  var s = states[id], spec = charts[id], lines = [];
  s.cursor.hidden = s.tip.hidden = !p.inside;
  if (!p.inside) return;
  s.frame.panels.forEach(function (panel) { panel.traces.forEach(function (t) { var word = said(t, p.x, panel, s); if (word) lines.push(word); }); });
  if (!lines.length) { s.tip.hidden = true; return; }
  s.tip.textContent = "";
  [where(spec, p.x, s)].concat(lines.slice(0, 12)).forEach(function (line, k) { var row = document.createElement(k ? "div" : "b"); row.textContent = line; s.tip.appendChild(row); });
  s.cursor.style.left = p.px + "px"; s.cursor.style.top = s.frame.top + "px"; s.cursor.style.height = s.frame.bottom - s.frame.top + "px";
  var right = p.px > s.W / 2;
  s.tip.style.left = right ? "" : p.px + 12 + "px"; s.tip.style.right = right ? s.W - p.px + 12 + "px" : ""; s.tip.style.top = s.frame.top + 6 + "px";
}
function reach(id) {
  var s = states[id], begin = null;
  s.holder.addEventListener("pointerdown", function (event) { var p = point(id, event); if (p.inside) { begin = p; try { s.holder.setPointerCapture(event.pointerId); } catch (e) { /* a pointer of a test */ } } });
  s.holder.addEventListener("pointermove", function (event) {
    var p = point(id, event);
    tell(id, p);
    if (!begin) return;
    s.chosen.hidden = false;
    s.chosen.style.left = Math.min(begin.px, p.px) + "px"; s.chosen.style.width = Math.abs(p.px - begin.px) + "px";
    s.chosen.style.top = s.frame.top + "px"; s.chosen.style.height = s.frame.bottom - s.frame.top + "px";
  });
  s.holder.addEventListener("pointerup", function (event) {
    var p = point(id, event), from = begin;
    begin = null; s.chosen.hidden = true;
    if (from && Math.abs(p.px - from.px) > 6 && !charts[id].x.ticks) go(id, Math.min(from.x, p.x), Math.max(from.x, p.x)); else tell(id, p);
  });
  s.holder.addEventListener("pointercancel", function () { begin = null; s.chosen.hidden = true; });
  s.holder.addEventListener("pointerleave", function () { if (!begin) s.tip.hidden = s.cursor.hidden = true; });
  s.holder.addEventListener("dblclick", function () { go(id, s.whole[0], s.whole[1]); });
  s.holder.addEventListener("keydown", function (event) {
    var span = s.to - s.from, step = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], "+": [0.25, -0.25], "-": [-0.5, 0.5] }[event.key];
    if (event.key === "0") go(id, s.whole[0], s.whole[1]);
    else if (step && !charts[id].x.ticks && !charts[id].x.log) {
      if (event.key.length > 1 && (s.from + step[0] * span < s.whole[0] || s.to + step[1] * span > s.whole[1])) return;
      go(id, s.from + step[0] * span, s.to + step[1] * span);
    } else return;
    event.preventDefault();
    var again = s.holder.querySelector("svg"); if (again) again.focus();
  });
}

function save(name, type, content) {
  var link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: type }));
  link.download = name;
  link.click();
  setTimeout(function () { URL.revokeObjectURL(link.href); }, 4000);
}
function table(spec) {
  var rows = ["series,panel,x,y,low,high"];
  function quoted(text) { return '"' + String(text === undefined ? "" : text).replace(/"/g, '""') + '"'; }
  spec.data.forEach(function (t) {
    var head = quoted(t.name) + "," + quoted((spec.panels[t.panel || 0] || {}).title) + ",", i;
    if (t.y0) for (i = 0; i < t.y0.length; i++) rows.push(head + [t.x0[i], "", t.y0[i], t.y1[i]].join(","));
    else for (i = 0; i < t.x.length; i++) rows.push(head + (t.low ? [t.x[i], "", t.low[i], t.high[i]] : t.p05 ? [t.x[i], t.q50[i], t.p05[i], t.p95[i]] : [t.x[i], t.y[i], "", ""]).join(","));
  });
  return rows.join("\n") + "\n";
}
// The drawing as a file of its own: colours written out, on white.
function standing(id) {
  var style = { "--ink": "#222222", "--blue": "#0072B2", "--soft": "#6b7280", "--grid": "#e3e6ea" };
  return states[id].holder.innerHTML.replace(/var\((--\w+)\)/g, function (_, name) { return style[name] || "#222222"; })
    .replace(/>/, '><style>text{font-family:"DejaVu Sans",sans-serif;fill:#374151}</style><rect width="100%" height="100%" fill="#ffffff"/>');
}
function tools(id) {
  var s = states[id], bar = document.createElement("div");
  bar.className = "tools";
  function button(word, act) { var b = document.createElement("button"); b.type = "button"; b.textContent = word; b.addEventListener("click", act); bar.appendChild(b); return b; }
  s.reset = button("whole span", function () { go(id, s.whole[0], s.whole[1]); });
  button("data (CSV)", function () { save(id + ".csv", "text/csv", table(charts[id])); });
  button("SVG", function () { save(id + ".svg", "image/svg+xml", standing(id)); });
  button("PNG", function () {
    var image = new Image(), canvas = document.createElement("canvas");
    image.onload = function () { canvas.width = 2 * image.width; canvas.height = 2 * image.height; canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height); canvas.toBlob(function (blob) { save(id + ".png", "image/png", blob); }); };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standing(id));
  });
  return bar;
}
function set(id) {
  var place = document.getElementById(id), span = whole(charts[id]);
  function part(name) { var e = document.createElement("div"); e.className = name; place.appendChild(e); return e; }
  var s = states[id] = { place: place, frame: {}, whole: span, from: span[0], to: span[1], holder: part("holder"), cursor: part("cursor"), chosen: part("chosen"), tip: part("tip") };
  s.cursor.hidden = s.chosen.hidden = s.tip.hidden = true;
  place.appendChild(tools(id));
  draw(id);
  reach(id);
}
