"""The outbox to chatbots: outgoing events, webhooks, deliveries."""
