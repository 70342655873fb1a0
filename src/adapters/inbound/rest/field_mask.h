#pragma once

#include <google/protobuf/descriptor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// The fields of an answer that the caller requests: "total,jobs.id,jobs.spec.name".  Any thread.
class FieldMask {
 public:
  // `text`: field names, with dots for nested fields; they apply to each element of a list and to
  // each value of a map.  kInvalidArgument: an unknown field, or too many fields.
  static Result<FieldMask> Parse(std::string_view text,
                                 const google::protobuf::Descriptor& message);

  // Removes all other fields from the message's document.
  void Apply(nlohmann::ordered_json& document) const;

 private:
  std::map<std::string, FieldMask> fields_;  // empty: all
  bool is_map_ = false;                      // `fields_` apply to each value of a map
};

}  // namespace gp
