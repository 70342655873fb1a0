#include "application/archive/sealed_archive.h"

#include <algorithm>

#include "base/bytes.h"
#include "lib/secrets/seal.h"
#include "ports/outbound/journal.h"

namespace gp {
namespace {

constexpr uint64_t kFormat = 1;

uint64_t ChainAfterAll(uint64_t chain, const std::vector<std::string>& records) {
  for (const std::string& record : records) chain = NextChain(chain, record);
  return chain;
}

std::string EncodeRecords(const ArchivedRecords& records) {
  ByteWriter writer;
  writer.U64(kFormat);
  writer.U64(records.first);
  writer.U64(records.chain_before);
  writer.U64(records.snapshot);
  writer.I64(records.files_at.ns);
  writer.U64(records.records.size());
  for (const std::string& record : records.records) writer.String(record);
  return writer.Take();
}

Error Damaged(const std::string& what) {
  return Internal(what + ": damaged, or written by a later program");
}

Result<ArchivedRecords> DecodeRecords(const std::string& bytes, const std::string& name) {
  ByteReader reader(bytes);
  const bool is_known = reader.U64() == kFormat;
  ArchivedRecords records;
  records.first = reader.U64();
  records.chain_before = reader.U64();
  records.snapshot = reader.U64();
  records.files_at.ns = reader.I64();
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) return Fail(Damaged(name));
  for (uint64_t i = 0; i < count; ++i) records.records.push_back(reader.String());
  const bool is_sound = is_known && reader.ok() && reader.AtEnd() && count > 0;
  return is_sound ? Result<ArchivedRecords>(std::move(records)) : Fail(Damaged(name));
}

}  // namespace

RecordsName ArchivedRecords::Name() const {
  return {first, first + records.size() - 1, chain_before, ChainAfterAll(chain_before, records)};
}

std::string EncodeFiles(const ArchivedFiles& files) {
  ByteWriter writer;
  writer.U64(kFormat);
  writer.U64(files.files.size());
  for (const ArchivedFiles::File& file : files.files) {
    writer.String(file.name);
    writer.String(file.bytes);
  }
  writer.U64(files.secrets.size());
  for (const auto& [facts, value] : files.secrets) {
    for (const std::string& text :
         {facts.owner.queue, facts.owner.user, facts.name, facts.changed_by, value})
      writer.String(text);
    writer.I64(facts.changed_at.ns);
  }
  return writer.Take();
}

Result<ArchivedFiles> DecodeFiles(std::string_view bytes) {
  ByteReader reader(bytes);
  const bool is_known = reader.U64() == kFormat;
  ArchivedFiles files;
  for (uint64_t left = reader.U64(); left > 0 && reader.ok(); --left) {
    std::string name = reader.String();
    files.files.push_back({std::move(name), reader.String()});
  }
  for (uint64_t left = reader.U64(); left > 0 && reader.ok(); --left) {
    ArchivedFiles::Secret secret;
    for (std::string* text : {&secret.facts.owner.queue, &secret.facts.owner.user,
                              &secret.facts.name, &secret.facts.changed_by, &secret.value})
      *text = reader.String();
    secret.facts.changed_at.ns = reader.I64();
    files.secrets.push_back(std::move(secret));
  }
  if (!is_known || !reader.ok() || !reader.AtEnd()) return Fail(Damaged("the files"));
  return files;
}

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInternal || error.code == ErrorCode::kInvalidArgument ||
         error.code == ErrorCode::kNotFound;
}

Result<std::string> SealedArchive::Open(const StoredObject& object) const {
  const auto sealed = store_.Get(object);
  // What the store cannot read is not damaged.
  if (!sealed && sealed.error().code != ErrorCode::kNotFound)
    return Fail(Unavailable(sealed.error().message));
  if (!sealed) return Fail(sealed.error());
  auto bytes = Unseal(key_, object.name, *sealed);
  if (!bytes) return Fail(bytes.error().Within(object.name));
  return bytes;
}

Status SealedArchive::Put(const std::string& name, std::string_view bytes) {
  return store_.Put(name, GP_TRY(Seal(key_, name, bytes)));
}

Status SealedArchive::PutNew(const std::string& name, std::string_view bytes) {
  return store_.PutNew(name, GP_TRY(Seal(key_, name, bytes)));
}

Result<ArchivedRecords> SealedArchive::Records(const RecordsName& name,
                                               const StoredObject& object) const {
  const std::string bytes = GP_TRY(Open(object));
  ArchivedRecords records = GP_TRY(DecodeRecords(bytes, object.name));
  if (records.Name() == name) return records;
  return Fail(Internal(object.name + ": its records are not those that its name says"));
}

Status SealedArchive::PutRecords(uint64_t lineage, const ArchivedRecords& records) {
  return Put(NameOf(lineage, records.Name()), EncodeRecords(records));
}

}  // namespace gp
