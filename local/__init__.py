"""The embedded AWS: servers on loopback, the stack deployed to them, and what is needed to use it."""
