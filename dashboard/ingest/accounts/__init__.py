"""Accounts of people and of chatbots: writes their changes with all consequences."""
