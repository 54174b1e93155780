"""What figures have in common: a style and the marks of the lines."""
