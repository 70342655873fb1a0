#pragma once

// One description of a struct's fields serves both directions: `Fields(archive, value)` calls
// archive(value.a, value.b, …), and a WriteArchive or ReadArchive does the rest (base/fields.h).
// Since<V>(field) marks a field that formats before V do not have: reading one of those leaves its
// default, and writing one leaves the field out.

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/cpu_set.h"
#include "base/fields.h"
#include "base/id.h"
#include "base/id_map.h"
#include "base/time.h"
#include "base/wide.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"

namespace gp {

// The shared values written or read last.
using SharedValues = std::tuple<std::shared_ptr<const JobSpec>, std::shared_ptr<const NodeFacts>>;

// Encodes values into bytes.  Used by one thread at a time.
class WriteArchive {
 public:
  static constexpr bool kReading = false;

  template <typename... T>
  void operator()(const T&... values) {
    (Write(values), ...);
  }
  // Sets the format of what follows; the default is the newest.
  void SetVersion(uint64_t version) { version_ = version; }
  std::string Take() { return out_.Take(); }

 private:
  template <uint64_t kVersion, typename T>
  void Write(const VersionedField<kVersion, T>& field) {
    if (version_ >= kVersion) Write(field.value);
  }
  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  void Write(const T& value) {
    out_.I64(static_cast<int64_t>(value));
  }
  void Write(const Wide& value) {
    out_.I64(static_cast<int64_t>(value >> 64));
    out_.U64(static_cast<uint64_t>(value));
  }
  void Write(const std::string& text) { out_.String(text); }
  void Write(const Instant& at) { out_.I64(at.ns); }
  void Write(const Duration& span) { out_.I64(span.ns); }
  void Write(const CpuSet& set) { Write(set.words()); }
  template <typename Tag, typename Rep>
  void Write(const Id<Tag, Rep>& id) {
    out_.U64(id.value);
  }
  template <typename T>
  void Write(const std::vector<T>& all) {
    out_.U64(all.size());
    for (const T& one : all) Write(one);
  }
  template <typename T>
  void Write(const std::set<T>& all) {
    out_.U64(all.size());
    for (const T& one : all) Write(one);
  }
  template <typename T>
  void Write(const std::optional<T>& value) {
    Write(value.has_value());
    if (value) Write(*value);
  }
  template <typename K, typename V>
  void Write(const std::map<K, V>& all) {
    out_.U64(all.size());
    for (const auto& [key, value] : all) {
      Write(key);
      Write(value);
    }
  }
  template <typename K, typename V>
  void Write(const IdMap<K, V>& all) {
    out_.U64(all.size());
    for (const auto& [key, value] : all) {
      Write(key);
      Write(value);
    }
  }
  // A flag replaces a value that equals the last shared value of its type: a command and its event,
  // and the elements of an array, share one spec.
  template <typename T>
  void Write(const std::shared_ptr<const T>& value) {
    std::shared_ptr<const T>& last = std::get<std::shared_ptr<const T>>(last_);
    const bool is_last = last != nullptr && (last == value || *last == *value);
    Write(is_last);
    if (!is_last) Write(*value);
    last = value;
  }
  template <typename... T>
  void Write(const std::variant<T...>& value) {
    out_.U64(value.index());
    std::visit([this](const auto& alternative) { Write(alternative); }, value);
  }
  template <typename T>
    requires std::is_class_v<T>
  void Write(const T& value) {
    Fields(*this, const_cast<T&>(value));  // Fields is written once, for both directions
  }

  ByteWriter out_;
  uint64_t version_ = UINT64_MAX;
  SharedValues last_;
};

// Decodes bytes written by WriteArchive.  Never trusts a length; after damage ok() is false and the
// values read are meaningless.
class ReadArchive {
 public:
  static constexpr bool kReading = true;

  explicit ReadArchive(std::string_view bytes) : in_(bytes) {}

