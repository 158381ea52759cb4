// Axes: equal steps of 1, 2 or 5; decades; the clock of the run.
var CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 2592000];
function nice(span, n) {
  var raw = span / Math.max(1, n), p = Math.pow(10, Math.floor(Math.log10(raw))), m = raw / p;
  return p * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
function decimal(v, step) {
  var d = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  return v.toLocaleString("en-US", { minimumFractionDigits: d, maximumFractionDigits: d }).replace("-", "\u2212");
}
function clock(axis, t, step, span) {
  var text = new Date(Date.parse(axis.clock + "Z") + Math.round(1e3 * t)).toISOString();
  if (step >= 86400) return text.slice(5, 10);
  var hour = text.slice(11, step >= 60 ? 16 : step >= 1 ? 19 : 23);
  return span > 93600 ? text.slice(5, 10) + " " + hour : hour;
}
function ticks(axis, from, to, n) {
  var out = [], v;
  if (axis.ticks) return axis.ticks.filter(function (t) { return t[0] >= from && t[0] <= to; });
  if (axis.log) {
    var decades = Math.log10(to / from), parts = decades < 1.2 ? [1, 2, 3, 5] : decades < 2.5 ? [1, 2, 5] : [1];
    var every = Math.max(1, Math.ceil(decades / Math.max(2, n)));
    for (var e = Math.floor(Math.log10(from)); e <= Math.ceil(Math.log10(to)); e++)
      parts.forEach(function (m) { v = m * Math.pow(10, e); if (e % every === 0 && v >= from && v <= to) out.push([v, String(Number(v.toPrecision(3)))]); });
    return out;
  }
  var step = nice(to - from, n), shift = 0;
  if (axis.clock) {
    if (step > 0.5) step = CLOCK_STEPS.find(function (s) { return s >= (to - from) / n; }) || step;
    shift = (Date.parse(axis.clock + "Z") / 1e3) % 86400;
  }
  for (var k = Math.ceil((from + shift) / step - 1e-9); k * step - shift <= to + 1e-9 * step; k++) {
    v = k * step - shift + 0;
    out.push([v, axis.clock ? clock(axis, v, step, to - from) : decimal(v, step)]);
  }
  return out;
}
function clean(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;"); }
function ink(colour) { return { "#222222": "var(--ink)", "#0072B2": "var(--blue)" }[colour] || colour; }
// First index whose value is beyond x, in a rising array.
function beyond(xs, x) {
  var a = 0, b = xs.length;
  while (a < b) { var m = (a + b) >> 1; if (xs[m] <= x) a = m + 1; else b = m; }
  return a;
}
function seen(trace, from, to) { return [Math.max(0, beyond(trace.x, from) - 1), Math.min(trace.x.length, beyond(trace.x, to) + 1)]; }

// Smallest and largest value of a panel between two places of the x axis.
function extent(panel, traces, from, to) {
  if (panel.range) return panel.range;
  var low = Infinity, high = -Infinity;
  function take(v) { if (v === v && (!panel.log || v > 0)) { if (v < low) low = v; if (v > high) high = v; } }
  traces.forEach(function (t) {
    if (t.y0) { t.y0.forEach(take); t.y1.forEach(take); return; }
    if (t.p05) { ["p05", "p95", "extreme"].forEach(function (k) { t[k].forEach(take); }); return; }
    var part = seen(t, from, to);
    for (var i = part[0]; i < part[1]; i++) (t.low ? [t.low[i], t.high[i]] : [t.y[i]]).forEach(take);
  });
  (panel.limits || []).forEach(function (l) { take(l.y); });
  if (low > high) return panel.log ? [1, 10] : [0, 1];
  if (panel.log) return [low / 1.4, high * (panel.head || 1.6)];
  if (panel.zero && low > 0 && high - low > 0.2 * high) low = 0;  // a flat course is drawn around itself
  var pad = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [panel.zero && low === 0 ? 0 : low - pad, high + pad];
}

// Path of a line: at most five points for each half pixel, so that no spike is lost or held longer than it lasts; a gap begins anew.
function path(t, values, X, Y, from, to) {
  var part = seen(t, from, to), out = "", on = false;
  function point(i) {
    var v = values[i], y = Y(v);
    if (v !== v || !isFinite(y)) { if (on && t.step) out += "H" + X(t.x[i]).toFixed(1); on = false; return; }
    var x = X(t.x[i]).toFixed(1); y = y.toFixed(1);
    out += (on ? (t.step ? "H" + x + "V" + y : "L" + x + " " + y) : "M" + x + " " + y);
    on = true;
  }
  function column(i) { return Math.floor(2 * X(t.x[i])); }
  for (var i = part[0], end; i < part[1]; i = end + 1) {
    end = i;
    var low = i, high = i, gap = i;
    for (var at = column(i); end + 1 < part[1] && column(end + 1) === at; end++) {
      var v = values[end + 1];
      if (v !== v) gap = end + 1;
      if (v < values[low] || values[low] !== values[low]) low = end + 1;
      if (v > values[high] || values[high] !== values[high]) high = end + 1;
    }
    [i, low, high, gap, end].sort(function (a, b) { return a - b; }).filter(function (k, at, all) { return k !== all[at - 1]; }).forEach(point);
  }
  return out;
}
// A band between low and high; a gap begins anew, and a step lasts until the gap.
function band(t, X, Y, from, to) {
  var part = seen(t, from, to), out = "", run = [];
  function flush() {
    if (run.length) {
      var up = "", down = "";
      run.forEach(function (p, k) {
        var x = X(p.x).toFixed(1), next = X((t.step && run[k + 1] || p).x).toFixed(1), h = Y(p.high).toFixed(1), l = Y(p.low).toFixed(1);
        up += (k ? "L" : "M") + x + " " + h + (t.step ? "H" + next : "");
        down = (t.step ? "L" + next + " " + l : "") + "L" + x + " " + l + down;
      });
      out += up + down + "Z";
    }
    run = [];
  }
  for (var i = part[0]; i < part[1]; i++) {
    if (t.low[i] === t.low[i] && t.high[i] === t.high[i]) run.push({ x: t.x[i], low: t.low[i], high: t.high[i] });
    else {
      if (t.step && run.length) run.push({ x: t.x[i], low: t.low[i - 1], high: t.high[i - 1] });
      flush();
    }
  }
  flush();
  return out;
}

// One trace of a panel as SVG.
function shape(t, X, Y, from, to, box) {
  var colour = ink(t.colour || "#0072B2"), out = "", i;
  if (t.low) return '<path d="' + band(t, X, Y, from, to) + '" fill="' + colour + '" stroke="none" fill-opacity="' + (t.opacity || 0.3) + '"/>';
  if (t.y0) {
    for (i = 0; i < t.y0.length; i++) {
      var a = X(t.x0[i]), b = X(t.x1[i]), y1 = Y(t.y1[i]), y0 = Y(t.y0[i]);
      out += '<rect x="' + Math.min(a, b).toFixed(1) + '" y="' + Math.min(y0, y1).toFixed(1) + '" width="' + Math.max(0.5, Math.abs(b - a)).toFixed(1) +
        '" height="' + Math.abs(y0 - y1).toFixed(1) + '" fill="' + colour + '"/>';
      if (t.words) out += '<text x="' + (Math.max(a, b) + 6).toFixed(1) + '" y="' + ((y0 + y1) / 2 + 4).toFixed(1) + '">' + clean(t.words[i]) + "</text>";
    }
    return out;
  }
  if (t.p05) {
    var half = 0.3 * Math.abs(X(t.x[Math.min(1, t.x.length - 1)]) - X(t.x[0])) || 14;
    for (i = 0; i < t.x.length; i++) {
      var x = X(t.x[i]);
      out += '<path stroke="var(--ink)" fill="none" d="M' + x + " " + Y(t.p05[i]) + "V" + Y(t.q25[i]) + "M" + x + " " + Y(t.q75[i]) + "V" + Y(t.p95[i]) + '"/>' +
        '<rect x="' + (x - half) + '" y="' + Y(t.q75[i]) + '" width="' + 2 * half + '" height="' + Math.max(0.5, Y(t.q25[i]) - Y(t.q75[i])) + '" fill="' + colour + '" fill-opacity="0.35" stroke="var(--ink)" stroke-width="0.8"/>' +
        '<path stroke="var(--ink)" stroke-width="1.6" d="M' + (x - half) + " " + Y(t.q50[i]) + "H" + (x + half) + '"/>' +
        '<path fill="#D55E00" d="M' + x + " " + (Y(t.extreme[i]) - 4) + 'l4 4l-4 4l-4 -4Z"/>';
    }
    return out;
  }
  if (!t.marksOnly) out += '<path d="' + path(t, t.y, X, Y, from, to) + '" fill="none" stroke="' + colour + '" stroke-width="' + (t.width || 1.6) + '"' + (t.dash ? ' stroke-dasharray="' + t.dash + '"' : "") + "/>";
  if (t.marks || t.marksOnly) for (i = 0; i < t.x.length; i++) if (t.y[i] === t.y[i]) {
    var px = X(t.x[i]), py = Y(t.y[i]);
    out += { up: '<path d="M' + (px - 6) + " " + (py + 5) + "L" + px + " " + (py - 6) + "L" + (px + 6) + " " + (py + 5) + 'Z" fill="' + colour + '"/>',
             down: '<path d="M' + (px - 6) + " " + (py - 5) + "L" + px + " " + (py + 6) + "L" + (px + 6) + " " + (py - 5) + 'Z" fill="' + colour + '"/>',
             ring: '<circle cx="' + px + '" cy="' + py + '" r="6" fill="none" stroke="' + colour + '" stroke-width="2.5"/>',
             line: '<path d="M' + px + " " + box.top + "V" + (box.top + box.height) + '" stroke="var(--ink)" stroke-width="1.4"/>' }[t.marks || t.marksOnly];
  }
  return out;
}

// The legend in rows above the panels. @returns [svg, height]
function legend(traces, left, width, size) {
  var x = left, y = size + 1, out = "", said = {};
  traces.forEach(function (t) {
    if (!t.name || t.legend === false || said[t.name]) return;
    said[t.name] = true;
    var wide = 30 + 0.56 * size * t.name.length;
    if (x > left && x + wide > left + width) { x = left; y += size + 6; }
    out += '<rect x="' + x + '" y="' + (y - size / 2 - (t.low || t.y0 ? 3 : 0)) + '" width="16" height="' + (t.low || t.y0 ? 9 : 3) + '" fill="' + ink(t.colour || "#0072B2") + '" fill-opacity="' + (t.low ? t.opacity || 0.3 : 1) + '"/>' +
      '<text x="' + (x + 21) + '" y="' + y + '">' + clean(t.name) + "</text>";
    x += wide + 8;
  });
  return [out, out ? y + 8 : 10];
}

// A chart as SVG between two places of its x axis; `frame` keeps the geometry for the pointer.
function picture(spec, data, from, to, W, frame) {
  var narrow = W < 560, size = narrow ? 10 : 12, gap = 14, n = spec.panels.length, widest = 0;
  spec.panels.forEach(function (panel, k) {
    if (panel.bare) return;
    var r = extent(panel, data.filter(function (t) { return (t.panel || 0) === k; }), from, to);
    ticks(panel, r[0], r[1], Math.max(2, Math.floor(spec.height / n / 38))).forEach(function (t) { widest = Math.max(widest, t[1].length); });
  });
  var left = spec.left || Math.max(narrow ? 50 : 68, Math.round(0.62 * size * widest) + 2 * size + 4), right = narrow ? 8 : 18, width = W - left - right;
  var top = legend(data, left, width, size), bottom = (spec.x.title ? 40 : 22), H = spec.height + top[1], body = top[0];
  var each = (H - top[1] - bottom - gap * (n - 1)) / n, log = spec.x.log;
  function X(v) { return left + width * (log ? Math.log(v / from) / Math.log(to / from) : (v - from) / (to - from)); }
  frame.X = X; frame.left = left; frame.width = width; frame.top = top[1]; frame.bottom = H - bottom; frame.panels = [];
  var xs = ticks(spec.x, from, to, Math.max(2, Math.floor(width / (spec.x.clock ? (to - from < 30 ? 130 : 92) : log ? 56 : 80))));
  spec.panels.forEach(function (panel, k) {
    var mine = data.filter(function (t) { return (t.panel || 0) === k; }), y0 = top[1] + k * (each + gap), r = extent(panel, mine, from, to);
    function Y(v) { return y0 + each * (1 - (panel.log ? Math.log(Math.max(v, 1e-300) / r[0]) / Math.log(r[1] / r[0]) : (v - r[0]) / (r[1] - r[0])) * 1); }
    var YY = panel.down ? function (v) { return 2 * y0 + each - Y(v); } : Y, box = { top: y0, height: each };
    frame.panels.push({ Y: YY, top: y0, height: each, traces: mine, span: r[1] - r[0], log: panel.log });
    var clip = "clip" + Math.random().toString(36).slice(2);
    body += '<clipPath id="' + clip + '"><rect x="' + left + '" y="' + (y0 - 1) + '" width="' + width + '" height="' + (each + 2) + '"/></clipPath>';
    (panel.shades || []).forEach(function (s, j) {
      var a = Math.max(left, X(Math.max(s.from, from))), b = Math.min(left + width, X(Math.min(s.to, to)));
      if (b > a) body += '<rect x="' + a + '" y="' + y0 + '" width="' + (b - a) + '" height="' + each + '" fill="var(--ink)" fill-opacity="' + (j % 2 ? 0.1 : 0.045) + '"/>';
      s.word.split(": ").forEach(function (line, row) { if (b - a > 5.6 * line.length) body += '<text x="' + (a + b) / 2 + '" y="' + (y0 + (row + 1) * (size + 2)) + '" text-anchor="middle" class="soft">' + clean(line) + "</text>"; });
    });
    xs.forEach(function (t) { body += '<path d="M' + X(t[0]).toFixed(1) + " " + y0 + "V" + (y0 + each) + '" stroke="var(--grid)"/>'; });
    if (!panel.bare) ticks(panel, r[0], r[1], Math.max(2, Math.floor(each / 38))).forEach(function (t) {
      var y = YY(t[0]).toFixed(1);
      body += '<path d="M' + left + " " + y + "h" + width + '" stroke="var(--grid)"/><text x="' + (left - 6) + '" y="' + (Number(y) + 4) + '" text-anchor="end">' + clean(t[1]) + "</text>";
    });
    body += '<path d="M' + left + " " + y0 + "V" + (y0 + each) + "H" + (left + width) + '" fill="none" stroke="var(--soft)"/>';
    if (panel.title) body += '<text transform="translate(' + size + " " + (y0 + each / 2) + ') rotate(-90)" text-anchor="middle">' + clean(panel.title) + "</text>";
    body += '<g clip-path="url(#' + clip + ')">';
    (panel.verticals || []).forEach(function (v) { if (v.x >= from && v.x <= to) body += '<path d="M' + X(v.x).toFixed(1) + " " + (y0 + (panel.shades && panel.shades.length ? 2 * size + 10 : 0)) + "V" + (y0 + each) + '" stroke="var(--soft)" stroke-dasharray="1 3"/>'; });
    mine.forEach(function (t) { body += shape(t, X, YY, from, to, box); });
    var said = [];
    (panel.limits || []).forEach(function (l) {
      var a = Math.max(left, X(Math.max(l.from, from))), b = Math.min(left + width, X(Math.min(l.to, to))), y = YY(l.y), right = (a + b) / 2 > left + width / 2;
      var wide = 0.56 * size * l.word.length, begin = right ? b - wide : a;
      // Above its line, below it, or further up: where no other words are.
      var at = [y - 5, y + size + 2, y - 7 - size, y + 2 * size + 4].find(function (v) {
        return said.every(function (s) { return Math.abs(s[2] - v) > size || begin > s[1] || begin + wide < s[0]; });
      });
      if (at === undefined) at = y - 5;
      said.push([begin, begin + wide, at]);
      body += '<path d="M' + a + " " + y + "H" + b + '" stroke="#D55E00" stroke-width="1.8" stroke-dasharray="7 3"/><text x="' + (right ? b : a) + '" y="' + at + '" text-anchor="' + (right ? "end" : "start") + '" fill="#D55E00">' + clean(l.word) + "</text>";
    });
    body += "</g>";
  });
  xs.forEach(function (t) {
    var half = 0.31 * size * t[1].length, x = Math.max(half, Math.min(W - half, X(t[0])));
    body += '<text x="' + x.toFixed(1) + '" y="' + (H - bottom + size + 4) + '" text-anchor="middle">' + clean(t[1]) + "</text>";
  });
  if (spec.x.title) body += '<text x="' + (left + width / 2) + '" y="' + (H - 4) + '" text-anchor="middle">' + clean(spec.x.title) + "</text>";
  return '<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="' + W + '" height="' + H + '" viewBox="0 0 ' + W + " " + H + '" font-size="' + size + '" tabindex="0" role="img">' + body + "</svg>";
}
