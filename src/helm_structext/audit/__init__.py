"""What every metric, component and preset sees, and how each is fooled: measured on generated scenes."""
