#pragma once

// Of an answer only what the caller asks for: "total,jobs.id,jobs.spec.name".

#include <google/protobuf/descriptor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

class FieldMask {
 public:
  // Names of fields of the message, of those of its fields behind dots; of a list they mean each
  // element, of a map each value.  kInvalidArgument: an unknown one, or too many.
  static Result<FieldMask> Parse(std::string_view text,
                                 const google::protobuf::Descriptor& message);

  // Takes everything else out of the message's document.
  void Apply(nlohmann::ordered_json& document) const;

 private:
  std::map<std::string, FieldMask> fields_;  // empty: all
  bool is_map_ = false;                      // of each value these fields
};

}  // namespace gp
