"""Files as a stranger forges them: changed at will, with every hash in them computed anew.

As a program, forgeries.py WHOLE FOLDER SECRET: writes those that take h5py, and prints name and path of each."""
import hashlib
import re
import shutil
import struct
import sys
from pathlib import Path

SEAL = b"\ntidewatt result 1 sha256 "
SIGNATURES = re.compile(rb"GCOL|OHDR|FRHP|FHDB|FHIB|BTHD|BTLF|BTIN|FAHD|FADB|OCHK")
CHECKPOINT = b"tidewatt checkpoint "
MASK = 0xFFFFFFFF


def image_of(data):
    return data[: data.rindex(SEAL)]


def sealed(image):
    hashed = image + SEAL
    return hashed + hashlib.sha256(hashed).hexdigest().encode() + b"\n"


def rotated(x, k):
    return (x << k | x >> (32 - k)) & MASK


def lookup3(key):
    """Jenkins' hash, with which HDF5 protects its own structure."""
    a = b = c = (0xDEADBEEF + len(key)) & MASK
    rest = key
    while len(rest) > 12:
        x, y, z = struct.unpack("<3I", rest[:12])
        a, b, c = (a + x) & MASK, (b + y) & MASK, (c + z) & MASK
        a = (a - c & MASK) ^ rotated(c, 4); c = c + b & MASK  # noqa: E702
        b = (b - a & MASK) ^ rotated(a, 6); a = a + c & MASK  # noqa: E702
        c = (c - b & MASK) ^ rotated(b, 8); b = b + a & MASK  # noqa: E702
        a = (a - c & MASK) ^ rotated(c, 16); c = c + b & MASK  # noqa: E702
        b = (b - a & MASK) ^ rotated(a, 19); a = a + c & MASK  # noqa: E702
        c = (c - b & MASK) ^ rotated(b, 4); b = b + a & MASK  # noqa: E702
        rest = rest[12:]
    if not rest:
        return c
    x, y, z = struct.unpack("<3I", rest.ljust(12, b"\0"))
    a, b, c = (a + x) & MASK, (b + y) & MASK, (c + z) & MASK
    for to, by, k in (("c", "b", 14), ("a", "c", 11), ("b", "a", 25), ("c", "b", 16), ("a", "c", 4), ("b", "a", 14), ("c", "b", 24)):
        value = {"a": a, "b": b, "c": c}
        value[to] = ((value[to] ^ value[by]) - rotated(value[by], k)) & MASK
        a, b, c = value["a"], value["b"], value["c"]
    return c


def header_end(image, at):
    """Where the checksum of an object header lies."""
    flags = image[at + 5]
    begin = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    return begin + width + int.from_bytes(image[begin : begin + width], "little")


def flipped(image, draws):
    """Some bytes changed: anywhere, near one of HDF5's own structures, or in an object header whose checksum is computed anew."""
    out = bytearray(image)
    kind = draws.randrange(3)
    places = [m.start() for m in SIGNATURES.finditer(image)]
    if kind == 2:
        places = [p for p in places if image[p : p + 4] == b"OHDR" and header_end(image, p) + 4 <= len(image)]
    begin = draws.choice(places)
    end = {0: len(out), 1: min(begin + 400, len(out)), 2: header_end(image, begin)}[kind]
    for _ in range(draws.choice((1, 1, 2, 8))):
        at = draws.randrange(begin + 4, end) if kind else draws.randrange(end)
        out[at] = draws.choice((0, 255, out[at] ^ 1 << draws.randrange(8), draws.randrange(256)))
    if kind == 2:
        out[end : end + 4] = struct.pack("<I", lookup3(bytes(out[begin:end])))
    return bytes(out)


def cut(image, draws):
    return image[: draws.randrange(len(image))]


def damaged_result(data, draws):
    change = cut if draws.random() < 0.1 else flipped
    return change.__name__, sealed(change(image_of(data), draws))


