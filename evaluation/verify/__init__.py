"""Verification of logs: replays every episode and compares everything logged."""
