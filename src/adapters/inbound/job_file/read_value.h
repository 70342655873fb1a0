#pragma once

// Reads a value of any kind of field except maps of further fields, which decode.cc reads.

#include <optional>
#include <string>

#include "adapters/inbound/job_file/field.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// Where a value is, for messages.
struct ValueContext {
  std::string path;     // "resources.gpus"
  std::string subject;  // what messages call it: the path, or the flag "--gpus"
  Report& report;
};

// nullopt: refused, and the report says why.
std::optional<FieldValue> ReadValue(const Field& field, const YamlNode& node, ValueContext at);

}  // namespace gp
