#include "supervisor/records/spawn_request.h"

namespace gp {

std::string EncodeSpawnRequest(const SpawnRequest& request) {
  return (request.only_clean_up ? "b" : "r") + request.key;
}

SpawnRequest DecodeSpawnRequest(const std::string& bytes) {
  return {.only_clean_up = bytes.front() == 'b', .key = bytes.substr(1)};
}

}  // namespace gp
