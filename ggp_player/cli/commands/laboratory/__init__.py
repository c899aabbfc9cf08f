"""The command lines of ``ggp-player lab``; these modules import only what click reads."""
