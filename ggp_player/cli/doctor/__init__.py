"""The command ``ggp-player doctor``: is this machine ready for tomorrow's event?

:mod:`.checks` looks at the machine and the installation, :mod:`.trial_match` plays a short match.
"""
