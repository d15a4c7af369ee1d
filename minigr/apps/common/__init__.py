"""Code that several apps share: checks of arguments, searches, orders and orientations."""
