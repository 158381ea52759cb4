#include "scenario_defaults.hpp"

#include <algorithm>
#include <cmath>

#include "base/node_number.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

const Place nowhere{"default", 0, 0};

std::string text_of(const Node* n) {
  return n != nullptr && n->is_text() ? std::get<std::string>(n->value) : std::string();
}

/// The catalog entry that a key names, as text or as a table's `catalog`.
std::string entry_name(const Node* n) {
  return n == nullptr || n->is_text() ? text_of(n) : text_of(n->find("catalog"));
}

/// A count that the reader has not checked yet: other values, and those too large to multiply, give `otherwise`.
std::int64_t whole(const Node* n, std::int64_t otherwise = 0, std::int64_t most = 1'000'000) {
  const auto* i = n != nullptr ? std::get_if<std::int64_t>(&n->value) : nullptr;
  return i != nullptr && *i >= 0 && *i <= most ? *i : otherwise;
}

constexpr std::int64_t most_gpus = 1'000'000'000'000, most_batch = 100'000'000;
constexpr std::int64_t most_hall_gpus =
    1'000'000'000'000'000;  // the end of the key's range: more is a finding of its own

class Filler {
 public:
  Filler(Reading& reading, Scenario& s)
      : reading_(reading),
        s_(s),
        values_(reading.catalog.values("defaults", "scenario")),
        entry_(parse_toml(reading.catalog.text("defaults", "scenario"), "defaults")),
        sources_(*entry_.find("sources")),
        ranges_(*entry_.find("assumed")) {}

  /// A default by its path in the entry; null if there is none.
  const Node* value(const std::string& table, const std::string& key) const {
    const Node* t = table.empty() ? &values_ : values_.find(table);
    return t != nullptr ? t->find(key) : nullptr;
  }
  std::string source(const std::string& path) const { return text_of(sources_.find(path)); }
  /// Sets `key` of the table at `path` and notes it, unless it is there.
  void put(Node& table, const std::string& path, const std::string& key, const Node* value, const std::string& source) {
    if (value == nullptr || !(table.is_table() || std::holds_alternative<std::monostate>(table.value)) ||
        table.find(key) != nullptr)
      return;
    Node placed = *value;
    placed.place = nowhere;
    s_.defaults.push_back({path + "." + key, placed.text(), source});
    table.set(key, std::move(placed));
  }
  /// The same, with the default of this path in the entry.
  void put(Node& table, const std::string& path, const std::string& key, const std::string& from) {
    put(table, path, key, value(from, key), source(from + "." + key));
  }

  /// The range or the words of a default join what is assumed; whole numbers double from the low end to the high one.
  /// @param times of the key's value to the entry's
  void assume(const std::string& from, const std::string& key, const Node& used, std::int64_t times = 1);

  void hall(Node& item, const std::string& path);
  void job(Node& item, const std::string& path, Node& root);

 private:
  void batch(Node& plan, const std::string& path);
  void life(Node& item, const std::string& path);

  Reading& reading_;
  Scenario& s_;
  bool unread_ = false;  // a hall names a GPU or a server that the catalog does not have
  Node values_, entry_, sources_, ranges_;
};

/// The table at `key`, made empty where it is missing; null where it is something else.
Node* table_at(Node& root, const std::string& key) {
  Node* n = root.find(key);
  if (n == nullptr) n = &root.set(key, Node{Node::Table{}, nowhere});
  return n->is_table() ? n : nullptr;
}

bool has_any(const Node& table, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* k) { return table.find(k) != nullptr; });
}

/// The tables of a list.
std::vector<Node*> items(Node& root, const char* key) {
  std::vector<Node*> out;
  Node* list = root.find(key);
  if (list == nullptr || !list->is_array()) return out;
  for (auto& item : std::get<Node::Array>(list->value))
    if (item.is_table()) out.push_back(&item);
  return out;
}

std::int64_t gpus_of_halls(Node& root) {
  std::int64_t n = 0;
  for (const Node* hall : items(root, "hall")) n += whole(hall->find("n_gpu"), 0, most_hall_gpus);
  return n;
}

