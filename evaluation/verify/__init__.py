"""Verification of logs: every episode is played again from its replies, and everything logged is compared."""
