"""Accounts of people and of chatbots: what is written together, and what follows from it."""
