"""The one-way order of the parts, and of the rooms inside `sim`, read off the #include lines; CONTRIBUTING.md tells the same order."""
import re

import repository

BASE = {"base", "numerics"}
MODELS = {"workload", "power", "dvfs", "thermal", "cooling", "grid", "mitigation"}
BELOW_SIM = BASE | MODELS | {"catalog", "fleet", "connection"}
# part -> parts it may include besides itself. Models never include one another, except that a governor knows the power
# that it governs and a plant knows the hall that it cools. They meet in `fleet`, `connection` and `sim`.
MAY_INCLUDE = {
    "base": set(),
    "numerics": {"base"},
    "workload": BASE,
    "power": BASE,
    "dvfs": BASE | {"power"},
    "thermal": BASE,
    "cooling": BASE | {"thermal"},
    "grid": BASE,
    "mitigation": BASE,
    "catalog": BASE | MODELS,
    "fleet": BASE | {"workload", "power", "dvfs", "thermal", "mitigation"},
    "connection": BASE | {"power", "grid", "mitigation", "fleet"},
    "sim": BELOW_SIM,
    "io": BASE | {"sim"},
    "study": BELOW_SIM | {"sim", "io"},
    "validate": BELOW_SIM | {"sim", "io", "study"},
    "bench": BELOW_SIM | {"sim", "io", "study"},
}
ALL = set(MAY_INCLUDE)
# What stands above the library's parts and may include all of them.
FACES = {"cli"}

# Rooms of sim, ground floor first: a room may include itself and those before it. A file belongs to the room of its header; `x_more.cpp`
# to that of x.hpp.
ROOMS = {
    "result": "result result_column figure_list look_up port",
    "scenario": "kinds economics neighbour site_devices scenario scenario_check scenario_defaults scenario_grid scenario_inputs scenario_rack scenario_reading scenario_site "
                "inherit common_key shipped_scenarios build_fleet site_params site_weather load_groups grid_case gpu_step",
    "halls": "outside outdoor_air hall_books hall_loop plant_outages plant_steps planted_hall rack_flows hall_controls operator order_tiers transformer_watch feeder_loading replay",
    "record": "weighted_mean site_means job_series fleet_snapshot fan_report gpu_hours fleet_clocks recorder",
    "jobs": "agenda job job_report job_run heat_guard step_planner neighbour_load",
    "engine": "run engine engine_ports port_table simulation site_connection run_audit training_figures run_result grid_summary folded_power gpu_replay gpu_view iteration_view",
}
HANDBOOK = "CONTRIBUTING.md"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def part_of(path):
    """The part that a file belongs to; None for files outside the parts (umbrella header, bindings, tests)."""
    if path.parts[0] == "include" and len(path.parts) > 3:
        return path.parts[2]
    if path.parts[0] == "src" and len(path.parts) > 2:
        return path.parts[1]
    return None


def part_named(kind, name):
    """The part whose header an include line names; None for a file of the own folder or of another library."""
    folders = name.split("/")
    if folders[0] == "tidewatt":
        return folders[1] if len(folders) > 2 else "everything"
    return folders[0] if kind == '"' and len(folders) == 2 and folders[0] in ALL | FACES else None


def room_of(stem):
    """The room of a file of sim: that of the longest name in ROOMS that its own begins with; None if there is none."""
    words = stem.split("_")
    for n in range(len(words), 0, -1):
        for room, stems in ROOMS.items():
            if "_".join(words[:n]) in stems.split():
                return room
    return None


def rooms(root):
    """Includes from a room of sim into a later one, and files without a room."""
    floor = {room: i for i, room in enumerate(ROOMS)}
    paths = [p for p in repository.files(root) if part_of(p) == "sim" and p.suffix in {".hpp", ".cpp"}]
    stems = {p.stem for p in paths}
    findings = [f"{p}: no room of sim has it; ROOMS in {__file__} lists them" for p in paths if room_of(p.stem) is None]
    for path in paths:
        for _, name in INCLUDE.findall(repository.text(root, path) or ""):
            used = re.fullmatch(r"(?:(?:tidewatt/)?sim/)?(\w+)\.hpp", name)
            if not used or used.group(1) not in stems or room_of(path.stem) is None or room_of(used.group(1)) is None:
                continue
            if floor[room_of(used.group(1))] > floor[room_of(path.stem)]:
                findings.append(f"{path}: room '{room_of(path.stem)}' may not include '{room_of(used.group(1))}' ({name})")
    return findings


def told(text):
    """{part: what it may include} and the rooms, as the tables of the handbook tell them."""
    parts, room_names = {}, []
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        names = re.findall(r"`(\w+)`", cells[0])
        if len(cells) == 3 and names and set(names) <= ALL | FACES:
            before, _, but = cells[2].partition("all above")
            allowed = set(parts) - {but.removeprefix(" but ")} if "all above" in cells[2] else set(before.replace("–", "").replace(",", " ").split())
            parts |= {name: allowed - {name} for name in names}
        elif len(cells) == 2 and len(names) == 1 and names[0] in ROOMS:
            room_names += names
    return parts, room_names


def handbook(root):
    """Where the handbook's tables differ from what is enforced."""
    text = repository.text(root, HANDBOOK) if (root / HANDBOOK).is_file() else None
    if text is None:
        return []
    parts, room_names = told(text)
    findings = [f"{HANDBOOK}: '{p}' may include {', '.join(sorted(MAY_INCLUDE[p])) or 'nothing'}; the table says {', '.join(sorted(parts.get(p, {'nothing of it'}))) or 'nothing'}"
                for p in MAY_INCLUDE if parts.get(p) != MAY_INCLUDE[p]]
    if room_names != list(ROOMS):
        findings.append(f"{HANDBOOK}: the rooms of sim are {', '.join(ROOMS)}, in this order; the table has {', '.join(room_names) or 'none'}")
    return findings


def check(root):
    findings = rooms(root) + handbook(root)
    for path in repository.files(root):
        part = part_of(path) if path.suffix in {".hpp", ".cpp"} else None
        if part is None:
            continue
        if part not in ALL | FACES:
            findings.append(f"{path}: '{part}' is not a part; the table in {__file__} lists them")
            continue
        allowed = ALL if part in FACES else MAY_INCLUDE[part] | {part}
        for match in INCLUDE.finditer(repository.text(root, path) or ""):
            kind, name = match.groups()
            used = part_named(kind, name)
            if path.parts[0] == "include" and kind == '"' and not name.startswith("tidewatt/"):
                findings.append(f"{path}: {name}: a public header includes public ones only")
            elif used is not None and used not in allowed:
                findings.append(f"{path}: part '{part}' may not include '{used}' ({name})")
            elif used is None and kind == '"' and "/" in name:
                findings.append(f"{path}: {name}: a file of another folder is reached as tidewatt/<part>/… where it is public, else as <part>/…")
            elif used is None and path.parts[0] == "include" and ("/" in name or "." in name):
                findings.append(f"{path}: <{name}>: public headers need the standard library only")
    return findings


if __name__ == "__main__":
    repository.main(check)
