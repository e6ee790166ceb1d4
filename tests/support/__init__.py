"""What several suites need: worlds with a clock of their own, faults on purpose, tables as deployed."""
