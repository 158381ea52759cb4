#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "commands.hpp"
#include "standard_files.hpp"
#include "study/load_model.hpp"
#include "tidewatt/base/error.hpp"

namespace {

int fail(int code, const char* what) {
  fmt::print(stderr, "tidewatt: {}\n", what);
  return code;
}

/// Runs allocate the same large arrays repeatedly: memory returned to the system in between would come back page by page.
void keep_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  guard_standard_files();
  keep_memory();
  CLI::App app{"tidewatt: power and heat of AI training clusters, simulated together", "tidewatt"};
  app.set_version_flag("--version", TIDEWATT_VERSION);
  int exit_code = 0;
  add_commands(app, exit_code);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 0;
  }
  if (const std::string word = argv[1]; !word.starts_with('-'))
    if (const std::string wrong = wrong_command(app, word); !wrong.empty()) return fail(2, wrong.c_str());
  try {
    app.parse(argc, argv);
    // A summary that did not reach its reader is a failed write, not a success.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail(74, "standard output could not be written");
    return exit_code;
  } catch (const CLI::ExtrasError&) {
    return fail(2, wrong_arguments(app).c_str());
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const tidewatt::InputError& e) {
    return fail(2, e.what());
  } catch (const tidewatt::SolverError& e) {
    return fail(3, e.what());
  } catch (const tidewatt::study::UnfitError& e) {
    return fail(5, e.what());
  } catch (const tidewatt::RefusedError& e) {
    return fail(4, e.what());
  } catch (const tidewatt::OutputError& e) {
    return fail(74, e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return fail(3, e.what());
  } catch (const std::system_error& e) {  // what fmt throws where printing fails
    return fail(74, e.what());
  } catch (const std::bad_alloc&) {
    return fail(4, "out of memory");
  } catch (const std::exception& e) {
    return fail(3, e.what());
  }
}
