#include "domain/placement/network.h"

#include <algorithm>

namespace gp {

std::string_view NetworkOf(const Node& node) {
  const auto label = node.labels.find(kNetworkLabel);
  return label == node.labels.end() ? std::string_view() : std::string_view(label->second);
}

int CountLevels(std::string_view network) {
  return network.empty() ? 0 : 1 + static_cast<int>(std::ranges::count(network, '/'));
}

std::string_view Outer(std::string_view network, int levels) {
  if (levels <= 0) return {};
  size_t end = 0;
  for (int level = 0; level < levels; ++level) {
    end = network.find('/', level == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return network;
  }
  return network.substr(0, end);
}

std::string_view CommonPart(std::string_view a, std::string_view b) {
  int levels = std::min(CountLevels(a), CountLevels(b));
  while (Outer(a, levels) != Outer(b, levels)) --levels;
  return Outer(a, levels);
}

}  // namespace gp
