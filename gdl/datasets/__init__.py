"""Datasets: random play by the million as files, for engines of others and for learning.

In comes a compiled game, out go rows, one for each state of a playout: its facts, the legal moves
of each role, the joint move that was made, goals, whether it is terminal, and percepts. Start
reading in :mod:`.recording`: it plays a block of playouts at a time and keeps them as arrays.
:mod:`.json_lines` and :mod:`.parquet` write those; the latter needs PyArrow. :mod:`.cluster` plays
blocks on the machines of a Ray cluster. Where results are enough, :mod:`.match_results` has a row
for each match, also on a GPU.

The playouts are numbered, and each block has random numbers of its own: the same seed makes the
same rows, however many there are, and on whichever machine a block is played.
"""

from gdl.datasets.cluster import Job, record_on_cluster
from gdl.datasets.json_lines import json_lines
from gdl.datasets.match_results import MatchResults, play_matches, result_lines
from gdl.datasets.parquet import ArrowRows, ParquetFile, require_parquet
from gdl.datasets.recording import BLOCK, Recorder, Recording, blocks_of

__all__ = [
    "BLOCK",
    "ArrowRows",
    "Job",
    "MatchResults",
    "ParquetFile",
    "Recorder",
    "Recording",
    "blocks_of",
    "json_lines",
    "play_matches",
    "record_on_cluster",
    "require_parquet",
    "result_lines",
]
