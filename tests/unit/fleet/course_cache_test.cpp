#include "fleet/course_cache.hpp"

#include <array>
#include <memory>
#include <string>

#include "catch.hpp"
#include "llama_case.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

TEST_CASE("the cache keeps the latest courses, however many share one plane", "[fleet][course]") {
  constexpr std::size_t n_value = (3 << 20) / sizeof(double);  // two of three entries fit
  ChipPlane first;
  first.places = places_of(LlamaCase().model.iteration(std::array{1.0}), 0, 1.0);
  auto plane = std::make_shared<const ChipPlane>(first);
  int made = 0;
  const auto put = [&](int i) {
    return shared_courses("cache test " + std::to_string(i), [&] {
      ++made;
      std::vector<ClassCourse> out(1);
      out[0].plane = plane, out[0].own_sum.assign(n_value, 1.0);
      return out;
    });
  };
  for (int i = 0; i < 100; ++i) {
    if (i == 50) plane = std::make_shared<const ChipPlane>(*plane);
    const auto held = put(i);
    CHECK(put(i) == held);
  }
  CHECK(made == 100);
  put(98), put(99);
  CHECK(made == 100);
  const std::weak_ptr<const std::vector<ClassCourse>> early = put(10);
  CHECK(made == 101);  // it had gone
  put(100), put(101), put(102);
  CHECK(early.expired());
}
