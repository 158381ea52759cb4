// Settings now, by id of the control; what the base case has is in `initial`.
var values = {}, initial = {}, parts = {};

function build(form) {
  var groups = {};
  function group(name) {
    if (groups[name]) return groups[name];
    var details = made("details", null, form), summary = made("summary", name + " ", details);
    details.open = !window.matchMedia("(max-width: 900px)").matches || name === "Load" || name === "Targets";
    made("span", "", summary, "mark");
    return groups[name] = details;
  }
  targets(group("Targets"));
  base.controls.forEach(function (c) {
    initial[c.id] = values[c.id] = c.value;
    (c.kind === "range" ? slider : choice)(c, group(c.group));
  });
  rules(group("Rules"));
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  show();
}
function slider(c, place) {
  var row = made("div", null, place, "control"), label = made("label", c.label, row), value = made("span", null, row, "value");
  var number = made("input", null, value), range = made("input", null, row);
  if (c.unit) made("span", c.unit, value);
  if (c.note) made("small", c.note, row);
  range.type = "range"; number.type = "number";
  range.id = "c-" + c.id; number.id = "n-" + c.id; label.htmlFor = range.id;
  number.setAttribute("aria-label", c.label + (c.unit ? ", " + c.unit : ""));
  number.step = "any";
  if (c.log) { range.min = 0; range.max = 200; range.step = 1; } else { range.min = c.min; range.max = c.max; range.step = c.step; }
  range.addEventListener("input", function () { moved(c.id, fromSlider(c, Number(range.value))); });
  number.addEventListener("change", function () { if (number.value !== "" && isFinite(number.value)) moved(c.id, replicas(c, Number(number.value))); else show(); });
  parts[c.id] = { row: row, range: range, number: number, c: c };
}
// A typed number of GPUs becomes the nearest one that plan and racks allow.
function replicas(c, v) { return c.whole ? Math.max(c.step, c.step * Math.round(v / c.step)) : v; }
function fromSlider(c, v) {
  if (!c.log) return v;
  return Number((c.min * Math.pow(c.max / c.min, v / 200)).toPrecision(3));
}
function choice(c, place) {
  var row = made("div", null, place, "control"), label = made("label", c.label, row), select = made("select", null, row);
  select.id = "c-" + c.id; label.htmlFor = select.id;
  c.options.forEach(function (o) { var option = made("option", o[1], select); option.value = o[0]; });
  select.addEventListener("change", function () { moved(c.id, select.value); });
  parts[c.id] = { row: row, select: select, c: c };
}
// The contract, and a ramp limit of the planner's own.
function targets(place) {
  field("contract", "Contract, mean of the hottest hour", "MW");
  field("ramp", "My ramp limit", "MW/s");
  field("ramp_s", "…measured over", "s");
  function field(id, word, unit) {
    var row = made("div", null, place, "control"), label = made("label", word, row), value = made("span", null, row, "value"), input = made("input", null, value);
    initial[id] = values[id] = id === "ramp_s" ? 1 : "";
    made("span", unit, value);
    input.type = "number"; input.min = 0; input.step = "any"; input.id = "n-" + id; label.htmlFor = input.id;
    input.addEventListener("change", function () { moved(id, input.value === "" ? "" : Number(input.value)); });
    parts[id] = { row: row, number: input, c: { id: id, group: "Targets" } };
  }
}
// Rule files.
function rules(place) {
  var now = base.rules.now.filter(function (r) { return typeof r === "string"; });
  initial.rules = values.rules = now; initial.judge = values.judge = [];
  [["rules", base.rules.run], ["judge", base.rules.window]].forEach(function (kind) {
    if (!kind[1].length) return;
    made("small", kind[0] === "rules" ? "held against the run" : "judged on the recorded window", place);
    kind[1].forEach(function (rule) {
      var label = made("label", null, place, "check"), box = made("input", null, label);
      box.type = "checkbox"; box.id = "r-" + rule[0];
      made("span", rule[1], label).title = rule[0];
      box.addEventListener("change", function () {
        moved(kind[0], values[kind[0]].filter(function (r) { return r !== rule[0]; }).concat(box.checked ? [rule[0]] : []));
      });
      parts["r-" + rule[0]] = { box: box, kind: kind[0], rule: rule[0] };
    });
  });
}
function same(a, b) { return JSON.stringify(a) === JSON.stringify(b); }
function moved(id, value) {
  values[id] = value;
  var c = parts[id] && parts[id].c, usual = c && c.usual && c.usual[value];
  Object.keys(usual || {}).forEach(function (other) { values[other] = usual[other]; });
  show();
  if (id === "contract") refresh(); else changed();
}
// What the controls show is what is asked for.
function show() {
  var marks = {};
  Object.keys(parts).forEach(function (id) {
    var p = parts[id], c = p.c;
    if (p.box) { p.box.checked = values[p.kind].indexOf(p.rule) >= 0; return; }
    var v = values[id];
    if (p.range) p.range.value = c.log ? 200 * Math.log(v / c.min) / Math.log(c.max / c.min) : v;
    if (p.number && document.activeElement !== p.number) p.number.value = v;
    if (p.number && p.range) p.number.value = v;
    if (p.select) p.select.value = v;
    p.row.hidden = !!c.needs && values[c.needs] === "off";
    p.row.classList.toggle("moved", !same(v, initial[id]) && !p.row.hidden);
    if (!same(v, initial[id]) && !p.row.hidden) marks[c.group] = (marks[c.group] || 0) + 1;
  });
  document.querySelectorAll("#controls summary").forEach(function (s) {
    var n = marks[s.firstChild.textContent.trim()];
    s.querySelector(".mark").textContent = n ? n + " moved" : "";
  });
}
// The keys of the scenario that differ from the base case.
function settings() {
  var set = {}, lists = {};
  base.controls.forEach(function (c) {
    var v = values[c.id];
    if (same(v, initial[c.id]) || c.needs && values[c.needs] === "off") return;
    if (c.list) { lists[c.list] = true; return; }
    if (c.tables) { var t = c.tables[v]; Object.keys(t || {}).forEach(function (key) { set[key] = t[key]; }); return; }
    c.keys.forEach(function (k) {
      var x = typeof v !== "number" ? v : k.add !== undefined ? Number((k.add + v).toFixed(6)) : k.factor !== undefined ? v * k.factor : v;
      set[k.key] = c.whole ? Math.round(x) : x;
    });
  });
  Object.keys(lists).forEach(function (name) { set[name] = items(name); });
  var own = values.ramp !== "" ? [ramp()] : [], chosen = values.rules.concat(base.rules.now.filter(function (r) { return typeof r !== "string"; }), own);
  if (own.length || !same(values.rules, initial.rules)) set["site.rules"] = chosen;
  return set;
}
// A list of tables with the planner's items in place of the first of their kind.
function items(name) {
  var out = base.lists[name].map(function (item) { return Object.assign({}, item); });
  base.controls.forEach(function (c) {
    if (c.list !== name || !c.fresh) return;
    var at = out.findIndex(function (item) { return item.kind === c.item; });
    if (values[c.id] === "off") { if (at >= 0) out.splice(at, 1); return; }
    var item = at >= 0 ? out[at] : Object.assign({}, c.fresh);
    if (c.field) item[c.field] = values[c.id];
    base.controls.forEach(function (d) {
      if (d.list === name && d.item === c.item && d.field && d.needs && (at < 0 || !same(values[d.id], initial[d.id]))) item[d.field] = values[d.id] * (d.scale || 1);
    });
    if (at < 0) out.push(item);
  });
  return out;
}
function ramp() {
  function one(figure, word) { return { title: word + " at most " + values.ramp + " MW/s over " + values.ramp_s + " s", figure: figure, window_s: values.ramp_s || 1, limit_MW_per_s: values.ramp }; }
  return { title: "My ramp limit", date: base.start.slice(0, 10), rule: { ramp_up: one("ramp_up", "Rise"), ramp_down: one("ramp_down", "Fall") } };
}
