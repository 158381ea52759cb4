var FIGURES = [];  // key, words, unit and scale of each, from the base case's description
var TILES = 10, SETTLE_ms = 60;
// turn: of the newest setting; an answer of an older one is not shown. now: the answers to it.
var turn = 0, now = {}, basis = null, basis_rules = null, flight = null, timer = null, moved_ms = 0;

function ask(path, body, signal) {
  return fetched(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: signal }).then(function (answer) {
    return answer.json().then(function (said) {
      if (answer.ok) return said;
      var wrong = new Error(said.error); wrong.said = said; wrong.status = answer.status;
      throw wrong;
    });
  });
}
function lost(wrong) {
  if (wrong.name === "AbortError") return;
  var said = wrong.said, box = $("trouble");
  if (said && wrong.status === 409) return;
  box.hidden = false; box.textContent = "";
  if (said && said.findings && said.findings.length) {
    made("b", said.findings.length === 1 ? "This setting cannot be run:" : said.findings.length + " findings; this setting cannot be run:", box);
    var list = made("ul", null, box);
    said.findings.forEach(function (f) { made("li", f.key && f.message.indexOf(f.key) !== 0 ? f.key + ": " + f.message : f.message, list); });
  } else made("p", said ? said.error : wrong instanceof TypeError ? "The server does not answer. Is tidewatt serve still running?" : String(wrong.message), box);
  if (!said || wrong.status >= 500 && wrong.status !== 504) { var again = made("button", "Try again", box); again.type = "button"; again.addEventListener("click", function () { if (basis) changed(); else askBase(); }); }
  // The reason is above the figures, which may be out of sight: what stays in sight names it too.
  var first = said && (said.findings && said.findings.length ? said.findings[0].message : said.error);
  badge("wrong", "no answer", (first ? first + ". " : "") + "Figures below are of an earlier setting");
  document.body.setAttribute("data-state", "wrong");
  document.body.setAttribute("data-done", turn);
  $("figures").classList.add("waiting");
}
function badge(kind, word, more) {
  var b = $("state").querySelector(".badge");
  b.className = "badge " + kind; b.textContent = word;
  $("state").querySelector("span").textContent = more || "";
}
function askBase() {
  badge("", "starting", "the base case is running");
  document.body.setAttribute("data-turn", turn);
  // It goes on when a setting moves meanwhile: everything is compared with it.
  ask("/run", { set: {}, detail: "exact" }).then(function (said) { basis = said; if (turn) refresh(); else changed(); }).catch(lost);
}

