"""The catalog and sizing from Python."""

import pytest
import tidewatt as tw

from interrupted import answer_s
from tiny_case import DAY, SETTINGS, tiny

LARGE = {**SETTINGS, "run.macro_step_s": 10, "run.macro_step_max_s": 10, "hall.a.n_gpu": 8192, "job.main.plan.n_gpu": 8192,
         "job.main.plan.global_batch_sequences": 1024}  # fmt: skip


def test_entries_are_listed_and_exported_for_one_s_own_hardware(tmp_path):
    catalog = tw.Catalog()
    assert "h100_sxm_700W" in catalog.names("gpu") and {"gpu", "climate", "grid"} <= set(catalog.kinds)
    assert len(catalog.frame) == sum(len(catalog.names(kind)) for kind in catalog.kinds)
    assert "tdp_W" in catalog.text("gpu/h100_sxm_700W") and "h100_sxm_700W" in catalog._repr_html_()
    mine = tmp_path / "mine" / "gpu" / "own.toml"
    catalog.export("h100_sxm_700W", mine)
    mine.write_text(mine.read_text().replace('name = "h100_sxm_700W"', 'name = "own"'))
    assert "own" in tw.Catalog(tmp_path / "mine").names("gpu")
    with pytest.raises(FileExistsError):
        catalog.export("h100_sxm_700W", mine)


def test_a_wrong_name_says_the_nearest():
    with pytest.raises(tw.InputError, match="h100_sxm_700W"):
        tw.Catalog().text("h100_sxm_700")
    with pytest.raises(KeyError, match="climate"):
        tw.Catalog().names("climat")


def test_a_rack_is_the_sum_of_its_parts_and_says_what_it_fits():
    catalog = tw.Catalog()
    rack = catalog.rack("gb300_nvl72")
    for end in ("low", "nominal", "high"):
        parts = dict(rack[end])
        assert parts.pop("input_W") == pytest.approx(sum(parts.values()))
    assert rack["n_gpu"] == 72 and rack["vendor_W"][0] <= rack["nominal"]["input_W"] <= rack["vendor_W"][1]
    chain = catalog.supply_chain("chain_480V_ups", 2e6)
    assert chain["connection_W"] == pytest.approx(2e6 + sum(s["loss_W"] for s in chain["stages"])) and chain["closure"] < 1e-12
    assert not catalog.misfits(rack="gb300_nvl72", plant="cdu_dry_cooler")
    assert [key for key, _ in catalog.misfits(gpu="h100_sxm_700W_liquid", server="dgx_h100")] == ["server"]
    with pytest.raises(tw.InputError, match="gb300_nvl72"):
        catalog.rack("gb300_nvl7")


def test_sizing_finds_what_passes_and_its_run_confirms_it():
    scenario = tiny(4, **{"site.rules": "power_stabilization_example"})
    asked = []
    sizing = tw.size(scenario, evaluations=4, progress=lambda name, margin: asked.append(name))
    assert sizing.n_evaluation == len(asked) > 0
    assert sizing.best.shape[1] == 22 and (abs(sizing.best.steady_change_frac) < 0.1).all() and (sizing.best.store_years >= 0).all()
    assert list(sizing.best.yearly_USD[sizing.best.passes]) == sorted(sizing.best.yearly_USD[sizing.best.passes])
    if sizing.cheapest is not None:
        assert tw.run(sizing.cheapest).summary["compliance"] in ("pass", "undecided")


def test_a_callback_that_raises_stops_the_search_and_rules_are_needed():
    scenario = tiny(4, **{"site.rules": "power_stabilization_example"})

    def stop(name, margin):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        tw.size(scenario, progress=stop)
    with pytest.raises(tw.InputError, match="rules"):
        tw.size(tiny(4))
    with pytest.raises(ValueError, match="evaluations"):
        tw.size(scenario, evaluations=1)


@pytest.mark.parametrize("work", ["size", "most_gpus", "compare"])
def test_ctrl_c_is_answered_at_once(work):
    """Also in the middle of a simulation. Best of three: the machine may be busy."""
    scenario = tw.load(DAY, set={**LARGE, "site.rules": "power_stabilization_example"})
    calls = {
        "size": lambda: tw.size(scenario),
        "most_gpus": lambda: tw.most_gpus(scenario, contract_W=1e7),
        "compare": lambda: tw.compare(DAY, DAY.with_name("llama3_405b_costs.toml"), set=LARGE),
    }
    assert answer_s(lambda _: calls[work]()) < 0.2


def test_a_contract_bounds_the_gpus():
    scenario = tiny(120)
    few, more = (tw.most_gpus(scenario, contract_W=W) for W in (1e6, 2e6))
    assert 0 < few["n_gpu"] <= more["n_gpu"] <= 2.1 * few["n_gpu"] + 8  # fixed losses make it a little more than twice
    assert few["n_gpu"] == min(few["limits"].values())


def test_a_new_site_is_built_for_the_gpus_found():
    scenario = tiny(120)
    built, fresh = (tw.most_gpus(scenario, contract_W=2e6, new_site=new) for new in (False, True))
    assert set(fresh["limits"]) == {"contract"} < set(built["limits"])
    assert fresh["n_gpu"] % fresh["unit_gpus"] == 0 and fresh["connection_W"] <= 2e6
    assert fresh["n_rack"] == -(-fresh["n_gpu"] // 16)


def test_the_best_cap_is_the_one_with_most_tokens_behind_the_contract():
    answer = tw.best_cap(tiny(6), contract_W=5e6, lowest_frac=0.5, caps=4)
    caps = answer["caps"]
    assert [c["cap_W"] for c in caps] == pytest.approx([700, 700 * 5 / 6, 700 * 2 / 3, 350])
    assert all(a["tokens_per_s"] > b["tokens_per_s"] and a["connection_MW"] > b["connection_MW"] and a["n_gpu"] < b["n_gpu"] for a, b in zip(caps, caps[1:]))
    assert answer["best_cap_W"] == max(caps, key=lambda c: c["tokens_per_J"])["cap_W"]
    assert answer["knee"] in ("none", "boards", "voltage_floor", "servers", "connection") and answer["knee_text"]
    with pytest.raises(tw.InputError, match="three caps"):
        tw.best_cap(tiny(6), caps=2)
