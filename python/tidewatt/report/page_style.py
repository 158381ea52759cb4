"""Style of the page, inside the page, which loads nothing."""

CSS = """
:root { --ink: #1f2937; --soft: #6b7280; --line: #e5e7eb; --accent: #0072b2; --blue: #0072b2; --paper: #fff; --ground: #f6f7f9; --grid: #e3e6ea; color-scheme: light; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --soft: #9ca3af; --line: #374151; --accent: #56b4e9; --blue: #3f9bd8; --paper: #1b212b; --ground: #11151c; --grid: #303846; color-scheme: dark; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--ground); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 1.15rem; margin: 0 0 2px; }
.sub { color: var(--soft); margin: 0 0 12px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 14px 0 18px; padding: 6px 0; position: sticky; top: 0; background: var(--ground); z-index: 5; }
nav a { color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 18px; margin: 0 0 18px; }
.big { display: grid; grid-template-columns: repeat(auto-fit, minmax(122px, 1fr)); gap: 10px; margin-bottom: 18px; }
@media (min-width: 900px) { .big.nine { grid-template-columns: repeat(5, minmax(0, 1fr)); } }
.big div { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
.big b { display: block; font-size: 1.12rem; white-space: nowrap; }
.big span { color: var(--soft); font-size: 0.85rem; }
.columns { columns: 2 420px; column-gap: 36px; }
.columns table { break-inside: avoid; }
.scroll { overflow-x: auto; }
.tall { max-height: 560px; overflow-y: auto; }
.tall tr:first-child th { position: sticky; top: 0; background: var(--paper); }
.above { color: var(--soft); margin: 0; font-size: 0.9rem; }
.range { width: 72px; height: 4px; margin-top: 9px; border-radius: 2px; background: var(--line); position: relative; }
.range i { position: absolute; top: -3px; width: 4px; height: 10px; margin-left: -2px; border-radius: 2px; background: var(--accent); }
td.key { overflow-wrap: anywhere; min-width: 190px; }
table { border-collapse: collapse; width: 100%; margin: 0 0 14px; }
caption { text-align: left; font-weight: 600; padding: 4px 0; }
td, th { border-bottom: 1px solid var(--line); padding: 4px 8px 4px 0; text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.wide { min-width: 200px; }
pre { overflow: auto; max-height: 420px; background: var(--ground); padding: 12px; border-radius: 6px; font-size: 0.82rem; }
code { overflow-wrap: anywhere; }
.note { color: var(--soft); }
.chart { width: 100%; position: relative; }
.holder { touch-action: pan-y; cursor: crosshair; user-select: none; -webkit-user-select: none; }
.plot { display: block; max-width: 100%; font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.plot:focus { outline: 1px solid var(--accent); }
.plot text { fill: var(--ink); }
.plot text.soft { fill: var(--soft); }
.plot text[fill] { fill: #d55e00; }
.cursor { position: absolute; width: 1px; background: var(--soft); pointer-events: none; }
.chosen { position: absolute; background: var(--accent); opacity: 0.18; pointer-events: none; }
.tip { position: absolute; max-width: 75%; padding: 5px 9px; background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; font-size: 0.8rem; line-height: 1.35; pointer-events: none; z-index: 4; }
.tools { display: flex; justify-content: flex-end; gap: 6px; min-height: 24px; }
.tools button { font-size: 0.72rem; padding: 0 8px; color: var(--soft); background: none; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 10px; }
[hidden] { display: none !important; }
section h2 + .chart { margin-top: 0; }
.chart + h2 { margin-top: 18px; }
section { scroll-margin-top: 70px; }
.buttons { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 6px; }
button { font: inherit; font-size: 0.85rem; padding: 3px 10px; border: 1px solid var(--line); border-radius: 14px; background: var(--ground); cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
form { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: baseline; margin: 18px 0 6px; }
form input { width: 5.5em; font: inherit; padding: 2px 4px; }
form output { font-weight: 600; }
.compared table { table-layout: fixed; }
.compared th:first-child, .compared td:first-child { width: 40%; }
.compared.keys td { overflow-wrap: anywhere; }
.compared td.wide { min-width: 0; }
.worse { color: #b45309; }
@media print {
  @page { margin: 14mm 12mm; }
  body { background: #fff; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  nav, .tools, .buttons, form, .cursor, .chosen, .tip { display: none !important; }
  section { border: 0; padding: 0; margin: 0 0 14pt; }
  .chart, .big div, table tr { break-inside: avoid; }
  h2, .sub { break-after: avoid; }
  .tall { max-height: none; overflow: visible; }
  details { display: none; }
  .plot { width: 100%; height: auto; }
}
@media (max-width: 640px) {
  nav { overflow-x: auto; flex-wrap: nowrap; white-space: nowrap; }
  main { padding: 14px 8px 40px; }
  h1 { font-size: 1.3rem; }
  section { padding: 12px 8px; }
  .big { grid-template-columns: repeat(2, 1fr); }
  .big b { font-size: 1.1rem; }
  td, th { font-size: 0.85rem; padding-right: 6px; }
  td.wide { min-width: 150px; }
  td.key { min-width: 120px; font-size: 0.75rem; }
  .rules td.wide { min-width: 104px; }
  .range { width: 44px; }
  .compared th:first-child, .compared td:first-child { width: 31%; }
  .compared.keys th:first-child, .compared.keys td:first-child { width: 46%; }
  .compared th { white-space: normal; overflow-wrap: anywhere; }
}
"""
