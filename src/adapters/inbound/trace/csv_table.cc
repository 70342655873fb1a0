#include "adapters/inbound/trace/csv_table.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kBytesMax = size_t{256} << 20;

// gzread also reads files that are not compressed.
Result<std::string> ReadMaybeCompressed(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) return Fail(NotFound(path + ": " + std::strerror(errno)));
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kBytesMax) return Fail(InvalidArgument(path + ": larger than 256 MiB"));
  }
  if (count < 0) return Fail(InvalidArgument(path + ": cannot be read or unpacked"));
  return text;
}

}  // namespace

Result<CsvTable> CsvTable::Read(const std::string& path) {
  const std::string text = GP_TRY(ReadMaybeCompressed(path));
  CsvTable table;
  table.path_ = path;
  size_t number = 0;
  for (std::string& line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    std::vector<std::string> fields = Split(line, ',');
    if (table.columns_.empty()) {
      for (size_t i = 0; i < fields.size(); ++i) table.columns_[fields[i]] = i;
      continue;
    }
    if (fields.size() != table.columns_.size()) {
      return Fail(InvalidArgument(path + ":" + std::to_string(number) + ": " +
                                  std::to_string(fields.size()) + " fields where the header has " +
                                  std::to_string(table.columns_.size())));
    }
    table.rows_.push_back(std::move(fields));
  }
  return table;
}

Error CsvTable::At(size_t row, const std::string& column, const std::string& what) const {
  return InvalidArgument(path_ + ": row " + std::to_string(row + 1) + ", " + column + ": " + what);
}

const std::string& CsvTable::Text(size_t row, const std::string& column) const {
  return rows_[row][columns_.at(column)];
}

Result<int64_t> CsvTable::Number(size_t row, const std::string& column, int64_t min,
                                 int64_t max) const {
  if (!Has(column)) return Fail(InvalidArgument(path_ + ": there is no column " + column));
  const std::string& text = Text(row, column);
  const auto number = ParseCount(text);
  if (number && *number >= min && *number <= max) return *number;
  return Fail(At(row, column,
                 "\"" + Printable(text, 40) + "\" is not a whole number from " +
                     std::to_string(min) + " to " + std::to_string(max)));
}

}  // namespace gp