def of_state(data, draws):
    """A state of an engine with changed bytes, lengths or a cut, and its hash."""
    state = bytearray(data[:-64])
    kind = draws.randrange(4)
    if kind == 0:
        del state[draws.randrange(len(state)) :]
    elif kind == 1:
        for _ in range(draws.choice((1, 3, 20))):
            state[draws.randrange(len(state))] = draws.randrange(256)
    else:
        small = []  # a word with a small number may be a length, an index or a state
        while not small:
            start = draws.randrange(len(state) - 70000)
            words = struct.unpack("<8192Q", state[start : start + 65536])
            small = [start + 8 * i for i, word in enumerate(words) if 0 < word < 100000]
        at = draws.choice(small)
        old = struct.unpack("<Q", state[at : at + 8])[0]
        state[at : at + 8] = struct.pack("<Q", draws.choice((0, old + 1, old - 1, 2 * old, len(state) // 2, 1 << 40, (1 << 64) - 1)))
        if kind == 3:
            del state[at + 8 : at + 16]
    return ("cut", "bytes", "word", "shorter")[kind], bytes(state) + hashlib.sha256(state).hexdigest().encode()


def state_begin(body):
    """Where the state begins in a checkpoint's body: version, text and hours come before it (src/io/checkpoint.hpp)."""
    at = body.index(b"\n") + 1
    for _ in range(2):
        end = body.index(b"\n", at)
        at = end + 1 + int(body[at:end]) + 1
    return at


def of_checkpoint(data, draws):
    head, _, rest = data.split(b"\n", 2)
    at = state_begin(rest)
    if draws.random() < 0.2:
        kind, body = "header", bytearray(rest)
        body[draws.randrange(at)] = draws.randrange(256)
        body = bytes(body)
    else:
        kind, state = of_state(rest[at:], draws)
        body = rest[:at] + state
    return kind, head + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def with_h5py(whole, folder, secret):  # noqa: C901 - a list of forgeries, each its own few lines
    """Forgeries that another program writes: (name, path) each. `secret`: a result, of which no byte may be read"""
    import zlib

    import h5py
    import numpy as np

    old = "day/pcc_mean_W"

    def replaced(file):
        shape = file[old].shape
        del file[old]
        return shape

    def external(file):
        shape = replaced(file)
        file.create_dataset(old, shape, "<f8", external=[(str(secret), 0, 8 * shape[0])])

    def external_link(file):
        replaced(file)
        file[old] = h5py.ExternalLink(str(secret), "/" + old)

    def external_group(file):
        file["another"] = h5py.ExternalLink(str(secret), "/day")

    def soft_link(file):
        replaced(file)
        file[old] = h5py.SoftLink("/day/it_W")

    def virtual(file):
        shape = replaced(file)
        layout = h5py.VirtualLayout(shape, "<f8")
        layout[:] = h5py.VirtualSource(str(secret), old, shape=shape)
        file.create_virtual_dataset(old, layout)

    def second_name(file):
        file["day/again"] = file[old]

    def circle(file):
        file["day/day"] = file["day"]

    def named_type(file):
        file["day/type"] = np.dtype("<f8")

    def stale_dimensions(file):
        kind = h5py.h5t.vlen_create(h5py.h5t.STD_REF_OBJ)
        dataset = file.create_dataset("day/rank_2", data=np.zeros((3, 4)))
        attribute = h5py.h5a.create(dataset.id, b"DIMENSION_LIST", kind, h5py.h5s.create_simple((1,)))
        lists = np.empty(1, dtype=h5py.vlen_dtype(h5py.ref_dtype))
        lists[0] = np.array([file["day/time"].ref], dtype=h5py.ref_dtype)
        attribute.write(lists)

    def wrong_type(file):
        shape = replaced(file)
        file[old] = np.zeros(shape, "<f4")

    def rank_3(file):
        file["day/rank_3"] = np.zeros((2, 2, 2))

    def huge(file):
        file.create_dataset("day/huge", (10**10,), "<f8", chunks=(1000,))

    def huge_product(file):
        file.create_dataset("day/huge", (2**40, 2**40), "<f8", chunks=(10, 10))

    def huge_text(file):
        file.create_dataset("day/huge", (10**9,), h5py.string_dtype())

    def growing(file):
        file.create_dataset("day/grows", data=np.zeros(10), maxshape=(None,))

    def many(file):
        for k in range(40):
            file.create_dataset(f"day/many_{k}", (10**6,), "<f8", chunks=(10**6,), compression="gzip")

    def bomb(file):
        file.create_dataset("day/bomb", data=np.zeros(2 * 10**7), chunks=(2 * 10**7,), compression="gzip")

    def bomb_in_chunk(file):
        dataset = file.create_dataset("day/bomb", (1000,), "<f8", chunks=(1000,), compression="gzip")
        dataset.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 28), 1))

    def filter_unknown(file):
        file.create_dataset("day/lzf", data=np.zeros(2000), compression="lzf")

    def filter_scale(file):
        file.create_dataset("day/scaled", data=np.zeros(2000, "<i8"), scaleoffset=3)

    def fill(file):
        file.create_dataset("day/fill", (10,), "<f8", fillvalue=3.0)

    def attribute(file):
        file[old].attrs["valid_range"] = [1.0, 2.0]

    def attribute_list(file):
        file[old].attrs["units"] = ["W"] * 1000

    def deep(file):
        file["day/a/b/c/d/e"] = np.zeros(3)

    def escape(file):
        file["day/\x1b[31m"] = np.zeros(3)

    for change in (external, external_link, external_group, soft_link, virtual, second_name, circle, named_type, stale_dimensions, wrong_type,
                   rank_3, huge, huge_product, huge_text, growing, many, bomb, bomb_in_chunk, filter_unknown, filter_scale, fill, attribute,
                   attribute_list, deep, escape):  # fmt: skip
        path = folder / f"kind_{change.__name__}.h5"
        shutil.copy(whole, path)
        with h5py.File(path, "a") as file:
            change(file)
        data = path.read_bytes()
        at = data.find(SEAL)  # the seal of the original may be in the middle now: space that HDF5 has not used
        path.write_bytes(sealed(image_of(data) if 0 <= at == len(data) - len(SEAL) - 65 else data))
        yield change.__name__, path


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    folder.mkdir()
    for name, path in with_h5py(Path(sys.argv[1]), folder, Path(sys.argv[3])):
        print(name, path, sep="\t")
