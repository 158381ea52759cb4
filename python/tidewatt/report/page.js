window.addEventListener("error", function (event) { document.body.setAttribute("data-error", event.message); });
window.addEventListener("unhandledrejection", function (event) { document.body.setAttribute("data-error", String(event.reason)); });
(function () {
  var charts = JSON.parse(document.getElementById("charts").textContent), ids = Object.keys(charts), states = {};
//include plot.js

  //include charts.js

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
  costs();
  if (typeof DecompressionStream === "undefined") {
    ids.forEach(function (id) { document.getElementById(id).textContent = "This browser cannot unpack the charts: Chrome 80, Firefox 113, Safari 16.4 or later can."; });
    return;
  }
  inflated(document.getElementById("arrays").textContent).then(function (buffer) {
    filled(charts, new Uint8Array(buffer));
    ids.forEach(set);
    document.querySelectorAll("[data-zoom]").forEach(function (button) {
      button.addEventListener("click", function () {
        var id = "chart-zoom", span = charts[id].spans[Number(button.getAttribute("data-zoom"))], all = states[id].whole;
        go(id, span.from_s === null ? all[0] : span.from_s, span.to_s === null ? all[1] : span.to_s);
      });
    });
    document.body.setAttribute("data-drawn", ids.length);
    var waiting = null;
    window.addEventListener("resize", function () { clearTimeout(waiting); waiting = setTimeout(function () { ids.forEach(function (id) { if (states[id].place.clientWidth !== states[id].W) draw(id); }); }, 120); });
  });
})();