void Filler::assume(const std::string& from, const std::string& key, const Node& used, std::int64_t times) {
  const Node* range = ranges_.find(from);
  if (range == nullptr) return;
  const auto& ends = std::get<Node::Array>(range->value);
  if (ends.front().is_text()) {
    catalog::AssumedInput a{key, 0.0, 0.0, 0.0, source(from), {}, {}};
    for (const Node& word : ends) a.words.push_back(std::get<std::string>(word.value));
    reading_.assumed.push_back(std::move(a));  // the reader of the scenario gives them their places
    return;
  }
  const auto by = static_cast<double>(times);
  const auto number = [by](const Node& n) { return by * number_in(n).value(); };
  catalog::AssumedInput a{key, number(used), number(ends[0]), number(ends[1]), source(from), {}};
  if (std::holds_alternative<std::int64_t>(used.value)) {
    const auto n = 1 + static_cast<int>(std::floor(std::log2(a.high / a.low)));
    for (int i = 0; i < n; ++i) a.values.push_back(std::ldexp(a.low, i));
  }
  reading_.assumed.push_back(std::move(a));
}

/// Micro-batches per replica and the batch of all replicas: from the batch per replica, or the default of both.
void Filler::batch(Node& plan, const std::string& path) {
  Node* replica = plan.find("replica_batch_sequences");
  if (plan.find("global_batch_sequences") != nullptr) {
    if (replica != nullptr)
      reading_.findings.push_back({replica->place, path + ".replica_batch_sequences",
                                   "give the batch once: per replica, or for all as global_batch_sequences"});
    return;
  }
  const std::int64_t pp = whole(plan.find("pp"), 1), model = whole(plan.find("tp"), 1) * whole(plan.find("cp"), 1) * pp;
  const std::int64_t dp =
      model > 0 ? std::clamp<std::int64_t>(whole(plan.find("n_gpu"), 0, most_gpus) / model, 1, most_batch) : 1;
  std::int64_t each = whole(replica, 0, most_batch);
  const Place place = replica != nullptr ? replica->place : nowhere;
  if (replica == nullptr) {
    each = whole(value("batch", "micro_batches_per_stage")) * pp * whole(plan.find("micro_batch_sequences"), 1);
    s_.defaults.push_back(
        {path + ".replica_batch_sequences", std::to_string(each), source("batch.micro_batches_per_stage")});
  }
  if (each <= 0 || each > most_batch) return;
  plan.set("global_batch_sequences", Node{each * dp, place});
  const Node* per_stage = value("batch", "micro_batches_per_stage");
  if (replica == nullptr)
    assume("batch.micro_batches_per_stage", path + ".global_batch_sequences", *per_stage, each / whole(per_stage) * dp);
}

void Filler::life(Node& item, const std::string& path) {
  const Node* given = item.find("life");
  if (given != nullptr && (!given->is_table() || given->find("catalog") != nullptr)) return;
  Node* table = table_at(item, "life");
  const std::string name = text_of(value("", "life"));
  const Node entry = reading_.catalog.values("job", name);
  std::vector<Finding> none;
  std::vector<catalog::AssumedInput> assumed;
  reading_.catalog.resolve(Node{name, nowhere}, "job", path + ".life", none, assumed);
  for (const auto& f : list_fields(workload::JobParams{})) {
    if (!f.required || table->find(f.key) != nullptr) continue;
    put(*table, path + ".life", f.key, entry.find(f.key), "catalog job/" + name);
    for (const auto& a : assumed)
      if (a.key == path + ".life." + f.key) reading_.assumed.push_back(a);
  }
}

