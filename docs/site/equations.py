"""Equations as the headers write them, in Unicode, as LaTeX."""
import re

SYMBOL = {"·": r"\cdot ", "÷": "/", "−": "-", "≤": r"\le ", "≥": r"\ge ", "<=": r"\le ", ">=": r"\ge ", "→": r"\to ", "←": r"\leftarrow ", "⇒": r"\;\Rightarrow\;",
          "±": r"\pm ", "∫": r"\int ", "Σ": r"\sum ", "½": r"\tfrac12 ", "∞": r"\infty ", "°C": r"\,^\circ\mathrm{C}", "%": r"\,\%", "…": r"\ldots ",
          "∈": r"\in ", "×": r"\times ", "≈": r"\approx ", "*": "^*", "Π": r"\prod ", "≠": r"\ne "}
GREEK = dict(zip("αβγδεζηθικλμνξπρστφχψω", "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau varphi chi psi omega".split()))
GREEK |= {"Δ": "Delta", "Ω": "Omega", "Φ": "Phi", "Λ": "Lambda", "Γ": "Gamma"}
POWER = {"²": "2", "³": "3", "⁴": "4", "⁻": "-", "¹": "1", "⁺": "+", "ⁿ": "n"}
LOW = {"₀": "0", "₁": "1", "₂": "2", "₃": "3"}
SHORT_WORDS = {"at", "in", "as", "by", "of", "to", "it", "no", "is", "or", "on", "if"}
FUNCTION = {"exp", "min", "max", "sin", "cos", "ln", "log", "sqrt", "tan", "tanh"}
NAME = re.compile(r"[A-Za-zα-ωΔΩΦΛΓṁ]+̄?")
BOX = re.compile("[─│┌┐└┘├┤┬┴┼◄►]")


class NoEquation(Exception):
    """The line is a drawing or prose."""


def letters(word, subscript=False):
    """A name: Greek by letter, one Latin letter in italics, more of them upright."""
    if word == "ṁ":
        return r"\dot m"
    if word.endswith("\u0304"):
        return rf"\bar {word[0]}"
    parts = re.findall("[" + "".join(GREEK) + "]|[A-Za-z]+", word)
    out = [rf"\{GREEK[p]} " if p in GREEK else p if len(p) == 1 else rf"\mathrm{{{p}}}" for p in parts]
    return "".join(out)


def group(text, at):
    """Text within the brackets that open at `at`, and the place behind them."""
    opens, closes = text[at], {"(": ")", "{": "}", "[": "]"}[text[at]]
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opens) - (text[i] == closes)
        if depth == 0:
            return text[at + 1 : i], i + 1
    raise NoEquation(text)


def subscript(text, at):
    if text[at] == "{":
        inner, at = group(text, at)
        return latex(inner), at
    found = re.compile(r"[A-Za-z0-9α-ωΔ.]+(?:,[A-Za-z0-9]+)*").match(text, at)
    if not found:
        raise NoEquation(text)
    words = [w if re.fullmatch(r"[\d.]+", w) else rf"\mathrm{{{w}}}" if len(w) > 1 and w.isascii() and w not in ("ij", "ik", "kj") else w if w in ("ij", "ik", "kj") else letters(w) for w in found[0].rstrip(".").split(",")]
    return ",".join(words), at + len(found[0].rstrip("."))


def prose(words):
    return rf"\text{{ {words} }}"


