#include "application/archive/archive_names.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kDigits = 20;
constexpr size_t kHexDigits = 16;
constexpr std::string_view kRecordsEnd = ".gpr";
constexpr std::string_view kSnapshotEnd = ".gps";
constexpr std::string_view kFilesEnd = ".gpf";

std::string Padded(uint64_t value, size_t digits, int base) {
  char text[kDigits];
  const auto end = std::to_chars(std::begin(text), std::end(text), value, base).ptr;
  std::string number(std::begin(text), end);
  return std::string(digits - number.size(), '0') + number;
}

std::string Decimal(uint64_t value) { return Padded(value, kDigits, 10); }
std::string Hex(uint64_t value) { return Padded(value, kHexDigits, 16); }

// Times before 1970 do not occur.
std::string TimeText(Instant at) {
  return Decimal(static_cast<uint64_t>(std::max<int64_t>(at.ns, 0)));
}

std::optional<uint64_t> ParsePadded(std::string_view text, size_t digits, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool is_number =
      text.size() == digits && error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(value) : std::nullopt;
}

std::optional<uint64_t> ParseDecimal(std::string_view text) {
  return ParsePadded(text, kDigits, 10);
}
std::optional<uint64_t> ParseHex(std::string_view text) {
  return ParsePadded(text, kHexDigits, 16);
}

std::optional<Instant> ParseTime(std::string_view text) {
  const auto value = ParseDecimal(text);
  if (!value || *value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return Instant{static_cast<int64_t>(*value)};
}

// The parts between the dashes, without the ending; none if the name ends otherwise.
std::vector<std::string> PartsOf(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return {};
  return Split(name.substr(0, name.size() - ending.size()), '-');
}

std::optional<RecordsName> ParseRecords(std::string_view name) {
  const std::vector<std::string> parts = PartsOf(name, kRecordsEnd);
  if (parts.size() != 4) return std::nullopt;
  const auto first = ParseDecimal(parts[0]);
  const auto last = ParseDecimal(parts[1]);
  const auto before = ParseHex(parts[2]);
  const auto after = ParseHex(parts[3]);
  if (!first || !last || !before || !after || *first == 0 || *first > *last) return std::nullopt;
  return RecordsName{*first, *last, *before, *after};
}

std::optional<SnapshotName> ParseSnapshot(std::string_view name) {
  const std::vector<std::string> parts = PartsOf(name, kSnapshotEnd);
  if (parts.size() != 2) return std::nullopt;
  const auto sequence = ParseDecimal(parts[0]);
  const auto chain = ParseHex(parts[1]);
  if (!sequence || !chain || *sequence == 0) return std::nullopt;
  return SnapshotName{*sequence, *chain};
}

std::optional<BeginName> ParseBegin(std::string_view name) {
  const auto sequence = ParseDecimal(name);
  return sequence ? std::optional(BeginName{*sequence}) : std::nullopt;
}

std::optional<FilesName> ParseFiles(std::string_view name) {
  const std::vector<std::string> parts = PartsOf(name, kFilesEnd);
  const auto at = parts.size() == 1 ? ParseTime(parts[0]) : std::nullopt;
  return at ? std::optional(FilesName{*at}) : std::nullopt;
}

std::optional<VerifiedName> ParseVerified(std::string_view name) {
  const std::vector<std::string> parts = Split(name, '-');
  if (parts.size() != 2) return std::nullopt;
  const auto sequence = ParseDecimal(parts[0]);
  const auto at = ParseTime(parts[1]);
  if (!sequence || !at) return std::nullopt;
  return VerifiedName{*sequence, *at};
}

template <typename Name>
bool Keep(Named<Name>& named, const std::optional<Name>& name, const StoredObject& object) {
  if (name) named.emplace(*name, object);
  return name.has_value();
}

// Whether the object is one of an archive.
bool Sort(const StoredObject& object, std::map<uint64_t, LineageObjects>& lineages) {
  const std::vector<std::string> path = Split(object.name, '/');
  if (path.size() == 2 && path[0] == "claims") {
    const auto lineage = ParseDecimal(path[1]);
    if (lineage) lineages[*lineage].is_claimed = true;
    return lineage.has_value();
  }
  const auto lineage = ParseDecimal(path[0]);
  if (!lineage || path.size() < 3 || path.size() > 4) return false;
  LineageObjects& of = lineages[*lineage];
  if (path.size() == 4)
    return path[1] == "records" && Keep(of.records, ParseRecords(path[3]), object);
  if (path[1] == "snapshots") return Keep(of.snapshots, ParseSnapshot(path[2]), object);
  if (path[1] == "begins") return Keep(of.begins, ParseBegin(path[2]), object);
  if (path[1] == "files") return Keep(of.files, ParseFiles(path[2]), object);
  return path[1] == "verified" && Keep(of.verified, ParseVerified(path[2]), object);
}

}  // namespace

std::string FolderOf(uint64_t lineage) { return Decimal(lineage); }

std::string SnapshotsFolder(uint64_t lineage) { return FolderOf(lineage) + "/snapshots"; }

std::string RecordsFolder(uint64_t lineage, uint64_t first) {
  return FolderOf(lineage) + "/records/" + Decimal(first / kRecordsPerFolder);
}

std::string NameOf(uint64_t lineage, const RecordsName& records) {
  return RecordsFolder(lineage, records.first) + "/" + Decimal(records.first) + "-" +
         Decimal(records.last) + "-" + Hex(records.chain_before) + "-" + Hex(records.chain_after) +
         std::string(kRecordsEnd);
}

std::string NameOf(uint64_t lineage, const SnapshotName& snapshot) {
  return SnapshotsFolder(lineage) + "/" + Decimal(snapshot.sequence) + "-" + Hex(snapshot.chain) +
         std::string(kSnapshotEnd);
}

std::string NameOf(uint64_t lineage, const BeginName& begin) {
  return FolderOf(lineage) + "/begins/" + Decimal(begin.sequence);
}

std::string NameOf(uint64_t lineage, const FilesName& files) {
  return FolderOf(lineage) + "/files/" + TimeText(files.at) + std::string(kFilesEnd);
}

std::string NameOf(uint64_t lineage, const VerifiedName& verified) {
  return FolderOf(lineage) + "/verified/" + Decimal(verified.sequence) + "-" +
         TimeText(verified.at);
}

std::string ClaimName(uint64_t lineage) { return "claims/" + Decimal(lineage); }

uint64_t LineageObjects::NewestRecord() const {
  uint64_t newest = snapshots.empty() ? 0 : snapshots.rbegin()->first.sequence;
  for (const auto& [name, object] : records) newest = std::max(newest, name.last);
  return newest;
}

std::map<uint64_t, LineageObjects> ReadNames(std::span<const StoredObject> objects,
                                             std::vector<std::string>* strangers) {
  std::map<uint64_t, LineageObjects> lineages;
  for (const StoredObject& object : objects) {
    if (!Sort(object, lineages) && strangers != nullptr) strangers->push_back(object.name);
  }
  return lineages;
}

}  // namespace gp
