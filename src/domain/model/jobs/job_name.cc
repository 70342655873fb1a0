#include "domain/model/jobs/job_name.h"

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

bool IsLegal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string JobNameFromPath(std::string_view path) {
  constexpr size_t kLengthMax = kNameLengthMax / 2;  // leaves space for a number after it
  std::string_view stem = path.substr(path.rfind('/') + 1);
  stem = stem.substr(0, stem.find('.', 1));
  std::string name;
  for (const char c : stem.substr(0, kLengthMax)) {
    if (IsLegal(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.erase(0, name.find_first_not_of('_'));
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "job" : name;
}

}  // namespace gp
