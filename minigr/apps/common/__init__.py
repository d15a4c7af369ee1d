"""What several apps share: checks of their arguments, and what they search, order or orient by."""
