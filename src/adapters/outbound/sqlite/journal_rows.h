#pragma once

// The rows of a journal: the tables, and the checksums that protect each row.

#include <cstdint>
#include <string>
#include <string_view>

namespace gp {

inline constexpr int64_t kJournalApplicationId = 0x47504a31;  // "GPJ1"

// REQUIRES: an empty database.  All or nothing.
inline constexpr const char* kJournalSchema =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE records("
    "  sequence INTEGER PRIMARY KEY, chain INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT "
    "NULL);"
    "CREATE TABLE snapshots("
    "  sequence INTEGER PRIMARY KEY, chain INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT "
    "NULL);"
    "PRAGMA application_id=1196444209;"
    "COMMIT";
static_assert(kJournalApplicationId == 1196444209);

// Exists only in a journal whose oldest records were dropped; its one row is the number of the last
// dropped record.
inline constexpr const char* kBaseSchema =
    "CREATE TABLE IF NOT EXISTS base(sequence INTEGER NOT NULL, crc INTEGER NOT NULL);";

// Checksum over a snapshot's bytes and the position in the journal that it claims.
uint32_t SnapshotCrc(uint64_t sequence, uint64_t chain, std::string_view bytes);
uint32_t BaseCrc(uint64_t sequence);

}  // namespace gp
