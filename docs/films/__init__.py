"""The tutorial films of the Two4Two studies: how they are drawn and what they say. `docs/tutorial_films.py` makes them."""