// A setting has changed: what is under way is dropped, and asked anew once the slider rests for a moment.
function changed() {
  turn += 1; moved_ms = performance.now();
  if (flight) flight.abort();
  clearTimeout(timer);
  document.body.setAttribute("data-state", "moved");
  document.body.setAttribute("data-turn", turn);
  timer = setTimeout(start, SETTLE_ms);
}
function start() {
  $("progress").textContent = "";
  var mine = turn, set = settings(), judge = values.judge, signal = (flight = new AbortController()).signal;
  function current() { return mine === turn; }
  // The answer of a run that takes a while, with what is done of it meanwhile.
  function watched(body) {
    var asked = false, ticket = body.ticket = String(Math.random()).slice(2), asking = setInterval(function () {
      if (asked || document.visibilityState !== "visible") return;
      asked = true;
      fetched("/progress/" + ticket, { signal: signal }).then(function (answer) { return answer.ok ? answer.json() : null; }).then(function (at) { if (at && current() && asking) $("progress").textContent = spoken_progress(at); }).catch(function () {}).then(function () { asked = false; });
    }, 1000);
    function over() { clearInterval(asking); asking = 0; if (current()) $("progress").textContent = ""; }
    return ask("/run", body, signal).then(function (said) { over(); return said; }, function (wrong) { over(); throw wrong; });
  }
  badge("", "running", "figures below are of an earlier setting");
  $("outcome").textContent = $("keeping").textContent = "";
  ["figures", "rules", "waveform", "more"].forEach(function (id) { $(id).classList.add("waiting"); });
  $("because").textContent = "";
  ask("/run", { set: set, detail: "coarse", judge: judge }, signal).catch(function (wrong) {
    if (wrong.status !== 504) throw wrong;
  }).then(function (said) {
    if (!current()) return;
    if (said) {
      take(set, said, mine);
      document.body.setAttribute("data-coarse-ms", Math.round(performance.now() - moved_ms));
      badge("coarse", "coarse", "same engine, longer steps; the exact answer is under way.");
    } else badge("", "running", "the coarse answer took more than a minute; the exact one is under way. Figures below are of an earlier setting.");
    return watched({ set: set, detail: "exact", judge: judge });
  }).then(function (said) {
    if (!said || !current()) return;
    take(set, said, mine);
    document.body.setAttribute("data-exact-ms", Math.round(performance.now() - moved_ms));
    badge("exact", "exact", "to the digit what tidewatt run answers");
    return ask("/charts", { set: set }, signal).then(function (drawing) { if (current()) return picture_of(drawing, set, mine); });
  }).then(function () {
    // The base case under the rules that are chosen now.
    var of_rules = {};
    ["site.rules", "site.rules_from_s"].forEach(function (key) { if (key in set) of_rules[key] = set[key]; });
    basis_rules = null;
    if (!current() || !Object.keys(of_rules).length && !judge.length) return;
    return ask("/run", { set: of_rules, detail: "exact", judge: judge }, signal).then(function (said) { if (current()) { basis_rules = said; refresh(); } });
  }).then(function () {
    if (!current() || !$("intervals").checked || !base.assumed) return;
    return seen_by_reader().then(function () {
      if (!current()) return;
      badge("exact", "exact", "to the digit what tidewatt run answers; intervals are under way");
      return ask("/run", { set: set, detail: "interval", judge: judge }, signal);
    }).then(function (said) {
      if (!said) return;
      if (!current()) return;
      take(set, said, mine);
      badge("exact", "exact", said.draws ? "with the 90 % interval over other fleets, instants of events, assumed inputs and days, " + said.draws + " draws. " + said.interval_note : said.interval_note);
    });
  }).then(function () {
    if (!current()) return;
    document.body.setAttribute("data-state", "done");
    document.body.setAttribute("data-done", mine);
  }).catch(function (wrong) { if (current()) lost(wrong); });
}
function spoken_progress(at) {
  if (at.runs_s === null) return "It waits for another tab's run.";
  if (at.share === null || at.runs_s < 2) return "";
  var all_s = at.runs_s / at.share;
  if (at.share > 0.01 && at.runs_s > 10 && all_s > 1.2 * at.limit_s) return "It would take " + spoken(all_s / 60, 2) + " minutes and is stopped after " + spoken(at.limit_s / 60, 2) + ": export the scenario and use tidewatt run.";
  return at.share < 1 ? Math.floor(100 * at.share) + " % of the day is computed." : "The day is computed, the waveform is under way.";
}
// A browser has few connections to one server: tabs in the background leave them to the one that is looked at.
function seen_by_reader() {
  if (document.visibilityState === "visible") return Promise.resolve();
  return new Promise(function (go_on) { document.addEventListener("visibilitychange", go_on, { once: true }); });
}
function take(set, said, mine) {
  now = { set: set, said: said, turn: mine };
  $("trouble").hidden = true;
  ["figures", "rules"].forEach(function (id) { $(id).classList.remove("waiting"); });
  document.body.setAttribute("data-answer", JSON.stringify({ turn: mine, detail: said.detail, set: set }));
  document.body.setAttribute("data-state", said.detail);
  refresh();
}
function figure(said, key) { return key === "hour_max_MW" ? said.hour_max_MW : said.summary[key]; }
function waits(said, key) { return (said.pending || []).indexOf(key) >= 0; }
function spoken(v, digits) {
  if (v === null || v === undefined || v !== v) return "\u2013";
  if (v === 0) return "0";
  var d = Math.max(0, Math.min(9, (digits || 4) - 1 - Math.floor(Math.log10(Math.abs(v)))));
  return v.toLocaleString("en-US", { minimumFractionDigits: Math.abs(v) >= 1e-6 ? d : 0, maximumFractionDigits: d }).replace("-", "\u2212");
}
// What changed against the base case: in percent, or in points and kelvins where percent say nothing.
function change(key, unit, before, after) {
  if (before === null || after === null || before === undefined || after === undefined) return "";
  if (before === after) return "as the base case";
  var d = after - before, sign = d > 0 ? "+" : "\u2212";
  if (unit === "%") return sign + spoken(Math.abs(d), 2) + " points";
  if (unit === "\u00b0C") return sign + spoken(Math.abs(d), 2) + " K";
  return before ? sign + spoken(Math.abs(100 * d / before), 3) + " %" : sign + spoken(Math.abs(d), 3) + " " + unit;
}
function interval(said, f) {
  var ends = said.interval && said.interval[f[0]];
  return ends ? spoken(ends[0] * f[3], 3) + " to " + spoken(ends[1] * f[3], 3) : "";
}
function refresh() {
  if (!now.said) return;
  var said = now.said, tiles = $("tiles");
  tiles.textContent = "";
  $("figures").classList.toggle("coarse-figures", said.detail === "coarse");
  FIGURES.slice(0, TILES).forEach(function (f) {
    var v = figure(said, f[0]), none = v === null || v === undefined, tile = made("div", null, tiles), later = none && waits(said, f[0]), b = made("b", later ? "\u2026" : (said.detail === "coarse" ? "\u2248 " : "") + spoken(none ? v : v * f[3]), tile);
    if (!none && f[2] && f[2].length <= 6) made("i", "\u00a0" + f[2], b);
    b.setAttribute("data-key", f[0]);
    made("span", f[2].length > 6 ? f[1] + ", " + f[2] : f[1], tile);
    made("small", later ? "with the exact answer" : basis ? change(f[0], f[2], figure(basis, f[0]), v) : "", tile);
    var range = interval(said, f);
    made("small", range ? "5\u201395 %: " + range : "", tile);
  });
  held(said);
  beside();
  var share = said.summary.limiter_share || {}, names = Object.keys(share).filter(function (k) { return share[k] >= 5e-4; });
  $("limiter").textContent = "What held the clocks: " + (names.map(function (k) { return (k === "none" ? "no limit" : k + " limit") + " " + spoken(100 * share[k], 3) + " %"; }).join(", ") || "nothing was computed") + " of compute time.";
}
function verdicts(said) {
  var rows = said.verdicts.slice(), MW = said.hour_max_MW;
  if (waits(said, "verdicts")) rows.push({ rules: "", rule: "Rules chosen", verdict: "pending", figure: "with the exact answer", limit: "", margin: "", worst: "" });
  if (values.contract !== "") rows.unshift({ rules: "contract", rule: "Mean of the hottest hour within the contract", verdict: MW === null ? "not measured" : MW <= values.contract ? "pass" : "fail",
    figure: spoken(MW) + " MW", limit: values.contract + " MW", margin: MW === null ? "\u2013" : (MW < values.contract ? "+" : "") + spoken(100 * (1 - MW / values.contract), 3) + "\u00a0%", worst: said.hour_max_at });
  return rows;
}
function outcome(rows) {
  var failed = rows.filter(function (r) { return r.verdict === "fail"; }).length, open = rows.filter(function (r) { return r.verdict !== "fail" && r.verdict !== "pass"; }).length;
  if (!rows.length) return "no rule chosen";
  if (rows.length === 1) return rows[0].verdict === "pass" ? "passes" : rows[0].verdict === "fail" ? "fails" : rows[0].verdict;
  return failed ? failed + " of " + rows.length + " fail" : open ? open + " of " + rows.length + " not decided" : "all " + rows.length + " pass";
}
function held(said) {
  var rows = verdicts(said);
  $("verdict").textContent = rows.length ? outcome(rows) + (said.detail === "coarse" ? " (coarse)" : "") : "Enter a contract or a ramp limit under Targets, or choose rules under Rules.";
  // It stays in sight while settings move.
  $("outcome").textContent = rows.length ? outcome(rows) : "";
  $("outcome").className = "verdict-" + (/fail|pass/.exec(outcome(rows)) || ["open"])[0];
  var place = $("verdicts");
  place.textContent = "";
  if (!rows.length) return;
  grid(place, ["rule", "verdict", "figure", "limit", "margin", "worst at (since the start)"], rows.map(function (r) { return [r.rule, r.verdict, r.figure, r.limit, r.margin, r.worst]; }), [2, 3, 4, 5]);
  place.querySelectorAll("td:nth-child(2)").forEach(function (cell) { cell.className = "verdict-" + cell.textContent.split(" ")[0]; });
  if (values.contract !== "" && said.hour_max_MW > 0 && parts.gpus && !parts.gpus.row.hidden) {
    var step = parts.gpus.c.step, most = step * Math.floor(values.gpus * values.contract / said.hour_max_MW / step);
    if (most !== values.gpus) made("p", "In proportion to " + values.gpus.toLocaleString("en-US") + " GPUs, about " + most.toLocaleString("en-US") + " fit the contract.", place, "sub");
  }
}
function grid(place, head, rows, numeric) {
  var table = made("table", null, place), top = made("tr", null, table);
  head.forEach(function (word, k) { made("th", word, top, (numeric || []).indexOf(k) >= 0 ? "n" : ""); });
  rows.forEach(function (row) {
    var line = made("tr", null, table);
    row.forEach(function (cell, k) { made("td", cell, line, (numeric || []).indexOf(k) >= 0 ? "n" : String(cell).length > 26 ? "wide" : ""); });
  });
  return table;
}

