"""The language of conditions for threads, parsed once and read in several ways.

`parse` makes a Query of a text, `resolve` puts ids and instants into it, and the readers take the
result: `holds` and ConditionIndex here, `dashboard/db/conditions` in SQL. The meaning is in
docs/requirements/views.md, the fields as data in `fields.py`.
"""
