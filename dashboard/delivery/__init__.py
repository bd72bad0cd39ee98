"""The way out to the chatbots: posts what admins did to their webhooks."""
