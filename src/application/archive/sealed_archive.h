#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "application/archive/archive_names.h"
#include "base/result.h"
#include "ports/outbound/object_store.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

// Consecutive records as an archive has them, and what else it had then.
struct ArchivedRecords {
  uint64_t first = 0;
  std::vector<std::string> records;  // at least one
  uint64_t chain_before = 0;
  uint64_t snapshot = 0;  // the record of the newest snapshot; 0: there was none
  Instant files_at;       // of the newest files; ns == 0: there were none

  RecordsName Name() const;
  bool operator==(const ArchivedRecords&) const = default;
};

// What a controller keeps beside its journal and cannot do without.
struct ArchivedFiles {
  struct File {
    std::string name;  // below the state directory
    std::string bytes;
    bool operator==(const File&) const = default;
  };
  struct Secret {
    SecretFacts facts;
    std::string value;
  };
  std::vector<File> files;
  std::vector<Secret> secrets;
};

std::string EncodeFiles(const ArchivedFiles& files);
// Errors: kInternal (damaged).
Result<ArchivedFiles> DecodeFiles(std::string_view bytes);

// Whether the object is at fault, not the store.
bool IsDamage(const Error& error);

// The objects of an archive, each sealed under its own name: one that is damaged, or was put in
// the place of another, does not open.  Any thread.
class SealedArchive {
 public:
  // `key`: of kSealKeyBytes.  The store outlives it.
  SealedArchive(ObjectStore& store, std::string key) : store_(store), key_(std::move(key)) {}

  // Errors: kUnavailable; kNotFound; kInvalidArgument: it was sealed under another key or name, or
  // is damaged.
  Result<std::string> Open(const StoredObject& object) const;
  Status Put(const std::string& name, std::string_view bytes);
  // Errors: also kConflict (there is such an object).
  Status PutNew(const std::string& name, std::string_view bytes);

  // Errors: also kInternal (the content is not what the name says).
  Result<ArchivedRecords> Records(const RecordsName& name, const StoredObject& object) const;
  Status PutRecords(uint64_t lineage, const ArchivedRecords& records);

  ObjectStore& store() { return store_; }

 private:
  ObjectStore& store_;
  const std::string key_;
};

}  // namespace gp
