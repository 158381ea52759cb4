#include "sample_result.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tidewatt::io::Hdf5Sink(argv[1]).write(sample_result());
}
