#pragma once

// Marks a field that older formats of the journal do not have (archive.h, fields.h).

#include <cstdint>

namespace gp {

// A field that exists from format kVersion on.
template <uint64_t kVersion, typename T>
struct VersionedField {
  T& value;
};
template <uint64_t kVersion, typename T>
VersionedField<kVersion, T> Since(T& value) {
  return {value};
}

}  // namespace gp
