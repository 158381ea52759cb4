"""The numbers of a report's page, read as its script reads them."""
import base64
import json
import re
import zlib

import numpy as np


def charts_in(page):
    """The charts of a page's html, with their arrays."""
    texts = [re.search(rf'<script type="application/[-a-z]*" id="{name}">(.*?)</script>', page, re.S)[1] for name in ("charts", "arrays")]
    return unpacked(*texts)


def unpacked(text, arrays):
    """What `page_data.packed` packed, from its two texts."""
    block = np.frombuffer(zlib.decompress(base64.b64decode(arrays)), dtype=np.uint8)

    def values(spec):
        n = spec["n"]
        if "at" not in spec:
            return spec["from"] + spec["step"] * np.arange(n)
        planes = block[spec["at"] : spec["at"] + n * spec["planes"]].reshape(spec["planes"], n).astype(np.int64)
        top = 256 ** spec["planes"] - 1
        share = np.cumsum(sum(plane * 256**k for k, plane in enumerate(planes))) % (top + 1)
        return np.where(share == top, np.nan, spec["low"] + spec["range"] * share / (top - 1))

    def walk(item):
        if isinstance(item, dict):
            return values(item) if "n" in item and ("at" in item or "step" in item) else {key: walk(x) for key, x in item.items()}
        return [walk(x) for x in item] if isinstance(item, list) else item

    return walk(json.loads(text))
