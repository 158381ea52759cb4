#pragma once
/// What every name of the library has in common: the version in its symbols, and whether a shared library offers it.

/// The version's namespace. A minor version may change the interface, so programs of two versions must not be mixed: their
/// symbols differ, and the linker reports it. CMakeLists.txt checks that it is the project's version.
#define TIDEWATT_VERSION_NAMESPACE v0_2

/// `namespace tidewatt` of this version; its parts are opened as `namespace TIDEWATT_NAMESPACE::sim {`. Users write `tidewatt::sim`.
#define TIDEWATT_NAMESPACE tidewatt::inline TIDEWATT_VERSION_NAMESPACE

/// Offered by the shared library; every other name is hidden in it.
#define TIDEWATT_API __attribute__((visibility("default")))
