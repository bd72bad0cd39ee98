"""The command line: one module a subject, one function a command."""
