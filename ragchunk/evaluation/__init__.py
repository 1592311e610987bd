"""Questions whose answers are known, and what a chunking makes of them."""
