#pragma once
#include <functional>
#include <span>
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Writes `bytes` to `path` completely or not at all, even if the machine stops meanwhile: a temporary file beside it is
/// written, synced and renamed, then the folder is synced. An older file under that name stays until the rename.
/// The temporary file is `PATH.tmp-<pid>-<k>`; it is removed on any failure. Only a killed process leaves one: the next
/// write of that path removes it.
/// @param path a new name or a regular file, in a folder that exists.
/// @throws OutputError with the system's reason; no file remains, unless the final sync of the folder
/// failed: then the whole file has its name, but may not survive a power cut.
void write_durably(const std::string& path, std::span<const char> bytes);

/// Takes the next bytes of a file.
using Append = std::function<void(std::span<const char>)>;

/// The same for a file that need not fit into memory: `fill` is called once and appends it piece by piece.
/// @throws OutputError as above, and whatever `fill` throws; then no file remains
void write_durably_in_pieces(const std::string& path, const std::function<void(const Append&)>& fill);

/// Tries whether a file could be written there, before work that takes long: a temporary file of 64 KiB is written, synced
/// and removed. @throws OutputError with the system's reason: a missing folder, a full or read-only disk
void try_output(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::io
