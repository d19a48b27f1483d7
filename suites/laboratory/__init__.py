"""Laboratory in words and pictures: experiments on hidden states, then one door."""
