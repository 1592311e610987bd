"""Importing torch, and calls that look at it, one after the other.

scipy asks of every array whether torch made it. While another thread is importing torch, half of
that module is there, and the question raises AttributeError.
"""

import threading

TORCH = threading.RLock()
