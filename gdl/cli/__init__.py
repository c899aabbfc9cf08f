"""The commands of ``gdl``, one a module.

``gdl.__main__`` lists them. In come the arguments of the command line, out go texts on the standard
output; the work is done by the packages below. ``lazy_group`` imports the command that is called
for, ``arguments`` has the types of arguments and the options that command lines share, and
``options`` what several commands do with them: start reading there.
"""
