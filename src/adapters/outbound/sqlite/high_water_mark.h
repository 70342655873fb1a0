#pragma once

// The number of the newest record that a journal ever had, kept beside it: by this a journal that
// lost its end is told from one that never had it.  Written in place after every append and not
// synced: a power cut may leave it behind the journal, nothing leaves it before.  Two lines hold it
// in turn, each with its checksum, so that one written in part costs no more than itself.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gp {

class HighWaterMark {
 public:
  explicit HighWaterMark(std::string path) : path_(std::move(path)) {}
  ~HighWaterMark();
  HighWaterMark(const HighWaterMark&) = delete;
  HighWaterMark& operator=(const HighWaterMark&) = delete;

  // Reads it, and makes the file where there is none.
  Status Open();
  // 0: none is known.
  uint64_t value() const { return value_; }
  // REQUIRES: Open.
  Status Raise(uint64_t sequence);
  // To a lower one, when a loss was accepted.
  Status Reset(uint64_t sequence);

 private:
  Status OpenFile();

  const std::string path_;
  int file_ = -1;
  uint64_t value_ = 0;
  int next_line_ = 0;  // the one that holds the older number
};

}  // namespace gp
