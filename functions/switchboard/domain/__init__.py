"""What is true of agents, calls and lines, whatever stores them: values in, values out."""
