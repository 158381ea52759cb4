#include "io/guarded_child.hpp"

#include <csignal>
#include <fstream>

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using io::ChildError;
using io::GuardedChild;
using io::sanitized;

namespace {

constexpr io::ChildLimits limits = {std::uint64_t{64} << 20U, 1};

std::string failure(const std::function<void(const GuardedChild::Send&)>& work) {
  try {
    GuardedChild(limits, work).receive(100);
  } catch (const ChildError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("blocks of a child arrive in order, of any length") {
  const std::string large(3 << 20U, 'x');
  GuardedChild child(limits, [&](const GuardedChild::Send& send) {
    send("first");
    send("");
    send(large);
  });
  std::string first(5, ' ');
  child.receive(first.data(), first.size());
  CHECK(first == "first");
  CHECK(child.receive(10).empty());
  CHECK(child.receive(4 << 20U) == large);
  CHECK_THROWS_AS(child.receive(10), ChildError);
}

TEST_CASE("a block that is longer than expected is refused unread") {
  GuardedChild child(limits, [](const GuardedChild::Send& send) { send("longer than four"); });
  CHECK_THROWS_AS(child.receive(4), ChildError);
}

TEST_CASE("an error in the child has its message here") {
  CHECK(failure([](const GuardedChild::Send&) { throw OutputError("/day/x: is a link"); }) == "/day/x: is a link");
}

TEST_CASE("a crash, an endless loop and a child that ends without an answer are errors here") {
  CHECK(failure([](const GuardedChild::Send&) { std::raise(SIGSEGV); }).find("damaged or forged") != std::string::npos);
  CHECK(failure([](const GuardedChild::Send&) { std::raise(SIGXCPU); }).find("longer") != std::string::npos);
  CHECK(failure([](const GuardedChild::Send&) {}).find("damaged or forged") != std::string::npos);
}

TEST_CASE("a child has no more memory than its limit") {
  if (sanitized) {
    WARN("skipped: a sanitizer reports a lack of memory itself");
    return;
  }
  const auto message = failure([](const GuardedChild::Send& send) { send(std::string(std::size_t{1} << 30U, 'x')); });
  CHECK(message.find("memory") != std::string::npos);
}

TEST_CASE("a child opens no file") {
  if (sanitized) {
    WARN("skipped: a sanitizer's own checks open pipes");
    return;
  }
  const ScratchFolder folder;
  std::ofstream(folder.file("secret")) << "secret";
  GuardedChild child(limits, [&](const GuardedChild::Send& send) {
    send(std::ifstream(folder.file("secret")).is_open() ? "open" : "shut");
  });
  CHECK(child.receive(10) == "shut");
}
