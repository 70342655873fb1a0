#include "supervisor/birth.h"

namespace gp {

std::string EncodeBirth(const BirthRequest& request) {
  return (request.bury ? "b" : "r") + request.key;
}

BirthRequest DecodeBirth(const std::string& bytes) {
  return {.bury = bytes.front() == 'b', .key = bytes.substr(1)};
}

}  // namespace gp
