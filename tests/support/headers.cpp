// Nothing of its own: compiles the headers that all tests share (tests/CMakeLists.txt).
