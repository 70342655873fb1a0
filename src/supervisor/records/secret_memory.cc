#include "supervisor/records/secret_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"
#include "supervisor/records/attempt_record.h"
#include "supervisor/records/record_fields.h"

namespace gp {

Result<Descriptor> PutIntoMemory(const std::vector<std::string>& secrets) {
  ByteWriter writer;
  WriteTexts(writer, secrets);
  const std::string bytes(writer.bytes());
  Descriptor memory(memfd_create("gpu-platform-secrets", MFD_CLOEXEC));
  if (!memory.valid()) return Fail(SystemError("cannot pass on secrets", errno));
  for (size_t written = 0; written < bytes.size();) {
    const ssize_t more = pwrite(memory.get(), bytes.data() + written, bytes.size() - written,
                                static_cast<off_t>(written));
    if (more <= 0) return Fail(SystemError("cannot pass on secrets", errno));
    written += static_cast<size_t>(more);
  }
  return memory;
}

Result<std::vector<std::string>> ReadFromMemory(const Descriptor& memory) {
  constexpr off_t kMost = 16 << 20;
  struct stat facts{};
  if (fstat(memory.get(), &facts) != 0 || facts.st_size > kMost)
    return Fail(Internal("secrets cannot be taken over"));
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  if (pread(memory.get(), bytes.data(), bytes.size(), 0) != facts.st_size)
    return Fail(Internal("secrets cannot be taken over"));
  ByteReader reader(bytes);
  std::vector<std::string> secrets = ReadTexts(reader);
  if (!reader.ok()) return Fail(Internal("secrets are cut off"));
  return secrets;
}

}  // namespace gp
