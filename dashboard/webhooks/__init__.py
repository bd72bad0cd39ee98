"""Posts outgoing events to the webhooks of chatbots."""
