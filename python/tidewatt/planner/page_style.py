"""What the page adds to the report's style."""

MORE = """
html { scroll-padding-top: 3.4rem; }
main.planner { max-width: 1360px; display: grid; grid-template-columns: 330px minmax(0, 1fr); gap: 0 22px; align-items: start; }
.planner header { grid-column: 1 / -1; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 6px 10px; z-index: 9; }
form#controls { display: block; margin: 0; position: sticky; top: 8px; max-height: calc(100vh - 16px); overflow-y: auto; }
#controls details { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 10px; padding: 0 14px; }
#controls summary { font-weight: 600; cursor: pointer; padding: 9px 0; }
#controls details[open] { padding-bottom: 10px; }
#controls summary .mark { color: var(--accent); font-weight: 400; font-size: 0.85rem; }
.control { display: grid; grid-template-columns: 1fr auto; gap: 0 8px; align-items: baseline; margin: 0 0 9px; }
.control input[type=range] { grid-column: 1 / -1; width: 100%; margin: 2px 0; accent-color: var(--accent); }
.control select { font: inherit; max-width: 175px; }
.control .value { display: inline-flex; gap: 4px; align-items: baseline; color: var(--soft); font-size: 0.85rem; }
#controls .control .value input { width: 6em; text-align: right; padding: 1px 4px; }
.control small { grid-column: 1 / -1; color: var(--soft); }
.control.moved > label { color: var(--accent); font-weight: 600; }
.control[hidden] { display: none; }
.check { display: flex; gap: 6px; align-items: baseline; font-size: 0.9rem; margin: 0 0 4px; }
#controls .check input { width: auto; }
input, select { color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px; }
input:focus-visible, select:focus-visible, button:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
button { color: var(--ink); }
#state { position: sticky; top: 0; z-index: 6; background: var(--ground); margin: 0 0 8px; padding: 6px 0; min-height: 2.2em; }
#outcome { margin: 0 0.4em; }
#outcome:empty { margin: 0; }
.badge { display: inline-block; border-radius: 10px; padding: 0 10px; color: #fff; background: #6b7280; font-weight: 600; font-size: 0.85rem; }
.badge.coarse { background: #b45309; }
.badge.exact { background: #00795a; }
.badge.wrong { background: #b91c1c; }
#trouble { border: 1px solid #b91c1c; border-radius: 8px; padding: 8px 14px; margin: 0 0 14px; background: var(--paper); }
#trouble ul { margin: 4px 0; padding-left: 20px; }
#trouble li { overflow-wrap: anywhere; }
.waiting { opacity: 0.45; }
.coarse-figures b, .coarse-figures td.now { font-style: italic; }
.planner .big { grid-template-columns: repeat(5, minmax(0, 1fr)); }
.planner .big b i { font-style: normal; font-weight: 400; font-size: 0.78rem; }
.big small { display: block; color: var(--soft); font-size: 0.78rem; min-height: 1.2em; }
.inline { display: inline-flex; gap: 5px; align-items: center; font-size: 0.85rem; }
#beside td, #beside th, #table td, #table th { white-space: nowrap; padding-right: 14px; }
#beside th:first-child, #beside td:first-child { position: sticky; left: 0; background: var(--paper); }
#beside th small { white-space: normal; max-width: 116px; margin-left: auto; }
#beside small, #table small { color: var(--soft); display: block; font-weight: 400; }
.exports { align-items: baseline; gap: 10px; }
.exports label { font-size: 0.9rem; }
.exports select { max-width: 200px; }
.verdict-pass { color: #00795a; font-weight: 600; }
.verdict-fail { color: #c2410c; font-weight: 600; }
@media screen and (prefers-color-scheme: dark) { .verdict-pass { color: #34d399; } .verdict-fail { color: #fb923c; } }
@media (max-width: 900px) {
  main.planner { display: block; }
  form#controls { position: static; max-height: none; }
  html { scroll-padding: 0.5rem 0 4.5rem; }
  body { padding-bottom: 3.6rem; }
  #state { position: fixed; inset: auto 0 0 0; margin: 0; padding: 8px 14px; border-top: 1px solid var(--line); font-size: 0.9rem; }
  .control input[type=range] { height: 30px; }
  .control select { max-width: 210px; }
  #beside td:first-child { white-space: normal; min-width: 118px; max-width: 118px; }
  .planner .big { grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); }
  .exports { flex-direction: column; }
}
@media print { main.planner { display: block; } form#controls, #state, #export, #ask { display: none !important; } }
"""
