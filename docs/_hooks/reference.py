"""The pages of the reference, which are made from the commands and the docstrings themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from gdl.__main__ import main as gdl_main
from ggp_player.__main__ import main as ggp_player_main

PACKAGES = ("gdl", "gdl.envs", "gdl.engine", "ggp_player.strategies")
"""The packages whose public names are documented."""

PROGRAMS: dict[str, click.Command] = {"gdl": gdl_main, "ggp-player": ggp_player_main}


def _prose(text: str) -> str:
    """Text of a help as Markdown, with options and file names as code."""
    text = re.sub(r"([\\*_\[])", r"\\\1", " ".join(text.split()))
    text = text.replace("<", "&lt;").replace("|", "&#124;")
    return re.sub(r"(?<![\w-])(--?[a-z][a-z-]*)", r"`\1`", text)


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help; those that click keeps as they are become blocks of code."""
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```text\n{paragraph[2:]}\n```"
        else:
            yield _prose(paragraph)


def command_text(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """Yield the paragraphs about a command and those below it."""
    yield f"{'#' * level} {'The command ' if level == 1 else ''}{context.command_path}"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```"
    yield from _paragraphs(command.help or "")
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    records = [option.get_help_record(context) for option in options]
    rows = [f"| `{record[0]}` | {_prose(record[1])} |" for record in records if record]
    yield "\n".join(["| option | what it does |", "|---|---|", *rows])
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            inner = click.Context(child, parent=context, info_name=name)
            yield from command_text(child, inner, level + 1)


def package_text(package: str) -> Iterator[str]:
    """Yield the lines of the page about a package: what it is, then each public name."""
    yield from (f"# The package {package} {{#{package}}}", "", f"::: {package}", "    options:")
    yield from ("      members: false", "      show_root_heading: false")
    yield from ("      show_root_toc_entry: false", "")
    for name in import_module(package).__all__:
        yield from (f"::: {package}.{name}", "")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the reference."""
    for package in PACKAGES:
        text = "\n".join(package_text(package))
        files.append(File.generated(config, f"reference/{package}.md", content=text))
    for program, command in PROGRAMS.items():
        context = click.Context(command, info_name=program)
        text = "\n\n".join(command_text(command, context, 1))
        name = f"reference/{program.replace('-', '_')}_command.md"
        files.append(File.generated(config, name, content=text))
    return files
