"""The smallest case that the Python tests share: 512 GPUs, four replicas of the 405B model, for some minutes."""
from pathlib import Path

import tidewatt as tw

ROOT = Path(__file__).resolve().parents[2]
DAY = ROOT / "scenarios" / "llama3_405b_day.toml"
SETTINGS = {
    "hall.a.n_gpu": 512,
    "job.main.plan.n_gpu": 512,
    "job.main.plan.global_batch_sequences": 64,
    "record.window.sample.start_s": 150,
    "record.window.sample.duration_s": 30,
}


def tiny(minutes=6.0, **more):
    return tw.load(DAY, set={**SETTINGS, "run.duration_h": minutes / 60, **more})
