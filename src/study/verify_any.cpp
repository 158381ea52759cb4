#include "verify_any.hpp"

#include <fstream>

#include "base/text.hpp"
#include "case_record.hpp"
#include "io/verified_file.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string verify_any(const std::string& path) {
  // A case file of a sweep is the only kind that `io` does not know.
  constexpr std::string_view of_case = "tidewatt case ";
  std::string head(of_case.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(head.data(), static_cast<std::streamsize>(head.size())) || head != of_case) return io::verify_file(path);
  decode(read_file(path, most_case_bytes), path);
  return "case of a sweep";
}

}  // namespace TIDEWATT_NAMESPACE::study
