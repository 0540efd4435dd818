"""The tour behind `docs/screens.md`: a study with every screen, real servers, and a browser that walks through them."""
