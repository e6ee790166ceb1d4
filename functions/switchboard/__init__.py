"""The call router: a pure domain, use cases over ports, and the adapters that reach AWS."""
