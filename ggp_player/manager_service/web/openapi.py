"""The description of the API as an OpenAPI document, made of the table of its requests."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from aiohttp import web
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gdl.version import __version__
from ggp_player.manager_service.storage.tokens import Role
from ggp_player.manager_service.web.models import ProblemShown

_Api = TypeVar("_Api")

_TEXT = {"text/acl": {"schema": {"type": "string"}}}

REFERENCE = "#/components/schemas/{model}"


@dataclass(frozen=True, slots=True)
class Route(Generic[_Api]):
    """A request, method and path: ``role`` may make it, None is everybody.

    ``sent`` and ``answered`` are JSON. An answer is one of ``answered`` or a list of them; without
    a model it is any JSON. With ``is_text`` it is plain text, and so is what is posted. ``query``
    has the parameters with what they do.
    """

    request: str
    handler: Callable[[_Api, web.Request], Awaitable[web.StreamResponse]]
    answered: type[BaseModel] | None = None
    sent: type[BaseModel] | None = None
    role: Role | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    is_list: bool = False
    is_stream: bool = False
    is_text: bool = False

    @property
    def method(self) -> str:
        """The method of HTTP."""
        return self.request.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with names of its variable parts in braces."""
        return self.request.partition(" ")[2]

    @property
    def summary(self) -> str:
        """What the request does: the first sentence of its handler's docstring."""
        text = self.handler.__doc__ or self.request  # without docstrings in optimized code
        return text.splitlines()[0].partition(". ")[0].removesuffix(".")


def openapi_document(routes: Sequence[Route[_Api]]) -> dict[str, Any]:
    """Describe the requests."""
    models: set[type[BaseModel]] = {
        model for route in routes for model in (route.sent, route.answered) if model
    }
    models.add(ProblemShown)
    ordered = sorted(models, key=lambda model: model.__name__)
    _, definitions = models_json_schema(
        [(model, "validation") for model in ordered], ref_template=REFERENCE
    )
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Manager of General Game Playing matches", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route[_Api]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "responses": {
            "default": {"description": "It cannot be done", "content": _content(ProblemShown)},
            "2XX": {"description": "Done", "content": _answer_content(route)},
        },
    }
    if parameters := _parameters(route):
        found["parameters"] = parameters
    if route.sent is not None:
        found["requestBody"] = {"required": True, "content": _content(route.sent)}
    elif route.is_text and route.method == "POST":
        found["requestBody"] = {"required": True, "content": _TEXT}
    if route.role is not None:
        found["security"] = [{"token": []}]
        found["description"] = f"For the role {route.role} and those above it."
    return found


def _operation_id(route: Route[_Api]) -> str:
    return "_".join(re.findall(r"[a-z]+", f"{route.method.lower()} {route.path[4:]}"))


def _parameters(route: Route[_Api]) -> list[dict[str, Any]]:
    text = {"type": "string"}
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    in_query = [
        {"name": name, "in": "query", "description": what, "schema": text}
        for name, what in route.query.items()
    ]
    return in_path + in_query


def _content(model: type[BaseModel], kind: str = "application/json") -> dict[str, Any]:
    return {kind: {"schema": {"$ref": REFERENCE.format(model=model.__name__)}}}


def _answer_content(route: Route[_Api]) -> dict[str, Any]:
    model = route.answered
    if route.is_text:
        return _TEXT
    if model is None:
        return {"application/json": {"schema": {"type": "object"}}}
    if route.is_stream:
        return _content(model, "text/event-stream")
    if route.is_list:
        items = {"$ref": REFERENCE.format(model=model.__name__)}
        return {"application/json": {"schema": {"type": "array", "items": items}}}
    return _content(model)
