"""What is deployed: `stack.py` composes, one construct per capability."""
