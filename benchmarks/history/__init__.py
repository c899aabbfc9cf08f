"""Speed and strength over time: a line of JSON for each measurement, and a page with a plot of all.

:mod:`.measurements` reads and adds lines; :mod:`.page` makes the page.
"""
