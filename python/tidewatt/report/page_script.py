"""Script of the page. It stands inside it: the page loads nothing."""

SCRIPT = r"""
window.addEventListener("error", function (event) { document.body.setAttribute("data-error", event.message); });
(function () {
  var charts = JSON.parse(document.getElementById("charts").textContent);
  var narrow = window.innerWidth < 640;
  function draw(id) {
    var chart = charts[id], layout = chart.layout;
    layout.font = { family: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', size: narrow ? 10 : 12, color: "#374151" };
    layout.paper_bgcolor = layout.plot_bgcolor = "#ffffff";
    layout.hovermode = layout.hovermode || "closest";
    layout.margin = Object.assign({ l: narrow ? 44 : 66, r: narrow ? 6 : 16, t: 30, b: 44 }, layout.margin || {});
    layout.legend = { orientation: "h", x: 0, y: 1.01, yanchor: "bottom", traceorder: "normal", font: { size: narrow ? 9 : 12 } };
    Object.keys(layout).forEach(function (key) {
      if (/^[xy]axis/.test(key)) {
        if (typeof layout[key].title === "string") layout[key].title = { text: layout[key].title };  // Plotly 3 wants it so
        layout[key] = Object.assign({ gridcolor: "#e5e7eb", zerolinecolor: "#e5e7eb", linecolor: "#6b7280", exponentformat: "none", separatethousands: true }, layout[key]);
      }
    });
    if (narrow) { layout.dragmode = false; layout.height = Math.round(layout.height * 0.9); }
    Plotly.newPlot(id, chart.data, layout, { responsive: true, displaylogo: false, displayModeBar: narrow ? false : undefined });
  }
  function unpack(packed, which) {
    if (packed.length < 3 + which) return null;
    var raw = atob(packed[2 + which]), out = new Float32Array(raw.length / 2);
    for (var i = 0; i < out.length; i++) out[i] = packed[0] + packed[1] * (raw.charCodeAt(2 * i) + 256 * raw.charCodeAt(2 * i + 1)) / 65535;
    return out;
  }
  // The finest level that covers the span with at most `most` buckets of its own; where none does, the coarsest one.
  function choose(levels, from, to) {
    var most = 1000000, best = null, slack = 0.02 * (to - from);
    levels.forEach(function (level) {
      var covers = level.begin_s <= from + slack && level.begin_s + level.n * level.step_s >= to - slack;
      if (covers && (to - from) / level.step_s <= most && (!best || level.step_s < best.step_s)) best = level;
    });
    if (best) return best;
    return levels.reduce(function (a, b) { return b.n * b.step_s > a.n * a.step_s ? b : a; });
  }
  // Smallest, mean and largest of at most 1,500 groups of buckets inside the span: no spike is lost.
  function thin(level, from, to) {
    var a = Math.max(0, Math.floor((from - level.begin_s) / level.step_s)), b = Math.min(level.n, Math.ceil((to - level.begin_s) / level.step_s) + 1);
    var group = Math.max(1, Math.ceil((b - a) / 1500)), out = { t: [], low: [], mean: [], high: [] };
    for (var i = a; i < b; i += group) {
      var low = Infinity, high = -Infinity, sum = 0, n = Math.min(group, b - i);
      for (var k = i; k < i + n; k++) {
        low = Math.min(low, (level.low || level.mean)[k]); high = Math.max(high, (level.high || level.mean)[k]); sum += level.mean[k];
      }
      out.t.push(level.begin_s + i * level.step_s); out.low.push(low); out.high.push(high); out.mean.push(sum / n);
    }
    out.raw = group === 1 && !level.low;
    return out;
  }
  function zoomable(id) {
    var spec = charts[id], start = Date.parse(spec.start + "Z");
    spec.zoom.forEach(function (l) { l.mean = unpack(l.packed, 0); l.low = unpack(l.packed, 1); l.high = unpack(l.packed, 2); });
    var first = Math.min.apply(null, spec.zoom.map(function (l) { return l.begin_s; }));
    var last = Math.max.apply(null, spec.zoom.map(function (l) { return l.begin_s + l.n * l.step_s; }));
    function date(t) { return new Date(start + 1000 * t).toISOString().replace("Z", ""); }
    function seconds(text) { return (Date.parse(String(text).replace(" ", "T").replace(/(\.\d{3})\d*/, "$1") + "Z") - start) / 1000; }
    function traces(from, to) {
      var level = choose(spec.zoom, from, to), x = thin(level, from, to), t = x.t.map(date);
      document.getElementById(id + "-level").textContent = "now drawn: " + level.word;
      document.getElementById(id).setAttribute("data-step", level.step_s);
      var edge = { type: "scatter", mode: "lines", x: t, line: { width: 0, shape: "hv" }, hoverinfo: "skip", showlegend: false };
      return [Object.assign({}, edge, { y: x.low }),
              Object.assign({}, edge, { y: x.high, fill: "tonexty", fillcolor: "rgba(0,114,178,0.35)", name: "smallest to largest", showlegend: !x.raw }),
              { type: "scatter", mode: "lines", x: t, y: x.mean, name: x.raw ? "power" : "mean", line: { width: 1, shape: "hv", color: "#222222" } }];
    }
    spec.data = traces(first, last);
    spec.layout.xaxis.range = [date(first), date(last)];
    draw(id);
    var busy = false, place = document.getElementById(id);
    function go(from, to) {
      busy = true;
      spec.layout.xaxis = Object.assign({}, spec.layout.xaxis, { range: [date(from), date(to)], autorange: false });
      return Plotly.react(id, traces(from, to), spec.layout).then(function () { busy = false; });
    }
    place.on("plotly_relayout", function (change) {
      if (busy) return;
      var range = change["xaxis.range"] || [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (range[0] !== undefined) go(seconds(range[0]), seconds(range[1]));
      else if (change["xaxis.autorange"]) go(first, last);
    });
    document.querySelectorAll("[data-zoom]").forEach(function (button) {
      button.addEventListener("click", function () {
        var span = spec.spans[Number(button.getAttribute("data-zoom"))];
        go(span.from_s === null ? first : span.from_s, span.to_s === null ? last : span.to_s);
      });
    });
  }
  function costs() {
    var form = document.getElementById("cost");
    if (!form) return;
    function count() {
      var MWh = Number(form.dataset.site), tokens = Number(form.dataset.tokens), usd = MWh * form.price.value, kg = MWh * form.carbon.value;
      var text = Math.round(usd).toLocaleString("en") + " USD, " + (kg / 1000).toLocaleString("en", { maximumFractionDigits: 1 }) + " t of CO2";
      if (tokens > 0) text += "; " + Math.round(usd / tokens).toLocaleString("en") + " USD per trillion tokens";
      form.querySelector("output").textContent = text;
    }
    form.addEventListener("input", count);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    count();
  }
  function link(id, others) {
    document.getElementById(id).on("plotly_relayout", function (change) {
      var range = change["xaxis.range"] || [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      var told = range[0] !== undefined ? { "xaxis.range": range } : change["xaxis.autorange"] ? { "xaxis.autorange": true } : null;
      if (!told || change.tidewatt) return;
      others.forEach(function (other) { Plotly.relayout(other, Object.assign({ tidewatt: true }, told)); });
    });
  }
  Object.keys(charts).forEach(function (id) { if (charts[id].zoom) { zoomable(id); } else { draw(id); } });
  costs();
  document.body.setAttribute("data-drawn", Object.keys(charts).length);
  var linked = Object.keys(charts).filter(function (id) { return charts[id].linked; });
  linked.forEach(function (id) {
    link(id, linked.filter(function (other) { return other !== id && charts[other].linked === charts[id].linked; }));
  });
})();
"""
