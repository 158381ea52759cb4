var MOST = 20, MOST_BESIDE = 6, kept = [];
function place() { return "tidewatt variants of " + base.toml.length + " " + base.name; }
function recalled() { try { return JSON.parse(sessionStorage.getItem(place())) || []; } catch (e) { return []; } }
function remember() { try { sessionStorage.setItem(place(), JSON.stringify(kept)); } catch (e) { /* a full or forbidden store: variants last as long as the page */ } }

function words() {
  var said = [];
  base.controls.forEach(function (c) {
    var v = values[c.id], p = parts[c.id];
    if (same(v, initial[c.id]) || p.row.hidden) return;
    var option = c.options && c.options.find(function (o) { return o[0] === v; });
    said.push(c.label + (option ? ": " : " ") + (option ? option[1] : v.toLocaleString("en-US") + (c.unit ? " " + c.unit : "")));
  });
  return said.join(", ") || "as the base case";
}
function keep() {
  if (!now.said || now.said.detail === "coarse" || now.turn !== turn) return notice("A variant can be kept once its exact answer is here.");
  if (kept.length >= MOST) return notice("Twenty variants are kept already; remove one in the table.");
  var copy = JSON.parse(JSON.stringify(values)), said = now.said;
  kept.push({ name: "variant " + (kept.reduce(function (n, v) { return Math.max(n, Number(v.name.split(" ").pop()) || 0); }, 0) + 1), words: words(), values: copy, set: now.set,
              said: { detail: said.detail, summary: said.summary, verdicts: said.verdicts, hour_max_MW: said.hour_max_MW, hour_max_at: said.hour_max_at, interval: said.interval }, beside: kept.filter(function (v) { return v.beside; }).length < MOST_BESIDE });
  remember(); refresh(); listed(); named(kept[kept.length - 1]);
  $("keeping").textContent = "kept as " + kept[kept.length - 1].name + ": " + outcome(verdicts(said));
}
// Files of a variant go into a folder of its name.
function named(v) { $("name").value = v.name.replace(/ /g, "-"); }
function notice(text) { badge("", "note", text); }
function beside() {
  var box = $("beside"), shown = kept.filter(function (v) { return v.beside; }), table, row;
  box.textContent = "";
  if (!basis) return;
  table = made("table", null, box); row = made("tr", null, table);
  made("th", "", row); made("th", "base case", row, "n");
  made("th", "now", row, "n");
  shown.forEach(function (v) { made("small", v.words.slice(0, 40) + (v.words.length > 40 ? "\u2026" : ""), made("th", v.name, row, "n")).title = v.words; });
  FIGURES.forEach(function (f) {
    var all = [basis, now.said].concat(shown.map(function (v) { return v.said; }));
    if (all.every(function (said) { var v = said && figure(said, f[0]); return v === null || v === undefined; })) return;
    row = made("tr", null, table);
    made("td", f[1] + (f[2] ? " (" + f[2] + ")" : ""), row);
    all.forEach(function (said, k) {
      var v = said ? figure(said, f[0]) : null, none = v === null || v === undefined, cell = made("td", none && said && waits(said, f[0]) ? "\u2026" : (k === 1 && !none && said.detail === "coarse" ? "\u2248 " : "") + spoken(none ? v : v * f[3]), row, "n" + (k === 1 ? " now" : ""));
      if (k && v !== null && v !== undefined) made("small", change(f[0], f[2], figure(basis, f[0]), v), cell);
      if (said && interval(said, f)) made("small", interval(said, f), cell);
    });
  });
  row = made("tr", null, table);
  made("td", "rules", row);
  [basis_rules || basis, now.said].concat(shown.map(function (v) { return v.said; })).forEach(function (said) { made("td", outcome(verdicts(said)), row, "n"); });
}
function listed() {
  var box = $("table");
  box.textContent = "";
  $("kept").hidden = !kept.length;
  if (!kept.length) return;
  var table = grid(box, ["", "name", "settings", "rules"].concat(FIGURES.slice(0, TILES).map(function (f) { return f[1] + (f[2] ? " (" + f[2] + ")" : ""); })), [], FIGURES.slice(0, TILES).map(function (f, k) { return 4 + k; }));
  kept.forEach(function (v) {
    var row = made("tr", null, table), first = made("td", null, row), box = made("input", null, first);
    box.type = "checkbox"; box.checked = v.beside; box.setAttribute("aria-label", "show " + v.name + " side by side");
    box.addEventListener("change", function () {
      if (box.checked && kept.filter(function (k) { return k.beside; }).length >= MOST_BESIDE) { box.checked = false; return notice("Six variants are side by side already."); }
      v.beside = box.checked; remember(); beside();
    });
    // Buttons stand below the name, so that they are in sight however narrow the window is.
    var cell = made("td", null, row), name = made("input", null, cell), last = made("div", null, cell, "buttons"), open = made("button", "open", last), away = made("button", "remove", last);
    name.value = v.name; name.size = 12; name.maxLength = 40; name.setAttribute("aria-label", "name of " + v.name);
    name.addEventListener("change", function () { v.name = name.value || v.name; remember(); refresh(); listed(); });
    made("td", v.words, row, "wide").style.whiteSpace = "normal";
    made("td", outcome(verdicts(v.said)), row);
    FIGURES.slice(0, TILES).forEach(function (f) { var x = figure(v.said, f[0]); made("td", spoken(x === null || x === undefined ? x : x * f[3]), row, "n"); });
    open.type = away.type = "button";
    open.setAttribute("aria-label", "open " + v.name); away.setAttribute("aria-label", "remove " + v.name);
    open.addEventListener("click", function () { values = Object.assign({}, JSON.parse(JSON.stringify(initial)), JSON.parse(JSON.stringify(v.values))); show(); changed(); named(v); window.scrollTo(0, 0); });
    away.addEventListener("click", function () { kept.splice(kept.indexOf(v), 1); remember(); refresh(); listed(); });
  });
}
function because(said) {
  var f = said.figures, box = $("because");
  box.textContent = "";
  // A mean over fleets with its standard error, both with the error's two digits.
  function mean(x, key) {
    var se = x[key + "_se"];
    if (!(se > 0)) return spoken(x[key], 3);
    var d = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(se))));
    return (x[key].toFixed(d) + " \u00b1 " + se.toFixed(d)).replace("-", "\u2212");
  }
  made("p", "Hourly throughput swings by " + spoken(f.swing_percent, 3) + " %, slowest from " + f.min_hours.join(", ") + " h." + (f.n_fleet > 1 ? " Over " + f.n_fleet + " drawn fleets, this one among them, it swings by " + mean(f, "swing_over_fleets_percent") + " % (mean \u00b1 standard error)." : "") + " Each line is this variant with one thing changed.", box);
  grid(box, ["without", "how", "swing left (%)", "adds (points)"], f.causes.map(function (c) { return [c.name, c.how, mean(c, "without_percent"), mean(c, "adds_points")]; }), [2, 3]);
  grid(box, ["change", "how", "tokens (%)", "energy per token (%)", "swing left (%)"], f.levers.map(function (l) { return [l.name, l.how, mean(l, "tokens_percent"), mean(l, "energy_per_token_percent"), mean(l, "swing_percent")]; }), [2, 3, 4]);
}
function table_csv() {
  function quoted(text) { return '"' + String(text === null || text === undefined ? "" : text).replace(/"/g, '""').replace(/^([=+\-@])/, "'$1") + '"'; }
  var all = [{ name: "base case", words: "", said: basis }].concat(kept), keys = FIGURES.map(function (f) { return f[0]; });
  return [["name", "settings"].concat(keys, "rules").map(quoted).join(",")].concat(all.map(function (v) {
    return [quoted(v.name), quoted(v.words)].concat(keys.map(function (key) { var x = figure(v.said, key); return x === null || x === undefined ? "" : String(x); }), quoted(outcome(verdicts(v.said)))).join(",");
  })).join("\n") + "\n";
}
function exported(what) {
  var box = $("exported"), mine = turn;
  // The folder's name has no blanks and no marks: what the reader sees is what is written.
  $("name").value = $("name").value.trim().replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+/, "").slice(0, 64) || "variant";
  box.textContent = what === "scenario" ? "Writing …" : "Running and writing …";
  ask("/export", { set: settings(), what: what, name: $("name").value, rule: $("filing").value || undefined, judge: values.judge, contract_MW: values.contract === "" ? undefined : values.contract }).then(function (said) {
    box.textContent = "";
    made("p", (mine === turn ? "" : "Of the setting at the time: ") + said.files.length + " files below " + said.folder + (said.note ? "; " + said.note : ""), box);
    var list = made("ul", null, box);
    said.files.slice(0, 30).forEach(function (file) { made("code", file, made("li", null, list)); });
  }).catch(function (wrong) { box.textContent = ""; made("p", wrong.said ? wrong.said.error : "The server does not answer.", box, "worse"); });
}
function buttons() {
  $("keep").addEventListener("click", keep);
  $("reset").addEventListener("click", function () { values = JSON.parse(JSON.stringify(initial)); show(); changed(); });
  $("intervals").addEventListener("change", function () { if ($("intervals").checked) changed(); });
  $("csv").addEventListener("click", function () { save("variants.csv", "text/csv", table_csv()); });
  $("ask").addEventListener("click", function () {
    var mine = turn, box = $("because");
    box.textContent = "Running without each cause and with each change; some ten runs of each of ten fleets …";
    ask("/why", { set: settings() }, flight && flight.signal).then(function (said) { if (mine === turn) because(said); })
      .catch(function (wrong) { if (mine === turn && wrong.name !== "AbortError") { box.textContent = ""; made("p", wrong.said ? wrong.said.error : "The server does not answer.", box, "worse"); } });
  });
  base.rules.filing.forEach(function (rule) { var option = made("option", rule[1], $("filing")); option.value = rule[0]; option.selected = rule[0] === "ercot_nogrr282"; });
  document.querySelectorAll("[data-what]").forEach(function (button) { button.addEventListener("click", function () { exported(button.getAttribute("data-what")); }); });
  listed();
}
