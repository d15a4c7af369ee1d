"""Code that the answers that follow a dynamic graph share."""
