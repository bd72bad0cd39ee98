"""The table of all commands: the module of each, beside this one, and what it does."""

#: Command → its module and its description. `--help` lists them in this order.
COMMANDS = {
    "serve": ("serve", "Serve the dashboard and the bot API."),
    "demo": ("demo", "Serve with demo data, a demo admin and a simulator."),
    "seed": ("demo", "Add demo threads; the same seed gives equal threads."),
    "simulate": ("demo", "Post events as chatbots would, until interrupted."),
    "rebuild": ("ordering", "Rebuild the order in Redis from SQL."),
    "check": ("ordering", "Compare Redis with SQL; exit code 1 if the order differs."),
    "backup": (
        "transfer",
        "Write the database and admins' files to one file, while Lineup is running.",
    ),
    "restore": (
        "transfer",
        "Restore a backup into an empty database, and bring its schema to the newest state.",
    ),
    "export": (
        "transfer",
        "Write all events to a file, as the bot API takes them, while Lineup is running.",
    ),
    "import": (
        "transfer",
        "Store the events of an export; events that are already stored are skipped.",
    ),
    "delete-customer": ("admins", "Delete all data of a customer."),
    "create-admin": ("admins", "Create an admin; the password is asked for."),
    "list-admins": ("admins", "List the admins."),
    "set-password": ("admins", "Set an admin's password and end their sessions."),
    "set-email": ("admins", "Change an admin's e-mail address and end their sessions."),
    "reset-second-factor": ("admins", "Remove an admin's second factor and end their sessions."),
    "disable-admin": ("admins", "Disable an admin, end their sessions, and release their threads."),
    "set-desks": ("admins", "Set the desks to which an admin belongs."),
    "create-desk": ("admins", "Create a desk, to which threads can be handed over."),
    "list-desks": ("admins", "List the desks."),
    "create-key": ("keys", "Create an API key for a chatbot; it is printed once."),
    "list-keys": ("keys", "List the API keys."),
    "revoke-key": ("keys", "Revoke an API key."),
    "create-webhook": (
        "keys",
        "Create a webhook for a chatbot; its id and its secret are printed once.",
    ),
    "list-webhooks": ("keys", "List the webhooks."),
    "rotate-webhook": (
        "keys",
        "Make a new secret for a webhook; the old one stays valid for a day.",
    ),
    "revoke-webhook": ("keys", "Revoke a webhook."),
    "audit": (
        "transfer",
        "Print the audit log of accounts, keys, webhooks and the like, oldest first.",
    ),
}
