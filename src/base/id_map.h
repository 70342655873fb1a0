#pragma once

// A map by id, for values that are looked up all the time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gp {

// A std::map that also finds values in constant time.  A search through a tree of 100,000 values
// misses the caches at most of its steps; here a table has the address of each value.  Ids should
// be given in sequence: the table is divided into pages, and there is a page for every 512 ids of
// which a value is left.
template <typename Id, typename T>
class IdMap {
  using Map = std::map<Id, T>;

 public:
  using value_type = typename Map::value_type;
  using iterator = typename Map::iterator;
  using const_iterator = typename Map::const_iterator;

  IdMap() = default;
  IdMap(const IdMap& other) : map_(other.map_) { EnterAll(); }
  IdMap(IdMap&&) noexcept = default;  // the values stay where they are
  IdMap& operator=(IdMap other) noexcept {
    map_.swap(other.map_);
    pages_.swap(other.pages_);
    return *this;
  }
  ~IdMap() = default;

  // nullptr: there is no value with this id.
  T* Find(Id id) { return const_cast<T*>(std::as_const(*this).Find(id)); }
  const T* Find(Id id) const {
    const size_t page = PageOf(id);
    if (page < pages_.size())
      return pages_[page] == nullptr ? nullptr : pages_[page]->values[id.value % kPageSize];
    if (page < kPagesMax) return nullptr;
    const auto found = map_.find(id);
    return found == map_.end() ? nullptr : &found->second;
  }
  bool contains(Id id) const { return Find(id) != nullptr; }
  T& at(Id id) { return const_cast<T&>(std::as_const(*this).at(id)); }
  const T& at(Id id) const {
    const T* found = Find(id);
    if (found == nullptr) throw std::out_of_range("IdMap::at");
    return *found;
  }

  T& operator[](Id id) {
    T* found = Find(id);
    return found != nullptr ? *found : Add(id, T());
  }
  // REQUIRES: there is no value with this id.  Fastest for the highest id.
  T& Add(Id id, T value) {
    T& added = map_.emplace_hint(map_.end(), id, std::move(value))->second;
    Enter(id, &added);
    return added;
  }
  void erase(Id id) {
    if (map_.erase(id) == 0) return;
    const size_t page = PageOf(id);
    if (page >= kPagesMax) return;
    pages_[page]->values[id.value % kPageSize] = nullptr;
    if (--pages_[page]->used == 0) pages_[page] = nullptr;
  }

  iterator begin() { return map_.begin(); }
  iterator end() { return map_.end(); }
  const_iterator begin() const { return map_.begin(); }
  const_iterator end() const { return map_.end(); }
  const_iterator lower_bound(Id id) const { return map_.lower_bound(id); }
  const_iterator upper_bound(Id id) const { return map_.upper_bound(id); }
  size_t size() const { return map_.size(); }
  bool empty() const { return map_.empty(); }

 private:
  static constexpr size_t kPageSize = 512;
  // Above, ids are damaged or an attack: they take no memory here.
  static constexpr size_t kPagesMax = size_t{1} << 24;

  struct Page {
    std::array<T*, kPageSize> values{};
    size_t used = 0;
  };

  static size_t PageOf(Id id) { return static_cast<size_t>(id.value / kPageSize); }
  void Enter(Id id, T* value) {
    const size_t page = PageOf(id);
    if (page >= kPagesMax) return;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    pages_[page]->values[id.value % kPageSize] = value;
    ++pages_[page]->used;
  }
  void EnterAll() {
    for (auto& [id, value] : map_) Enter(id, &value);
  }

  Map map_;
  std::vector<std::unique_ptr<Page>> pages_;  // nullptr: all values of the page are gone
};

}  // namespace gp
