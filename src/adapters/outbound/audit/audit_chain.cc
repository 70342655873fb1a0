#include "adapters/outbound/audit/audit_chain.h"

#include <nlohmann/json.hpp>

#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr std::string_view kHashField = ",\"hash\":\"";
constexpr size_t kHashLength = 64;
constexpr size_t kTailLength = kHashField.size() + kHashLength + 2;  // up to "}

std::string Digest(std::string_view text, const std::string& hash_before) {
  return Sha256(hash_before + std::string(text));
}

// The part of the line before its hash.
Result<std::string_view> Covered(std::string_view line) {
  const bool is_one = line.size() > kTailLength &&
                      line.substr(line.size() - kTailLength).starts_with(kHashField) &&
                      line.ends_with("\"}");
  if (!is_one) return Fail(InvalidArgument("is not an entry with a hash at its end"));
  return line.substr(0, line.size() - kTailLength);
}

}  // namespace

ChainedLine AuditLine(const AuditEntry& entry, const std::string& hash_before) {
  nlohmann::ordered_json fields;
  fields["number"] = entry.number;
  fields["at"] = entry.at;
  fields["user"] = entry.user;
  fields["from"] = entry.from;
  fields["operation"] = entry.operation;
  fields["object"] = entry.object;
  fields["details"] = entry.details;
  if (entry.refused) {
    fields["refused"] = true;
    fields["why"] = entry.why;
    fields["times"] = entry.times;
  }
  // Names come from outside: invalid UTF-8 must not stop the trail.
  std::string line = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  line.pop_back();
  std::string hash = Digest(line, hash_before);
  line += kHashField;
  line += hash + "\"}";
  return {std::move(line), std::move(hash)};
}

Result<WrittenAuditEntry> ParseAuditLine(std::string_view line) {
  const auto fields = nlohmann::json::parse(line, nullptr, false);
  if (!fields.is_object() || !fields.contains("number") || !fields["number"].is_number_unsigned())
    return Fail(InvalidArgument("is not an entry"));
  const auto text = [&](const char* name) {
    return fields.contains(name) && fields[name].is_string() ? fields[name].get<std::string>()
                                                             : std::string();
  };
  WrittenAuditEntry written;
  AuditEntry& entry = written.entry;
  entry.number = fields["number"].get<uint64_t>();
  entry.at = text("at");
  entry.user = text("user");
  entry.from = text("from");
  entry.operation = text("operation");
  entry.object = text("object");
  entry.details = text("details");
  entry.refused = fields.value("refused", false);
  entry.why = text("why");
  entry.times = fields.value("times", int64_t{1});
  written.hash = text("hash");
  if (written.hash.size() != kHashLength)
    return Fail(InvalidArgument("is not an entry with a hash"));
  return written;
}

Result<std::string> HashOf(std::string_view line, const std::string& hash_before) {
  return Digest(GP_TRY(Covered(line)), hash_before);
}

}  // namespace gp
