"""What every package may use. It knows none of them, but for `subscribers`."""
