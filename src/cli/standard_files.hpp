#pragma once

/// Makes writes fail where the process would otherwise die or damage a file: a standard file that the caller closed
/// (`>&-`) is opened on /dev/null so that no result gets its number, and a file at its size limit is an error (EFBIG)
/// instead of SIGXFSZ. Call first.
void guard_standard_files();
