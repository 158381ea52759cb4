#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "sim/common_key.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

const std::string recompute = "job.main.plan.recompute", sharding = "job.main.plan.sharding";

std::string assumed(const std::string& rest) { return "\n[[assumed]]\nsource = \"a test\"\n" + rest + "\n"; }
std::string words(const std::string& key, const std::string& list) {
  return assumed("key = \"" + key + "\"\nwords = " + list);
}

const catalog::AssumedInput* find(const sim::Scenario& s, const std::string& key) {
  const auto at = std::find_if(s.assumed.begin(), s.assumed.end(), [&](const auto& a) { return a.key == key; });
  return at == s.assumed.end() ? nullptr : &*at;
}

Finding finding(const std::string& more) {
  try {
    tiny(more);
  } catch (const InputError& e) {
    REQUIRE(e.findings().size() == 1);
    return e.findings().front();
  }
  FAIL("accepted");
  return {};
}

/// Hall, GPU, model and sizes of the plan: all else comes from defaults.
sim::Scenario minimal(const std::string& plan, const std::string& n_gpu = "64",
                      const std::string& model = "llama3_8b") {
  return sim::load_scenario_text("schema = 1\n[[hall]]\nn_gpu = " + n_gpu +
                                     "\ngpu = \"h100_sxm_700W\"\n[[job]]\nmodel = \"" + model + "\"\n[job.plan]\n" +
                                     plan,
                                 "minimal.toml", ".");
}

const std::vector<std::string>& texts(const sim::Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<std::string>>(a.values);
  throw std::runtime_error("no array " + path);
}

}  // namespace

TEST_CASE("words that a scenario assumes are places in the key's list, in its order") {
  const auto s = tiny(words(recompute, R"(["full", "none"])"));
  const auto* a = find(s, recompute);
  REQUIRE(a != nullptr);
  CHECK(a->words == std::vector<std::string>{"none", "full"});
  CHECK(a->values == std::vector<double>{0, 3});  // none, selective, operators, full
  CHECK((a->low == 0.0 && a->high == 3.0));
  CHECK(a->text(a->value) == s.jobs.front().plan.recompute);
  CHECK(a->choices() == "none or full");
  CHECK(a->source == "a test");
}

TEST_CASE("a place sets its word, and nothing else") {
  const auto s = tiny(words(recompute, R"(["full", "none"])"));
  const auto* a = find(s, recompute);
  for (std::size_t i = 0; i < a->words.size(); ++i) {
    const auto drawn = sim::with_values(s, {{recompute, a->values[i]}});
    CHECK(drawn.jobs.front().plan.recompute == a->words[i]);
    CHECK(drawn.jobs.front().plan.sharding == s.jobs.front().plan.sharding);
    CHECK(drawn.jobs.front().plan.n_gpu == s.jobs.front().plan.n_gpu);
  }
  for (const double no_place : {4.0, -1.0, 0.5, std::nan(""), 1e300})
    CHECK_THROWS_AS(sim::with_values(s, {{recompute, no_place}}), InputError);
}

TEST_CASE("an unknown word is one finding with its line, the words and the nearest") {
  const auto f = finding(words(recompute, R"(["none", "ful"])"));
  CHECK(f.key == "assumed.1.words");
  CHECK(f.place.file == "tiny.toml");
  CHECK(f.place.line > 1);
  CHECK(f.message ==
        "'ful' is not one of the words of job.main.plan.recompute: none, selective, operators, full (did you mean "
        "'full'?)");
}

TEST_CASE("words that cannot be drawn from are refused with their reason") {
  const auto refused = [](const std::string& more) { return finding(more).message; };
  CHECK(refused(words(recompute, R"(["none"])")) == "at least two words are needed");
  CHECK(refused(words(recompute, R"(["none", "none"])")) == "'none' is listed twice");
  CHECK(refused(words(recompute, R"(["selective", "full"])")) ==
        "the scenario has job.main.plan.recompute = none, which is none of selective, full");
  CHECK(refused(words("job.main.plan.tp", R"(["1", "2"])")) ==
        "'job.main.plan.tp' takes no word of a list in this scenario");
  CHECK(refused(assumed("key = \"" + recompute + "\"\nvalues = [0, 3]")) ==
        "job.main.plan.recompute takes a word: give words, some of none, selective, operators, full");
  CHECK(refused(assumed("key = \"" + recompute + "\"\nlow = 0\nhigh = 3\nwords = [\"none\", \"full\"]")) ==
        "give words, or low and high, or values");
  CHECK(refused(words("hall.a.switch_profile", R"(["networking", "reduced_bandwidth"])")) ==
        "'hall.a.switch_profile' acts on other keys only while the scenario is read");
}

