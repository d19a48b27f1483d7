"""The laboratory in words: experiments about something hidden, then one door."""
