"""Connects a chatbot with Lineup: posts its events, and gets what admins do, once and in order."""

from lineup_client.client import Lineup, Refused, Unavailable
from lineup_client.receiver import Receiver
from lineup_client.sender import Sender, clean_text

__all__ = ["Lineup", "Receiver", "Refused", "Sender", "Unavailable", "clean_text"]
