#include "adapters/outbound/report/report_style.h"

namespace gp {

const char* const kReportStyle = R"css(
:root { color-scheme: light dark;
  --page: #f6f7f8; --card: #ffffff; --ink: #1c2127; --soft: #66707a; --line: #dfe3e7;
  --held: #2f6db3; --waiting: #c4662a; --serving: #1c2127; --out: #c9ced4; --empty: #eef1f4; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171a; --card: #1d2125; --ink: #e4e8ec; --soft: #98a2ac; --line: #31373d;
  --held: #5b9be0; --waiting: #e08a4d; --serving: #e4e8ec; --out: #565e66; --empty: #272c31; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; }
h2 { font-size: 17px; margin: 36px 0 4px; }
h3 { font-size: 13px; font-weight: 600; color: var(--soft); margin: 0 0 8px; }
p { margin: 0 0 10px; color: var(--soft); max-width: 80ch; }
.cards { display: grid; gap: 14px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); }
main.one { max-width: 900px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 14px; min-width: 0; }
.scroll { overflow-x: auto; width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 24px 4px 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
th { font-size: 13px; color: var(--soft); }
tr:last-child td { border-bottom: 0; }
pre { margin: 0; overflow-x: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font: 11.5px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.area { stroke: none; }
.held { fill: var(--held); }
.waiting { fill: var(--waiting); }
.serving, .installed { fill: none; stroke: var(--serving); stroke-width: 1.5; }
.installed { stroke: var(--soft); stroke-dasharray: 4 4; }
.idle { fill: var(--empty); }
.shade { fill: var(--held); }
.s1 { opacity: .2; } .s2 { opacity: .31; } .s3 { opacity: .42; } .s4 { opacity: .54; }
.s5 { opacity: .65; } .s6 { opacity: .77; } .s7 { opacity: .88; }
.out { fill: var(--out); }
.whisker { fill: var(--soft); }
.half { fill: var(--waiting); opacity: .75; }
.median { fill: var(--ink); }
.p95 { fill: var(--card); stroke: var(--ink); stroke-width: 2; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px;
  margin: 0 5px 0 12px; vertical-align: -1px; }
p > .key:first-child:not(.gap) { margin-left: 0; }
.key.line { height: 0; border-top: 2px solid var(--serving);
  vertical-align: 3px; border-radius: 0; }
.key.dash { height: 0; border-top: 2px dashed var(--soft);
  vertical-align: 3px; border-radius: 0; }
.k-held { background: var(--held); } .k-waiting { background: var(--waiting); }
.k-out { background: var(--out); }
.k-idle { background: var(--empty); border: 1px solid var(--line); }
@media print { body { background: none; } .card { break-inside: avoid; } }
)css";

}  // namespace gp
