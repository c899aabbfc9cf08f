"""The match runner: it asks the players of one match, and holds them to the rules and the clocks.

Start reading in ``game_manager``; ``players`` says what a player is to it. :mod:`ggp_player.play`
has it also go back to earlier steps, and give the seats to others.
"""
