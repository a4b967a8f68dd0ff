"""What the paper says, beside what a run gave."""
