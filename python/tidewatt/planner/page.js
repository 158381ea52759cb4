window.addEventListener("error", function (event) { document.body.setAttribute("data-error", event.message); });
window.addEventListener("unhandledrejection", function (event) { document.body.setAttribute("data-error", String(event.reason && event.reason.stack || event.reason)); });
(function () {
  "use strict";
  var charts = {}, ids = [], states = {}, base = null;
  // The page's address holds its token, without which the server answers nobody.
  var token = new URLSearchParams(window.location.search).get("token");
  function fetched(path, options) {
    var all = Object.assign({}, options);
    if (token) all.headers = Object.assign({ Authorization: "Bearer " + token }, all.headers);
    return fetch(path, all);
  }

//include ../report/plot.js

  //include ../report/charts.js

  //include controls.js

  //include answers.js

  //include variants.js

  function $(id) { return document.getElementById(id); }
  function made(tag, text, parent, kind) {
    var e = document.createElement(tag);
    if (text !== undefined && text !== null) e.textContent = text;
    if (kind) e.className = kind;
    if (parent) parent.appendChild(e);
    return e;
  }

  fetched("/base").then(function (answer) { return answer.json(); }).then(function (description) {
    base = description; FIGURES = base.figures;
    $("facts").textContent = Math.round(base.hours * 1000) / 1000 + " h from " + base.start.replace("T", " ") + ", " + base.assumed + " assumed inputs" + (base.notes.length ? ". Note: " + base.notes.join(" ") : "");
    build($("controls"));
    kept = recalled();
    buttons();
    askBase();
  }).catch(lost);
  var waiting = null;
  window.addEventListener("resize", function () { clearTimeout(waiting); waiting = setTimeout(function () { ids.forEach(function (id) { if (states[id].place.clientWidth !== states[id].W) draw(id); }); }, 120); });
})();
