"""Names and options of a user as text in a figure: one line of bounded length that nothing reads as a formula."""

LONGEST = 40  # letters: as many as a figure of one column has room for at 8 points


def words(text: object, most: int = LONGEST) -> str:
    """A text in one line of at most `most` letters, for matplotlib: "$" is a dollar."""
    return one_line(text, most).replace("$", r"\$")


def one_line(text: object, most: int = LONGEST) -> str:
    """A text in one line of at most `most` letters; what cannot be printed is written out."""
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(text)[: most + 1])
    return line if len(line) <= most else line[: most - 1] + "…"


def number(value: float, most: int = 7) -> str:
    """A number to four digits; as a power of ten where that takes more than `most` letters otherwise."""
    plain = f"{value:.4g}"
    if len(plain) > most or "e" in plain:
        digits, power = f"{value:.2e}".split("e")
        plain = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    return plain