  template <typename... T>
  void operator()(T&&... values) {
    (Read(values), ...);
  }
  // Sets the format of the bytes that follow; the default is the newest.
  void SetVersion(uint64_t version) { version_ = version; }
  // Everything read was there, and nothing is left over.
  bool Complete() const { return in_.ok() && in_.AtEnd(); }
  bool ok() const { return in_.ok(); }

 private:
  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  void Read(T& value) {
    value = static_cast<T>(in_.I64());
  }
  void Read(Wide& value) {
    const int64_t high = in_.I64();
    value = static_cast<Wide>(static_cast<UnsignedWide>(high) << 64 | in_.U64());
  }
  void Read(std::string& text) { text = in_.String(); }
  void Read(Instant& at) { at.ns = in_.I64(); }
  void Read(Duration& span) { span.ns = in_.I64(); }
  void Read(CpuSet& set) {
    std::vector<uint64_t> words;
    Read(words);
    if (words.size() > CpuSet::kMax / 64) return in_.MarkBad();
    set = CpuSet::FromWords(std::move(words));
  }
  template <typename Tag, typename Rep>
  void Read(Id<Tag, Rep>& id) {
    id.value = static_cast<Rep>(in_.U64());
  }
  // A declared size beyond the bytes left is damage: every element takes at least one.
  size_t ReadSize() {
    const uint64_t size = in_.U64();
    if (size > in_.Remaining()) {
      in_.MarkBad();
      return 0;
    }
    return size;
  }
  template <typename T>
  void Read(std::vector<T>& all) {
    all.resize(ReadSize());
    for (T& one : all) {
      if (!in_.ok()) return;
      Read(one);
    }
  }
  // Constructs the last alternative of each variant, because the first one may be large and is
  // replaced at once.
  template <typename... T>
  void Read(std::vector<std::variant<T...>>& all) {
    const size_t size = ReadSize();
    all.clear();
    all.reserve(size);
    while (all.size() < size && in_.ok())
      Read(all.emplace_back(std::in_place_index<sizeof...(T) - 1>));
  }
  template <typename T>
  void Read(std::set<T>& all) {
    for (size_t left = ReadSize(); left > 0 && in_.ok(); --left) {
      T one{};
      Read(one);
      all.insert(std::move(one));
    }
  }
  template <typename T>
  void Read(std::optional<T>& value) {
    bool has_value = false;
    Read(has_value);
    value.reset();
    if (has_value) Read(value.emplace());
  }
  template <typename K, typename V>
  void Read(std::map<K, V>& all) {
    for (size_t left = ReadSize(); left > 0 && in_.ok(); --left) {
      K key{};
      Read(key);
      Read(all[key]);
    }
  }
  template <typename K, typename V>
  void Read(IdMap<K, V>& all) {
    for (size_t left = ReadSize(); left > 0 && in_.ok(); --left) {
      K key{};
      Read(key);
      Read(all[key]);
    }
  }
  template <typename T>
  void Read(std::shared_ptr<const T>& value) {
    std::shared_ptr<const T>& last = std::get<std::shared_ptr<const T>>(last_);
    bool is_last = false;
    Read(is_last);
    if (!is_last) {
      auto fresh = std::make_shared<T>();
      Read(*fresh);
      last = std::move(fresh);
    }
    value = last;
    if (value == nullptr) in_.MarkBad();
  }
  template <typename... T>
  void Read(std::variant<T...>& value) {
    const uint64_t index = in_.U64();
    if (index >= sizeof...(T)) return in_.MarkBad();
    ReadAlternative(value, index, std::index_sequence_for<T...>{});
  }
  template <typename V, size_t... I>
  void ReadAlternative(V& value, uint64_t index, std::index_sequence<I...>) {
    ((index == I ? Read(value.template emplace<I>()) : void()), ...);
  }
  template <uint64_t kVersion, typename T>
  void Read(VersionedField<kVersion, T>& field) {
    if (version_ >= kVersion) Read(field.value);
  }
  template <typename T>
    requires std::is_class_v<T>
  void Read(T& value) {
    Fields(*this, value);
  }

  ByteReader in_;
  uint64_t version_ = UINT64_MAX;
  SharedValues last_;
};

}  // namespace gp
