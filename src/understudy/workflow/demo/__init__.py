"""The demo: a ready study in the browser, with simulated people arriving."""
