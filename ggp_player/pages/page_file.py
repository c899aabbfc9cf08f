"""A page as one file, which a browser opens without a server.

All is in the file: the data as JSON, the styles, and the ES modules of the player's pages, joined
to one. It loads nothing and runs nothing else, as its Content-Security-Policy says. The templates
are in ``file_templates``, apart from those of served pages, which have nothing inline.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) )", re.MULTILINE)


def page_in_a_file(
    template: str, styles: Iterable[str], module: str, data: object, **values: object
) -> str:
    """Render a template with static files by name and data that its module reads from JSON.

    The template gets ``policy``, ``style``, ``module`` and ``data`` besides the ``values``.
    """
    style = "".join(map(_static, styles))
    joined = "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in _modules(module))
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(joined)}"
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("ggp_player.pages", each) for each in ("file_templates", "templates")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        policy=policy, style=Markup(style), module=Markup(joined), data=Markup(text), **values
    )


def _modules(name: str, met: set[str] | None = None) -> Iterator[str]:
    """Yield a module's text after those of the modules that it imports, each once.

    No two of them may give a name at their top to different things: they share it in the file.
    """
    met = {name} if met is None else met
    text = _static(name)
    for imported in _IMPORT.findall(text):
        if imported not in met:
            met.add(imported)
            yield from _modules(imported, met)
    yield text


def _static(name: str) -> str:
    return (files("ggp_player.pages") / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The source of a Content-Security-Policy that allows a text in the file."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
