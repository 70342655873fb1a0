#include "supervisor/records/record_fields.h"

namespace gp {

void WriteTexts(ByteWriter& writer, const std::vector<std::string>& texts) {
  writer.U64(texts.size());
  for (const std::string& text : texts) writer.String(text);
}

std::vector<std::string> ReadTexts(ByteReader& reader) {
  std::vector<std::string> texts;
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) texts.push_back(reader.String());
  return texts;
}

}  // namespace gp
