"""Tests of ragchunk. No property fails because the machine is busy."""

from hypothesis import HealthCheck, settings

settings.register_profile("ragchunk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ragchunk")