void Filler::hall(Node& item, const std::string& path) {
  const auto unknown = [&](const char* kind, const std::string& name) {
    return !name.empty() && !reading_.catalog.has(kind, name);
  };
  const auto consequence = [&](const char* key) {
    if (item.find(key) == nullptr) reading_.consequences.push_back(path + "." + key);
  };
  const std::string gpu = entry_name(item.find("gpu"));
  put(item, path, "server", value("server_for", gpu), source("server_for." + gpu));
  if (unknown("gpu", gpu)) consequence("server");
  const std::string server = entry_name(item.find("server"));
  if (!reading_.catalog.has("server", server)) {
    unread_ = unread_ || unknown("gpu", gpu) || unknown("server", server);
    if (unread_) consequence("plant");
    return;
  }
  const char* cooling = reading_.catalog.values("server", server).find("liquid") != nullptr ? "liquid" : "air";
  put(item, path, "plant", value("plant_for", cooling), source(std::string("plant_for.") + cooling));
}

void Filler::job(Node& item, const std::string& path, Node& root) {
  const auto halls = items(root, "hall");
  const std::string server = halls.empty() ? "" : entry_name(halls.front()->find("server"));
  put(item, path, "network", value("network_for", server), source("network_for." + server));
  if (item.find("network") == nullptr && unread_) reading_.consequences.push_back(path + ".network");
  life(item, path);
  Node* plan = item.find("plan");
  if (plan == nullptr || !plan->is_table()) return;
  const std::string plan_path = path + ".plan";
  const bool staged = whole(plan->find("pp"), 1) > 1;
  for (const auto& [key, v] : std::get<Node::Table>(value("", "plan")->value)) {
    const std::string from = !staged && value("plan_without_stages", key) != nullptr ? "plan_without_stages" : "plan";
    if (plan->find(key) == nullptr) assume(from + "." + key, plan_path + "." + key, *value(from, key));
    put(*plan, plan_path, key, from);
  }
  Node* n_gpu = plan->find("n_gpu");
  if (text_of(n_gpu) == "all") {
    if (items(root, "job").size() > 1)
      reading_.findings.push_back({n_gpu->place, plan_path + ".n_gpu",
                                   "\"all\" is for one job alone; say how many GPUs each of these jobs uses"});
    const std::int64_t n = gpus_of_halls(root);
    n_gpu->value = n;
    if (n == 0) reading_.consequences.push_back(plan_path + ".n_gpu");  // a hall's own number is a finding
  }
  batch(*plan, plan_path);
}

/// The only item of a list needs no name.
void name_only_item(Node& root, const char* list, const char* name) {
  const auto all = items(root, list);
  if (all.size() == 1 && all.front()->find("name") == nullptr)
    all.front()->set("name", Node{std::string(name), nowhere});
}

}  // namespace

void name_only_items(Node& root) {
  name_only_item(root, "hall", "a");
  name_only_item(root, "job", "main");
}

void fill_defaults(Reading& reading, Node& root, const LoadOptions& options, Scenario& s) {
  if (!root.is_table()) return;
  Filler fill(reading, s);
  if (Node* run = table_at(root, "run")) fill.put(*run, "run", "duration_h", "run");
  if (Node* weather = table_at(root, "weather");
      weather != nullptr && options.weather_epw.empty() && !has_any(*weather, {"epw", "csv", "climate"}))
    fill.put(*weather, "weather", "climate", "weather");
  if (Node* site = table_at(root, "site"); site != nullptr && !has_any(*site, {"feeder", "delivery"}))
    fill.put(*site, "site", "feeder", "site");
  if (Node* grid = table_at(root, "grid"); grid != nullptr && !has_any(*grid, {"catalog", "source", "frequency"}))
    fill.put(*grid, "grid", "catalog", "grid");
  for (Node* hall : items(root, "hall")) fill.hall(*hall, "hall." + name_of(*hall, 0));
  for (Node* job : items(root, "job")) fill.job(*job, "job." + name_of(*job, 0), root);
}

void drop_consequences(Reading& reading) {
  const auto follows = [&](const Finding& f) {
    return std::find(reading.consequences.begin(), reading.consequences.end(), f.key) != reading.consequences.end();
  };
  if (!std::all_of(reading.findings.begin(), reading.findings.end(), follows))  // without a cause they are the findings
    std::erase_if(reading.findings, follows);
}

}  // namespace TIDEWATT_NAMESPACE::sim
