#pragma once
#include <cstdint>
#include <vector>

#include "export_file.hpp"
#include "export_record.hpp"

namespace TIDEWATT_NAMESPACE::io {

enum class ComtradeRevision : std::uint8_t { r1999, r2013 };
enum class ComtradeEncoding : std::uint8_t { ascii, binary, float32 };

/// A record after IEEE C37.111: 1999 as .cfg, .dat and .hdr, 2013 as one .cff with the same parts. Every analogue value is
///
///     x = a i + b,   a = (max − min)/(2 M),  b = (max + min)/2,  |i| <= M
///
/// with M = 99,998 in ASCII (99,999 marks a missing value), M = 32,767 in binary (−32,768 marks one); float32 stores x
/// itself (a = 1, b = 0). The largest rounding error is a/2; a constant channel is exact. No value is ever missing.
///
/// Rate and stamps agree; the time factor is the smallest power of ten for which the last stamp fits into 32 bits.
/// Header text says that times are local standard time. Lines end with CR LF.
/// @throws InputError if there is no sample, a text holds a comma or line end, float32 is asked of 1999, or more than
/// 2^32 − 2 samples are to be numbered
std::vector<ExportFile> comtrade_files(const ExportRecord& record, ComtradeRevision revision,
                                       ComtradeEncoding encoding);

}  // namespace TIDEWATT_NAMESPACE::io
