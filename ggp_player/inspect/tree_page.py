"""Search trees as one HTML file, in which a browser moves, zooms, folds and unfolds.

All is in the file: the nodes as JSON, the style, and the ES modules of the player's pages. It loads
nothing and runs nothing else, as its Content-Security-Policy says.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ggp_player.inspect.tree_drawing import legend
from ggp_player.inspect.tree_figure import FigureLimits, TreeFigure, TreeNode

PAGE_LIMITS = FigureLimits(nodes=5_000, width=None)
"""What a file holds, unless asked otherwise: some megabytes."""


def tree_html(figure: TreeFigure, heading: str) -> str:
    """Write a figure as an HTML file; nodes that are not open begin folded."""
    style, module = _static("tree.css"), _static("tree.js")
    helpers = b64encode(_static("dom.js").encode()).decode()
    imports = json.dumps({"imports": {"./dom.js": f"data:text/javascript;base64,{helpers}"}})
    scripts = " ".join(map(_hash, (imports, module)))
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {scripts} data:"
    data = json.dumps(_values(figure.root), ensure_ascii=True).replace("<", "\\u003c")
    environment = Environment(
        loader=PackageLoader("ggp_player.inspect"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("tree.html").render(
        heading=heading,
        legend="; ".join(legend(figure)),
        policy=policy,
        style=Markup(style),
        imports=Markup(imports),
        module=Markup(module),
        data=Markup(data),
    )


def _static(name: str) -> str:
    return (files("ggp_player.pages") / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The source of a Content-Security-Policy that allows a text in the file."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _values(node: TreeNode) -> dict[str, object]:
    """A node as values for JSON, as ``tree.js`` reads them."""
    return {
        "shape": node.shape.name.lower(),
        "text": node.text,
        "title": node.title,
        "edge": node.edge,
        "remarks": node.remarks,
        "principal": node.is_principal,
        "seen": node.is_seen,
        "states": node.states,
        "hidden": node.hidden,
        "open": node.is_open,
        "children": list(map(_values, node.children)),
    }
