#include "domain/cluster/nodes/image_keys.h"

#include "domain/model/jobs/image_reference.h"

namespace gp {

std::vector<uint64_t> KeysOfHeldImage(std::string_view name, std::string_view digest) {
  std::vector<uint64_t> keys = {ImageKeyOfDigest(digest)};
  if (const uint64_t key = ImageKey(name); key != 0) keys.push_back(key);
  return keys;
}

}  // namespace gp
