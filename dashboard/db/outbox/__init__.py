"""What goes out to chatbots: outgoing events, webhooks, deliveries."""
