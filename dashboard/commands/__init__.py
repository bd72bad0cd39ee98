"""The command line: what `python app.py COMMAND` does, but for serving."""
