#include "supervisor/records/sealed_record.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace gp {

std::string Seal(uint64_t magic, std::string_view fields) {
  ByteWriter writer;
  writer.U64(magic);
  writer.U64(Crc32c(fields));
  return writer.Take().append(fields);
}

Result<std::string_view> Unseal(std::string_view bytes, uint64_t magic, uint64_t older_magic,
                                const std::string& name) {
  ByteReader reader(bytes);
  const uint64_t found = reader.U64();
  if (found == older_magic && reader.ok()) return bytes.substr(bytes.size() - reader.Remaining());
  if (found != magic) return Fail(InvalidArgument("not a " + name));
  const uint64_t crc = reader.U64();
  const std::string_view fields = bytes.substr(bytes.size() - reader.Remaining());
  if (!reader.ok() || crc != Crc32c(fields))
    return Fail(InvalidArgument(name + " is torn or damaged"));
  return fields;
}

}  // namespace gp
