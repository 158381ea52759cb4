"""The command reference: what `tidewatt COMMAND --help` prints, for every command."""
import re
import subprocess


def help_of(binary, *words):
    return subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True).stdout


def subcommands(text):
    sections = re.split(r"(?m)^(\S[^:\n]*):$", text)
    return [name for title, body in zip(sections[1::2], sections[2::2]) if title not in ("Positionals", "Options")
            for name in re.findall(r"(?m)^  ([a-z][\w-]*)", body)]


def reference(binary):
    """All commands as Markdown, in the order in which `tidewatt --help` names them."""
    out = ["## All commands and options", "", "What `--help` prints.", "", "```text", help_of(binary).rstrip(), "```", ""]
    for name in subcommands(help_of(binary)):
        text = help_of(binary, name)
        out += [f"### tidewatt {name}", "", "```text", text.rstrip(), "```", ""]
        for below in subcommands(text):
            out += [f"#### tidewatt {name} {below}", "", "```text", help_of(binary, name, below).rstrip(), "```", ""]
    return "\n".join(out)