TEST_CASE("a word that is set is known") {
  const auto s = tiny(words(recompute, R"(["none", "full"])"), {recompute + "=\"full\""});
  CHECK(find(s, recompute) == nullptr);
  CHECK(s.jobs.front().plan.recompute == "full");
}

TEST_CASE("what a plan does not say of recomputation and sharding is assumed, with the words of its kind") {
  const auto staged = minimal("tp = 8\npp = 2\n");
  REQUIRE(find(staged, recompute) != nullptr);
  REQUIRE(find(staged, sharding) != nullptr);
  CHECK(find(staged, recompute)->words == std::vector<std::string>{"none", "selective", "full"});
  CHECK(find(staged, recompute)->text(find(staged, recompute)->value) == "none");
  CHECK(find(staged, sharding)->words == std::vector<std::string>{"none", "zero1", "fsdp"});
  CHECK(find(staged, sharding)->text(find(staged, sharding)->value) == "fsdp");
  CHECK_FALSE(find(staged, sharding)->source.empty());
  const auto one = minimal("tp = 8\npp = 1\n");
  CHECK(find(one, sharding)->words == std::vector<std::string>{"none", "zero1", "zero2", "fsdp", "zero3"});
  const auto said = minimal("tp = 8\npp = 2\nrecompute = \"full\"\nsharding = \"zero1\"\n");
  CHECK(find(said, recompute) == nullptr);
  CHECK(find(said, sharding) == nullptr);
}

TEST_CASE("words with which a plan does not fit are left out before any draw, with a note") {
  // 70 billion weights on 64 GPUs: an optimizer that is not sharded over the eight replicas does not fit.
  const auto s = minimal("tp = 8\npp = 1\n", "64", "llama3_70b");
  const auto* a = find(s, sharding);
  REQUIRE(a != nullptr);
  CHECK(std::count(a->words.begin(), a->words.end(), "none") == 0);
  CHECK(a->words.size() == a->values.size());
  const auto note = std::find_if(s.notes.begin(), s.notes.end(), [](const std::string& n) {
    return n.starts_with("job.main.plan.sharding = none is not drawn: one GPU of stage 0 needs");
  });
  CHECK(note != s.notes.end());
  for (const double x : a->values) CHECK_NOTHROW(sim::check(sim::with_values(s, {{sharding, x}})));
}

TEST_CASE("an input with one word left is none") {
  // Experts have no recomputation of single operators: `none` alone is left.
  const auto s = minimal(
      "tp = 1\npp = 1\nep = 8\nrecompute = \"none\"\n[[assumed]]\nkey = \"job.main.plan.recompute\"\n"
      "words = [\"none\", \"operators\"]\nsource = \"a test\"\n",
      "64", "mixtral_8x7b_like");
  CHECK(find(s, recompute) == nullptr);
  CHECK(std::any_of(s.notes.begin(), s.notes.end(), [](const std::string& n) {
    return n == "job.main.plan.recompute = operators is not drawn: operators is known for dense layers only";
  }));
}

TEST_CASE("a result names the word used and those that are equally likely") {
  const auto r = sim::run(tiny(words(recompute, R"(["none", "full"])"), {"run.duration_h=0.01"}));
  const auto& keys = texts(r, "/trust/key");
  const auto i = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), recompute) - keys.begin());
  REQUIRE(i < keys.size());
  CHECK(texts(r, "/trust/word")[i] == "none");
  CHECK(texts(r, "/trust/words")[i] == "none or full");
  for (const char* number : {"/trust/value", "/trust/low", "/trust/high"}) CHECK(std::isnan(reals(r, number)[i]));
  for (std::size_t k = 0; k < keys.size(); ++k)
    CHECK(texts(r, "/trust/word")[k].empty() == std::isfinite(reals(r, "/trust/value")[k]));
}

TEST_CASE("a result says what each assumed input has done to a headline") {
  const auto r = sim::run(tiny("", {"run.duration_h=0.01"}));
  const auto& keys = texts(r, "/trust/key");
  const auto& effects = reals(r, "/trust/largest_effect_frac");
  REQUIRE(keys.size() == effects.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    INFO(keys[i]);
    const bool moves = std::isnan(reals(r, "/trust/low")[i]) || reals(r, "/trust/low")[i] < reals(r, "/trust/high")[i];
    const double known = moves ? sim::known_effect_frac(keys[i]) : 0.0;
    CHECK((effects[i] == known || (std::isnan(effects[i]) && std::isnan(known))));
  }
}
