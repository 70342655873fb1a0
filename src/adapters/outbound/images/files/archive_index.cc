#include "adapters/outbound/images/files/archive_index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kTarBlock = 512;
constexpr int64_t kExtensionBytesMax = 64 << 10;  // of a long name, or of pax records
constexpr size_t kPathBytesMax = 4'095;
constexpr size_t kAllPathsBytesMax = 16 << 20;
constexpr int64_t kArchiveBytesMax = int64_t{1} << 50;  // no sum of sizes overflows

// Fields of a header, by their place in it.
struct Field {
  size_t at;
  size_t length;
};
constexpr Field kNameField{0, 100};
constexpr Field kSizeField{124, 12};
constexpr Field kChecksumField{148, 8};
constexpr Field kTypeField{156, 1};
constexpr Field kLinkField{157, 100};
constexpr Field kMagicField{257, 6};
constexpr Field kPrefixField{345, 155};

using TarHeader = std::array<char, kTarBlock>;

std::string_view RawIn(const TarHeader& header, Field field) {
  return {header.data() + field.at, field.length};
}

// Up to its first zero byte.
std::string_view TextIn(const TarHeader& header, Field field) {
  const std::string_view raw = RawIn(header, field);
  return raw.substr(0, raw.find('\0'));
}

// In octal digits, or as GNU tar writes large ones: in base 256 after a set bit.
std::optional<int64_t> NumberIn(const TarHeader& header, Field field) {
  std::string_view raw = RawIn(header, field);
  int64_t number = 0;
  if ((static_cast<unsigned char>(raw[0]) & 0x80U) != 0) {
    if (raw[0] != '\x80') return std::nullopt;  // negative, or more than any file has
    for (const char c : raw.substr(1)) {
      if (number >> 54 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(c);
    }
    return number;
  }
  raw = raw.substr(0, raw.find('\0'));
  while (raw.starts_with(' ')) raw.remove_prefix(1);
  while (raw.ends_with(' ')) raw.remove_suffix(1);
  if (raw.empty()) return 0;
  const auto [rest, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), number, 8);
  const bool is_number = fault == std::errc() && rest == raw.data() + raw.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// Its own field counts as if it were blank.
bool HasItsChecksum(const TarHeader& header) {
  int64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    const bool is_own = i >= kChecksumField.at && i < kChecksumField.at + kChecksumField.length;
    sum += is_own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return NumberIn(header, kChecksumField) == sum;
}

bool IsCompressed(std::string_view begin) {
  constexpr std::string_view kBegins[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd",
                                          std::string_view("\xfd\x37zXZ\0", 6), "BZh"};
  return std::ranges::any_of(kBegins, [&](std::string_view one) { return begin.starts_with(one); });
}

// "./a//b" is "a/b"; empty: it leads out of the archive.
std::string PlainMember(std::string_view path) {
  std::vector<std::string> words;
  for (const std::string_view word : PathWords(path)) {
    if (word == ".") continue;
    if (word == ".." && words.empty()) return "";
    if (word == "..") {
      words.pop_back();
    } else {
      words.emplace_back(word);
    }
  }
  return Join(words, "/");
}

// What headers before that of a member say of it.
struct Extensions {
  std::optional<std::string> path;
  std::optional<std::string> link;
  std::optional<int64_t> bytes;
};

class IndexReader {
 public:
  IndexReader(int file, int64_t bytes, const std::string& name)
      : file_(file), bytes_(bytes), name_(name) {}

  Result<ArchiveIndex> Run() {
    if (bytes_ > kArchiveBytesMax) return Fail(Fault("is too large"));
    TarHeader header;
    while (GP_TRY(ReadHeader(header))) GP_CHECK_OK(Take(header));
    if (at_ == 0) return Fail(Fault("is empty"));
    return std::move(index_);
  }

 private:
  Error Fault(const std::string& what) const { return InvalidArgument(name_ + " " + what); }

  Result<size_t> ReadAt(int64_t at, char* to, size_t size) const {
    size_t done = 0;
    while (done < size) {
      const ssize_t count = pread(file_, to + done, size - done, at + static_cast<int64_t>(done));
      if (count < 0) return Fail(Internal("cannot read " + name_ + ": " + std::strerror(errno)));
      if (count == 0) break;
      done += static_cast<size_t>(count);
    }
    return done;
  }

  // False: the end of the archive.
  Result<bool> ReadHeader(TarHeader& header) {
    const size_t size = GP_TRY(ReadAt(at_, header.data(), header.size()));
    const std::string_view raw(header.data(), size);
    if (at_ == 0 && IsCompressed(raw))
      return Fail(Fault(
          "is compressed: decompress it (gunzip, zstd -d); only its layers may be compressed"));
    if (size == 0 || std::ranges::all_of(raw, [](char c) { return c == '\0'; })) return false;
    if (size < header.size()) return Fail(Fault("is no tar archive, or is cut off"));
    if (!HasItsChecksum(header)) return Fail(Fault("is no tar archive, or is damaged"));
    if (++headers_ > kArchiveMembersMax)
      return Fail(Fault("has more than " + std::to_string(kArchiveMembersMax) +
                        " files: it is no archive of an image"));
    at_ += kTarBlock;
    return true;
  }

  Status Take(const TarHeader& header) {
    const auto in_header = NumberIn(header, kSizeField);
    if (!in_header) return Fail(Fault("has a file without a size"));
    const char type = RawIn(header, kTypeField)[0];
    const bool is_file = type == '0' || type == '\0' || type == '7';
    const int64_t bytes = is_file ? before_.bytes.value_or(*in_header) : *in_header;
    if (bytes > bytes_ - at_) return Fail(Fault("is cut off: copy it again"));
    if (type == 'L' || type == 'K' || type == 'x') {
      GP_CHECK_OK(TakeExtension(type, bytes));
    } else {
      const bool is_link = type == '2';
      if (is_file || is_link) GP_CHECK_OK(Add(header, bytes, is_link));
      before_ = {};
    }
    at_ += (bytes + kTarBlock - 1) / kTarBlock * kTarBlock;
    return Ok();
  }

  Status Add(const TarHeader& header, int64_t bytes, bool is_link) {
    const bool is_ustar = TextIn(header, kMagicField) == "ustar";
    std::string path(TextIn(header, kNameField));
    if (const auto prefix = TextIn(header, kPrefixField); is_ustar && !prefix.empty())
      path = std::string(prefix) + "/" + path;
    const std::string plain = PlainMember(before_.path.value_or(path));
    if (plain.empty()) return Ok();
    ArchiveMember member{at_, bytes, ""};
    if (is_link) member.link = before_.link.value_or(std::string(TextIn(header, kLinkField)));
    if (is_link && member.link.empty()) return Ok();
    paths_bytes_ += plain.size() + member.link.size();
    if (std::max(plain.size(), member.link.size()) > kPathBytesMax ||
        paths_bytes_ > kAllPathsBytesMax)
      return Fail(Fault("has names that are too long: it is no archive of an image"));
    index_.insert_or_assign(plain, std::move(member));  // the last one counts, as for tar
    return Ok();
  }

  Status TakeExtension(char type, int64_t bytes) {
    if (bytes > kExtensionBytesMax) return Fail(Fault("has a header that is too long"));
    std::string text(static_cast<size_t>(bytes), '\0');
    text.resize(GP_TRY(ReadAt(at_, text.data(), text.size())));
    if (type == 'x') return TakeRecords(text);
    text.resize(std::min(text.size(), text.find('\0')));
    (type == 'L' ? before_.path : before_.link) = std::move(text);
    return Ok();
  }

  // Of pax: "LENGTH KEY=VALUE\n", with the length of the whole record.
  Status TakeRecords(std::string_view text) {
    while (!text.empty()) {
      size_t length = 0;
      const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), length);
      const auto digits = static_cast<size_t>(rest - text.data());
      if (fault != std::errc() || length < digits + 2 || length > text.size())
        return Fail(Fault("has damaged headers"));
      const std::string_view record = text.substr(digits + 1, length - digits - 2);
      text.remove_prefix(length);
      const size_t equals = record.find('=');
      if (equals == std::string_view::npos) return Fail(Fault("has damaged headers"));
      GP_CHECK_OK(TakeRecord(record.substr(0, equals), record.substr(equals + 1)));
    }
    return Ok();
  }

  Status TakeRecord(std::string_view key, std::string_view value) {
    if (key == "path") before_.path = std::string(value);
    if (key == "linkpath") before_.link = std::string(value);
    if (key != "size") return Ok();
    int64_t bytes = -1;
    const auto [rest, fault] = std::from_chars(value.data(), value.data() + value.size(), bytes);
    if (fault != std::errc() || rest != value.data() + value.size() || bytes < 0)
      return Fail(Fault("has a file without a size"));
    before_.bytes = bytes;
    return Ok();
  }

  const int file_;
  const int64_t bytes_;
  const std::string& name_;
  int64_t at_ = 0;
  size_t headers_ = 0;
  size_t paths_bytes_ = 0;
  Extensions before_;
  ArchiveIndex index_;
};

}  // namespace

Result<ArchiveIndex> ReadArchiveIndex(int file, int64_t bytes, const std::string& name) {
  return IndexReader(file, bytes, name).Run();
}

std::optional<ArchiveMember> FindMember(const ArchiveIndex& index, const std::string& path) {
  auto found = index.find(PlainMember(path));
  if (found != index.end() && !found->second.link.empty()) {
    const size_t slash = found->first.rfind('/');
    const std::string above = slash == std::string::npos ? "" : found->first.substr(0, slash + 1);
    found = index.find(PlainMember(above + found->second.link));
  }
  if (found == index.end() || !found->second.link.empty()) return std::nullopt;
  return found->second;
}

}  // namespace gp