def latex(text):  # noqa: C901 - a grammar, one branch for each of its forms
    """One expression."""
    out, at = [], 0
    while at < len(text):
        c = text[at]
        two = text[at : at + 2]
        if two in SYMBOL:
            out.append(SYMBOL[two])
            at += 2
        elif c in POWER:
            run = re.compile("[" + "".join(POWER) + "]+").match(text, at)[0]
            out.append("^{" + "".join(POWER[x] for x in run) + "}")
            at += len(run)
        elif c in LOW:
            out.append("_{" + LOW[c] + "}")
            at += 1
        elif c == "√" or text.startswith("sqrt(", at):
            at += 1 if c == "√" else 4
            if text[at] == "(":
                inner, at = group(text, at)
            else:
                inner = NAME.match(text, at)[0]
                at += len(inner)
            out.append(rf"\sqrt{{{latex(inner)}}}")
        elif c == "^":
            if text[at + 1] in "{(":
                inner, at = group(text, at + 1)
                out.append("^{" + latex(inner) + "}")
            else:
                found = re.compile(r"-?[\w.]+").match(text, at + 1)
                out.append("^{" + latex(found[0]) + "}")
                at += 1 + len(found[0])
        elif c == "_":
            inner, at = subscript(text, at + 1)
            out.append(f"_{{{inner}}}")
        elif c == "'":
            out.append("'")
            at += 1
        elif found := re.compile(r"\d+(?:\.\d+)?e-?\d+").match(text, at):
            number, power = found[0].split("e")
            out.append(rf"{number}\cdot 10^{{{power}}}" if number != "1" else rf"10^{{{power}}}")
            at += len(found[0])
        elif found := re.compile(r"\d[\d,]*(?:\.\d+)?").match(text, at):
            out.append(found[0].rstrip(",").replace(",", "{,}"))
            at += len(found[0].rstrip(","))
        elif found := NAME.match(text, at):
            word = found[0]
            at += len(word)
            if word in FUNCTION:
                out.append(rf"\{word} ")
            elif (len(word) > 2 or word in SHORT_WORDS) and word.isascii() and word.islower() and (at >= len(text) or text[at] != "_"):
                out.append(prose(word))
            else:
                out.append(letters(word) if len(word) < 2 or not word.isascii() else (rf"\mathrm{{{word}}}" if word.isupper() or len(word) > 2 else " ".join(word)))
        elif c in SYMBOL:
            out.append(SYMBOL[c])
            at += 1
        elif c in "+-/=<>()[]|,;:. !":
            out.append({"<": r"\lt ", ">": r"\gt ", "[": "[", "]": "]"}.get(c, c))
            at += 1
        elif c in "{}":
            out.append("\\" + c)
            at += 1
        elif c.isspace():
            out.append(" ")
            at += 1
        else:
            raise NoEquation(f"{c!r} in {text!r}")
    return "".join(out)


PROSE = re.compile(r"\b(?:[a-z]{2,}|a|an|I)\b[ ,:;]+(?:[a-z]{3,}|of|to|is|a)\b")


def line(text):
    """One line of a block: expressions and remarks with wide gaps between them."""
    pieces = [p for p in re.split(r"\s{3,}|(?<=[,;])\s{2,}", text.strip()) if p]
    out = []
    for piece in pieces:
        n_word = len(re.findall(r"(?<![_\w])[a-z]{3,}\b(?![_(])", piece))
        if PROSE.search(piece) and n_word >= 2 and "=" not in piece:
            escaped = re.sub(r"([#&$])", r"\\\1", piece)  # MathJax shows _ and % of a text as they are
            out.append(rf"\text{{{escaped}}}")
        else:
            out.append(latex(piece))
    return r" \qquad ".join(out)


def typeset(block):
    """An indented block of a header as LaTeX. Raises NoEquation: it is a drawing or prose"""
    lines = [text for text in block.splitlines() if text.strip()]
    if any(BOX.search(text) for text in lines):
        raise NoEquation(block)
    words = len(re.findall(r"(?<![_\w])[a-z]{3,}\b(?![_(])", block)) - len(re.findall(r"\b(?:exp|min|max|sin|cos|sqrt|where)\b", block))
    if words > 4 * len(lines):
        raise NoEquation(block)
    joined = []
    for text in lines:  # a line that breaks inside brackets belongs to the one before
        if joined and sum(joined[-1].count(c) for c in "([") > sum(joined[-1].count(c) for c in ")]"):
            joined[-1] += " " + text.strip()
        else:
            joined.append(text)
    rows = [line(text) for text in joined]
    return rows[0] if len(rows) == 1 else r"\begin{aligned}" + "\n" + " \\\\\n".join("& " + row for row in rows) + "\n" + r"\end{aligned}"


def typeset_blocks(text):
    """A comment with its indented equations as math blocks; drawings and prose stay as they are."""
    def one(match):
        block = match[0]
        try:
            return "\n```{math}\n" + typeset(block) + "\n```\n\n"
        except NoEquation:
            return block
    return re.sub(r"(?m)(?:^    .*\n?)+", one, text)
