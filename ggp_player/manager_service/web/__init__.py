"""What the manager answers over HTTP: the API, which is JSON, and pages for people.

Start reading in ``routes``, the table of all requests: ``openapi`` describes them, ``models`` has
their JSON, ``admission`` decides who may make them, ``api`` does what they ask for, and ``summary``
makes standings of results. ``pages`` shows the same to people.
"""
