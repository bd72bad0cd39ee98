"""The language of conditions: which threads a list holds, parsed once and read in several ways.

`parse` makes a Query of a text, `resolve` puts ids and instants into it, and the readers take what
comes out: `holds` and ConditionIndex here, `dashboard/db/conditions` in SQL. The meaning stands in
docs/requirements/views.md, the fields as data in `fields.py`.
"""
