#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "domain/model/nodes/node.h"

namespace gp {

// A set of nodes as one bit for each id: what two sets have in common is found without a look at
// their nodes one by one.
class NodeBits {
 public:
  static constexpr size_t kNodesInWord = 64;

  void Insert(NodeId node) {
    const size_t word = node.value / kNodesInWord;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= BitOf(node);
  }
  void Erase(NodeId node) {
    const size_t word = node.value / kNodesInWord;
    if (word < words_.size()) words_[word] &= ~BitOf(node);
  }
  bool Contains(NodeId node) const { return (Word(node.value / kNodesInWord) & BitOf(node)) != 0; }

  size_t size_in_words() const { return words_.size(); }
  uint64_t Word(size_t index) const { return index < words_.size() ? words_[index] : 0; }

 private:
  static uint64_t BitOf(NodeId node) { return uint64_t{1} << node.value % kNodesInWord; }

  std::vector<uint64_t> words_;
};

// Visits the nodes of a word, in order, until `visit` returns false.
template <typename F>
bool VisitWord(size_t index, uint64_t word, F visit) {
  for (; word != 0; word &= word - 1) {
    const auto bit = static_cast<size_t>(std::countr_zero(word));
    if (!visit(NodeId{static_cast<uint32_t>(index * NodeBits::kNodesInWord + bit)})) return false;
  }
  return true;
}

}  // namespace gp
