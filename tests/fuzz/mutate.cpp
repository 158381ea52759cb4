// Stands in for libFuzzer where there is no Clang: NUMBER FILE… feeds changed copies of the files to the target.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<std::string> corpus;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::mt19937_64 draw(1);
  const long n = std::strtol(argv[1], nullptr, 10);
  for (long k = 0; k < n; ++k) {
    std::string text = corpus[draw() % corpus.size()];
    for (std::uint64_t change = draw() % 6; change < 6 && !text.empty(); ++change) {
      const std::size_t at = draw() % text.size();
      const std::uint64_t kind = draw() % 4;
      if (kind == 0) text[at] = static_cast<char>(draw());
      if (kind == 1) text.erase(at, 1 + draw() % 20);
      if (kind == 2) text.insert(at, text.substr(draw() % text.size(), draw() % 40));
      if (kind == 3) text.insert(at, std::string(1 + draw() % 4, "[]{}\".=#\n0e-,"[draw() % 13]));
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::printf("%ld inputs\n", n);
  return 0;
}
