"""What this machine has: packages, programs, fonts."""
