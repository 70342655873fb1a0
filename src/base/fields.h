#pragma once

// How a struct names its fields, so that journals and snapshots can hold it: GP_FIELDS stands below
// the struct and lists them in their order on disk.  An archive (domain/cluster/codec/archive.h)
// reads and writes them in that order.  Add a new field at the end as Since<V>(v.field), where V is
// a new kFormatVersion (domain/cluster/codec/format.h): journals of formats before V stay readable.

#include <cstdint>

namespace gp {

// A field that exists from format kVersion on; reading an older one leaves its default.
template <uint64_t kVersion, typename T>
struct VersionedField {
  T& value;
};
template <uint64_t kVersion, typename T>
VersionedField<kVersion, T> Since(T& value) {
  return {value};
}

}  // namespace gp

#define GP_FIELDS(Type, ...)                          \
  template <typename A>                               \
  void Fields(A& archive, [[maybe_unused]] Type& v) { \
    archive(__VA_ARGS__);                             \
  }
