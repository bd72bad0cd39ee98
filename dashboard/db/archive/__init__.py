"""Threads that were closed so long ago that no list holds them."""
