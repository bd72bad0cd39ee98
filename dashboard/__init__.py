"""The application: ingest, storage, ordering, push and HTTP."""
