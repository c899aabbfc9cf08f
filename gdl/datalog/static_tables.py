"""Static tables that are kept from one program to the next, where the rules for them are the same.

Rules that are rewritten step by step are analysed after each step, and most of what is static stays
as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl.datalog.rule_index import RuleIndex
from gdl.datalog.symbol_table import Key
from gdl.language import RelationKey, Rule, body_atoms


@dataclass(frozen=True, slots=True, eq=False)
class StaticTable:
    """The rows of a static relation, and how many different values each column has.

    ``rules`` and ``facts`` define it, through the tables that it ``uses``.
    """

    rules: Sequence[Rule]
    facts: set[Key]
    uses: Sequence[StaticTable | None]
    rows: set[Key]
    sizes: Sequence[int]


class StaticTables:
    """The tables of the static relations of the programs so far, for one symbol table."""

    def __init__(self) -> None:
        self._known: dict[RelationKey, StaticTable] = {}

    def find(self, relation: RelationKey, rules: RuleIndex) -> StaticTable | None:
        """Return the table of a relation; None where it is not known, or its rules have changed.

        The tables that it is defined through must be up to date.
        """
        known = self._known.get(relation)
        if known is None:
            return None
        is_same = (
            known.rules == list(rules.rules_of(relation))
            and known.facts == rules.facts_of(relation)
            and known.uses == self._used(known.rules)
        )
        return known if is_same else None

    def keep(
        self, relation: RelationKey, rules: RuleIndex, rows: set[Key], sizes: Sequence[int]
    ) -> None:
        """Keep a table, unless its relation, or one that it uses, is recursive or too large."""
        self.forget(relation)
        own = list(rules.rules_of(relation))
        used = self._used(own)
        if not rules.component_of(relation) and None not in used:
            facts = rules.facts_of(relation)
            self._known[relation] = StaticTable(own, facts, used, rows, sizes)

    def forget(self, relation: RelationKey) -> None:
        """Keep nothing of a relation."""
        self._known.pop(relation, None)

    def _used(self, rules: Sequence[Rule]) -> list[StaticTable | None]:
        return [self._known.get(atom.relation) for rule in rules for atom, _ in body_atoms(rule)]
