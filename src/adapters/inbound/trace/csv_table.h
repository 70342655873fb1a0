#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

// The latest second of a trace, counted from its beginning: 30 years.
inline constexpr int64_t kTraceSecondsMax = 1'000'000'000;

// A table of comma-separated values without quotes, with a header line.  Read once, then immutable.
class CsvTable {
 public:
  // The file may be compressed with gzip.  Errors: kNotFound, kInvalidArgument (too large, or a
  // line with another number of fields than the header).
  static Result<CsvTable> Read(const std::string& path);

  size_t rows() const { return rows_.size(); }
  bool Has(const std::string& column) const { return columns_.contains(column); }
  // REQUIRES: Has(column) for Text; Number returns an error without it.
  const std::string& Text(size_t row, const std::string& column) const;
  Result<int64_t> Number(size_t row, const std::string& column, int64_t min, int64_t max) const;
  // An error that names file, row and column.
  Error At(size_t row, const std::string& column, const std::string& what) const;

 private:
  std::string path_;
  std::map<std::string, size_t> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gp
