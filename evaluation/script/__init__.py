"""Script languages, in which replies are written: `Think('...'); Go(12);`, read strictly or tolerantly."""
