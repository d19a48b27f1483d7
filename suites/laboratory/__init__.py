"""The laboratory in words and in pictures: experiments about something hidden, then one door."""
