#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/inbound/rest/http.h"

namespace gp {

// The bytes of an answer before its body: the status line, the headers and an empty line.
// `version`: 10 or 11.  `length`: of the body, in bytes; nullopt: it is sent in chunks, which
// requires version 11.
std::string HeadOf(const HttpReply& reply, unsigned version, bool keep_alive,
                   std::optional<uint64_t> length);

// What surrounds the bytes of a chunk, of which there is at least one.
std::string BeforeChunk(size_t bytes);
inline constexpr const char* kAfterChunk = "\r\n";
inline constexpr const char* kLastChunk = "0\r\n\r\n";

}  // namespace gp
