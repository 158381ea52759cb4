"""Acceptance of orders to draw less: by caps, and by tiers of jobs, judged as they are metered."""
import product
from checks_utility import SCENARIOS, command


def check_orders(report):
    """An order judged as it is metered, against the result's own means."""
    scenario = SCENARIOS / "curtailment_cap.toml"
    # A fifth below what the site draws: the shipped 2 MW are above its mean, so as it is metered they ask for nothing.
    sets = {"event.order.limit_MW": 1.6}
    if report.quick:
        sets = {"hall.a.n_gpu": 512, "job.main.plan.n_gpu": 512, "job.main.plan.global_batch_sequences": 64, "event.order.limit_MW": 0.4}
    result = report.run(scenario, sets=sets).json["result_file"]
    more = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    order = command(report, "orders", scenario, result, *more)["orders"][0]
    report.judge("order by caps: means of 5 and 15 minutes", [s["n"] for s in order["settlements"]] == [6, 2] and order["met"],
                 "; ".join(f"{s['interval_min']:g} min: {s['n_over']} of {s['n']} over, highest {s['worst_MW']:.3f} MW" for s in order["settlements"]), f"6 and 2, at most {order['limit_MW']:g} MW")
    asked, given = order["asked_percent"], order["given_percent"]
    report.judge("order asks for a cut", asked >= 10, f"{asked:.1f} %", "at least 10 %")
    report.judge("given against asked", asked <= given <= asked + 3, f"asked {asked:.1f} %, given {given:.1f} %, rebound {order['rebound_MW']:.3f} MW", "asked to 3 points more")


def check_tiers(report):
    """Orders that three jobs meet tier by tier: caps of one, then a pause of another, never the third."""
    scenario = SCENARIOS / "curtailment_tiers.toml"
    tokens = {}

    def ordered(limit_MW, **more):
        sets = {"event.order.limit_MW": limit_MW, **more}
        result = report.run(scenario, sets=sets)
        if result.code != 0:
            raise RuntimeError(result.stderr)
        words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
        answer = command(report, "orders", scenario, result.json["result_file"], "--baseline-s", "1800", *words)
        return answer["orders"][0], {j["name"]: j for j in answer["jobs"]}, result.json

    order, jobs, run = ordered(9)  # asks for nothing
    before_MW, tokens = order["baseline_MW"], {j["name"]: j["tokens"] for j in run["jobs"]}
    report.judge("tiers: an order above the load touches nobody", order["met"] and all(j["capped_s"] is None and j["paused_s"] is None for j in jobs.values()),
                 f"{before_MW:.3f} MW, limit 9 MW", "no job capped or paused")
    all_given = ordered(0.5 * before_MW)
    most_percent = all_given[0]["given_percent"]  # with every tier at its end
    report.judge("tiers: what all of them can give", 15 <= most_percent <= 30, f"{most_percent:.1f} %", "a quarter of the GPUs paused, a quarter capped: 15 to 30 %")
    for name, limit_MW in (("caps suffice", 0.95 * before_MW), ("caps, then the pause", (1 - 0.0095 * most_percent) * before_MW)):
        order, jobs, run = ordered(limit_MW)
        first, second, never = jobs["research"], jobs["batch"], jobs["main"]
        report.judge(f"tiers, {name}: met by means of 5 and 15 minutes", order["met"] and [s["n"] for s in order["settlements"]] == [6, 2] and order["response_s"] == 0,
                     f"asked {order['asked_percent']:.1f} %, given {order['given_percent']:.1f} %, response {order['response_s']} s, rebound {order['rebound_MW']:.3f} MW", "met, from its first minute")
        paused = second["paused_s"] is not None
        in_order = paused and first["lowest_cap_s"] is not None and first["capped_s"] <= first["lowest_cap_s"] < second["paused_s"] <= second["stopped_s"]
        report.judge(f"tiers, {name}: order kept", in_order if name != "caps suffice" else first["capped_s"] is not None and not paused,
                     f"research capped at {first['capped_s']} s, lowest cap at {first['lowest_cap_s']} s, batch paused at {second['paused_s']} s, stopped at {second['stopped_s']} s", "the pause after the lowest cap, or none")
        report.judge(f"tiers, {name}: production is not touched", never["capped_s"] is None and never["paused_s"] is None and abs(never["given_percent"]) < 1,
                     f"{never['given_percent']:+.2f} % of its power", "within 1 %")
        report.judge(f"tiers, {name}: all are released at the end", all(j["released_s"] is None or abs(j["released_s"] - order["end_s"]) < 1e-6 for j in jobs.values()) and first["released_s"] is not None,
                     f"released at {first['released_s']} s; batch trains again {second['back_s']} s after the end", "at the end of the order")
        # Two ways to one figure: rows of macro steps against a baseline, and tokens of two runs.
        lost = {j["name"]: tokens[j["name"]] - j["tokens"] for j in run["jobs"]}
        worst = max(abs(jobs[n]["tokens_given"] - lost[n]) / tokens[n] for n in ("research", "batch"))
        report.at_most(f"tiers, {name}: tokens given up against a run without the order, share of the run's", worst, 0.01, note=", ".join(f"{n} {jobs[n]['tokens_given']:.4g}, {lost[n]:.4g}" for n in ("research", "batch")))
        if name == "caps suffice":
            report.judge("tiers, caps suffice: no more than was asked", order["given_percent"] <= order["asked_percent"] + 3, f"asked {order['asked_percent']:.1f} %, given {order['given_percent']:.1f} %", "3 points")
    order, jobs, run = ordered(0.95 * before_MW, **{"job.research.curtailment.tier": 3})
    report.judge("tiers turned round: the pause alone", jobs["batch"]["paused_s"] is not None and jobs["research"]["capped_s"] is None,
                 f"batch paused at {jobs['batch']['paused_s']} s, research capped at {jobs['research']['capped_s']}", "another order, another job")
    order, jobs, run = all_given
    report.judge("tiers: an order beyond all of them says by how much", not order["met"] and abs(order["short_MW"] - (max(s["worst_MW"] for s in order["settlements"]) - order["limit_MW"])) < 1e-9 and order["short_MW"] > 0.1
                 and jobs["main"]["capped_s"] is None, f"short by {order['short_MW']:.3f} MW of {order['baseline_MW'] - order['limit_MW']:.3f} MW asked", "not met, production not touched")
    for what, key, value, wanted in (("a word that is none", "job.batch.curtailment.may", "stop", "pause"), ("a cap below the lowest clock", "job.research.curtailment.lowest_cap_W", 90, "can have"),
                                     ("caps of all jobs, one of them untouchable", "event.order.by", "cap", "may never be touched")):
        outcome = product.call([report.binary, "check", scenario, "--set", f"{key}={value}"])
        report.judge(f"tiers: {what}", outcome.code == 2 and wanted in outcome.stderr, outcome.stderr.strip().replace("\n", " ")[:160], "exit 2")