// Charts of the exact answer take the places of the old ones; a span that was zoomed into stays.
function picture_of(drawing, set, mine) {
  return inflated(drawing.arrays).then(function (buffer) {
    if (mine !== turn) return;
    var fresh = JSON.parse(drawing.charts);
    filled(fresh, new Uint8Array(buffer));
    ids.filter(function (id) { return !fresh[id]; }).forEach(function (id) { var old = $(id); if (old && id !== "chart-zoom") old.parentNode.remove(); else if (old) old.textContent = ""; delete charts[id]; delete states[id]; });
    ids = Object.keys(fresh);
    ids.forEach(function (id) {
      charts[id] = fresh[id];
      if (!$(id)) { var box = made("div", null, $("charts")); made("h2", "", box); made("div", null, box, "chart").id = id; }
      if (id !== "chart-zoom") { var head = $(id).parentNode.querySelector("h2"); head.textContent = drawing.titles[id]; head.hidden = !drawing.titles[id]; }
      if (!states[id]) return set_chart(id);
      var s = states[id], all = whole(charts[id]), kept = s.from !== s.whole[0] || s.to !== s.whole[1];
      s.whole = all;
      if (!kept || s.from < all[0] || s.to > all[1]) { s.from = all[0]; s.to = all[1]; }
      draw(id);
    });
    spans();
    ["waveform", "more"].forEach(function (id) { $(id).classList.remove("waiting"); });
    $("waveform").setAttribute("data-turn", mine);
    document.body.setAttribute("data-drawn", ids.length);
  });
}
function set_chart(id) { $(id).textContent = ""; set(id); }
function spans() {
  var place = $("spans"), spec = charts["chart-zoom"];
  place.textContent = "";
  $("waveform").hidden = !spec;
  if (!spec) return;
  var all = states["chart-zoom"].whole;
  spec.spans.concat([{ word: "20 ms in the middle", ms: true }]).forEach(function (span) {
    var button = made("button", span.word, place);
    button.type = "button";
    button.addEventListener("click", function () {
      var s = states["chart-zoom"], middle = (s.from + s.to) / 2;
      if (span.ms) go("chart-zoom", middle - 0.01, middle + 0.01);
      else go("chart-zoom", span.from_s === null ? all[0] : span.from_s, span.to_s === null ? all[1] : span.to_s);
    });
  });
}
// Where no record is fine enough for what is on the screen, the run is repeated with a recorded window there.
var recording = null;
zoomed = function (id) {
  var spec = charts[id], s = states[id];
  if (!spec || !spec.zoom || !now.said || now.said.detail === "coarse") return;
  var span = s.to - s.from, level = choose(spec.zoom, s.from, s.to);
  clearTimeout(recording);
  if (span > 100 || level.step_s <= 0.0011) return;
  recording = setTimeout(function () { record(Math.max(0, Math.floor((s.from + s.to) / 2 - 60)), turn); }, 250);
};
function record(from_s, mine) {
  if (mine !== turn) return;
  $("chart-zoom-level").textContent = "recording every millisecond around this moment …";
  ask("/charts", { set: now.set, record_s: from_s }).then(function (drawing) { if (mine === turn) return picture_of(drawing, now.set, mine); })
    .catch(function (wrong) { if (mine === turn) lost(wrong); });
}
