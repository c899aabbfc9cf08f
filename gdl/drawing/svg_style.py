"""The style sheet of pictures.

Apart from what draws them, as pages link it.
"""

from __future__ import annotations

SVG_STYLE = """
.gdl-state{--ink:#24262b;--soft:#666b73;--paper:#ffffff;--square:#f2eee4;--dark:#d9cfba;
--edge:#857b66;--wall:#6e6a63;--shift:#2f6fd0;--on-square:#1d1f23;--new:#1450b0;--gone:#8f3a0a;
--won:#0c5f2e;--side:#24262b;color:var(--ink);fill:var(--ink);
font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif}
@media (prefers-color-scheme:dark){.gdl-state{--ink:#e9e7e2;--soft:#a5a8ae;--paper:#1d1f23;
--square:#d8d2c4;--dark:#bdb299;--wall:#4a4740;--shift:#5b93e8;--side:#3b7ddd}}
.gdl-state .cell,.gdl-state .legend>g{fill:var(--on-square);color:var(--on-square)}
.gdl-state text{text-anchor:middle;dominant-baseline:central}
.gdl-state .soft{fill:var(--soft)} .gdl-state .left{text-anchor:start}
.gdl-state .paper{fill:var(--paper)} .gdl-state .sq{fill:var(--square);stroke:var(--edge)}
.gdl-state .dark .sq{fill:var(--dark)}
.gdl-state .frame{fill:none;stroke:var(--soft);stroke-width:2}
.gdl-state .link{stroke:var(--edge);stroke-width:3} .gdl-state .wall{fill:var(--wall)}
.gdl-state .edge{fill:none;stroke-width:3} .gdl-state .new .edge{stroke:var(--new)}
.gdl-state .old .edge{stroke:var(--gone);stroke-dasharray:5 4}
.gdl-state .name{fill:var(--soft);stroke:var(--paper);stroke-width:4px;paint-order:stroke}
.gdl-state .aside{pointer-events:none}
.gdl-state .decisive{fill:none;stroke:var(--won);stroke-width:5}
.gdl-state .lit{stroke:var(--shift);stroke-width:4;fill:none}
.gdl-state .arrow{stroke:var(--shift);stroke-width:4;stroke-linecap:round;opacity:.65}
.gdl-state .ghost{opacity:.4} .gdl-state .bare{fill:none;pointer-events:all}
.gdl-state .piece{stroke:#00000088;stroke-width:1.2}
.gdl-state .symbol{stroke:#000000;stroke-width:1.6px;paint-order:stroke}
.gdl-state .card{fill:#fffefa;stroke:var(--edge)} .gdl-state .card~text{fill:var(--on-square)}
.gdl-state .card~.red{fill:#b3202c} .gdl-state .new>.card{stroke:var(--new);stroke-width:3}
.gdl-state .ink{stroke:var(--side)} .gdl-state .drawn{stroke:#cc6633}
.gdl-state .corner{fill:var(--soft)}
.gdl-state .side{stroke-width:6;stroke-linecap:round}
""".strip()
"""The style sheet of the pictures, for pages that do not allow styles inside of them."""
