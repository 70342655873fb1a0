#include "cmd/admin/archive_key.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "infrastructure/paths.h"
#include "lib/secrets/seal.h"

namespace gp {
namespace {

constexpr size_t kSmallFileMax = 64 << 10;

}  // namespace

Result<std::unique_ptr<ObjectArchive>> OpenArchiveStore(const ArchiveAccess& access) {
  std::string credentials;
  if (!access.credentials_file.empty())
    credentials = GP_TRY(ReadTextFile(access.credentials_file, kSmallFileMax));
  return ObjectArchive::Open(access.url, credentials);
}

Result<std::string> ReadArchiveKey(const ArchiveAccess& access) {
  std::string text = GP_TRY(ReadTextFile(access.key_file, kSmallFileMax));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  std::string key(kSealKeyBytes, '\0');
  bool is_key = text.size() == 2 * kSealKeyBytes;
  for (size_t at = 0; is_key && at < kSealKeyBytes; ++at) {
    uint8_t byte = 0;
    const char* begin = text.data() + 2 * at;
    const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
    is_key = error == std::errc() && end == begin + 2;
    key[at] = static_cast<char>(byte);
  }
  if (is_key) return key;
  return Fail(InvalidArgument(access.key_file +
                              ": no key of an archive, which has 64 hexadecimal digits "
                              "(gpu-platform admin dr make-key makes one)"));
}

Status MakeArchiveKey(const std::string& path) {
  std::array<unsigned char, kSealKeyBytes> key{};
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    return Fail(Internal("the kernel gives no random bytes"));
  struct stat there{};
  if (lstat(path.c_str(), &there) == 0)
    return Fail(Conflict(path + ": exists; an archive cannot be read with another key"));
  return WriteTextFile(path, ToHex(key) + "\n", 0600);
}

}  // namespace gp
