#pragma once

// A policy as a document, and as a file that says the same.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/inbound/policy_file/policy_file.h"
#include "domain/cluster/policy.h"

namespace gp {

struct RunningNumber {
  PolicyValue now;
  std::string built_in;  // without a file
};
std::vector<RunningNumber> NumbersOf(const Policy& policy);

// `file`: from which it was read; empty: from none.
nlohmann::ordered_json PolicyDocument(const std::string& file, const Policy& policy);
// What differs, in words: "min_run: 10m -> 5m", "prices".
std::vector<std::string> PolicyChanges(const Policy& before, const Policy& now);
// The keys with their explanations; PolicyFileText: with a headline.
std::string PolicyKeysText(const Policy& policy);
std::string PolicyFileText(const std::string& file, const Policy& policy);

}  // namespace gp
