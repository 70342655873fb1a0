#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gp {

// The number of the newest record that a journal ever had, kept beside it: it shows that a journal
// has lost its end.  Written in place after every append and not synced: a power cut may leave it
// behind the journal, but it is never ahead of it.  Two lines hold it in turn, each with its
// checksum, so that a torn write damages only one.  One thread at a time.
class HighWaterMark {
 public:
  explicit HighWaterMark(std::string path) : path_(std::move(path)) {}
  ~HighWaterMark();
  HighWaterMark(const HighWaterMark&) = delete;
  HighWaterMark& operator=(const HighWaterMark&) = delete;

  // Reads the mark; creates the file if it does not exist.
  Status Open();
  // 0: unknown.
  uint64_t value() const { return value_; }
  // REQUIRES: Open.
  Status Raise(uint64_t sequence);
  // Sets a lower number, after a loss was accepted.
  Status Reset(uint64_t sequence);

 private:
  Status OpenFile();

  const std::string path_;
  int file_ = -1;
  uint64_t value_ = 0;
  int next_line_ = 0;  // the line with the older number
};

}  // namespace gp
