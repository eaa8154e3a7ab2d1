"""What an evaluation will take, before any model is asked."""
