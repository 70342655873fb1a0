#include "adapters/outbound/images/image_answers.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

using nlohmann::json;

// The errors that make a difference to the agent.
constexpr ErrorCode kCodes[] = {ErrorCode::kInvalidArgument, ErrorCode::kResourceExhausted,
                                ErrorCode::kInternal};

constexpr std::string_view kPulled = "pulled ";

// Names in an image need not be UTF-8.
std::string Text(const json& answer) {
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

json ErrorAnswer(const Error& error) {
  size_t code = 0;
  while (code + 1 < std::size(kCodes) && kCodes[code] != error.code) ++code;
  return {{"error", error.message}, {"code", code}};
}

// The members that `read` takes must be there.
template <typename Answer, typename Read>
Result<Answer> ReadAnswer(const std::string& text, Read read) {
  try {
    const json answer = json::parse(text);
    if (answer.contains("error")) {
      const size_t code = answer.at("code").get<size_t>();
      return Fail(Error{kCodes[std::min(code, std::size(kCodes) - 1)],
                        answer.at("error").get<std::string>()});
    }
    return read(answer);
  } catch (const json::exception&) {
    return Fail(Internal("a process that unpacks images said: " + Printable(text)));
  }
}

}  // namespace

std::string AnswerText(const Result<ImagePlan>& plan) {
  if (!plan) return Text(ErrorAnswer(plan.error()));
  json layers = json::array();
  for (const LayerPlan& layer : plan->layers)
    layers.push_back({layer.digest, layer.diff_id, layer.bytes, layer.begin, layer.length});
  return Text({{"digest", plan->digest},
               {"manifest", plan->manifest},
               {"layers", layers},
               {"environment", plan->environment},
               {"working_directory", plan->working_directory}});
}

std::string AnswerText(const Result<UnpackedLayer>& layer) {
  if (!layer) return Text(ErrorAnswer(layer.error()));
  return Text({{"digest", layer->digest},
               {"diff_id", layer->diff_id},
               {"bytes", layer->bytes},
               {"files", layer->files}});
}

std::string AnswerText(const Result<LayerLook>& look) {
  if (!look) return Text(ErrorAnswer(look.error()));
  return Text(
      {{"path", look->path}, {"what", look->what}, {"files", look->files}, {"bytes", look->bytes}});
}

std::string AnswerText(const Result<std::string>& identity) {
  return Text(identity ? json{{"identity", *identity}} : ErrorAnswer(identity.error()));
}

std::string AnswerText(const Status& done) {
  return Text(done ? json::object() : ErrorAnswer(done.error()));
}

std::string PulledText(int64_t bytes) {
  return std::string(kPulled) + std::to_string(bytes) + "\n";
}

std::optional<int64_t> ReadPulled(const std::string& line) {
  if (!line.starts_with(kPulled)) return std::nullopt;
  int64_t bytes = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, fault] = std::from_chars(line.data() + kPulled.size(), end, bytes);
  return fault == std::errc() && rest == end && bytes >= 0 ? std::optional(bytes) : std::nullopt;
}

Status ReadDone(const std::string& answer) {
  const auto done = ReadAnswer<bool>(answer, [](const json& from) -> Result<bool> {
    if (from.is_object()) return true;
    return Fail(Internal("a process that pulls images said nothing"));
  });
  return done ? Ok() : Fail(done.error());
}

Result<std::string> ReadFileIdentity(const std::string& answer) {
  return ReadAnswer<std::string>(
      answer, [](const json& from) { return from.at("identity").get<std::string>(); });
}

Result<ImagePlan> ReadImagePlan(const std::string& answer) {
  const Error odd = Internal("a process that reads images named odd layers");
  return ReadAnswer<ImagePlan>(answer, [&odd](const json& from) -> Result<ImagePlan> {
    ImagePlan plan;
    plan.digest = from.at("digest").get<std::string>();
    plan.manifest = from.at("manifest").get<std::string>();
    for (const json& layer : from.at("layers"))
      plan.layers.push_back({layer.at(0).get<std::string>(), layer.at(1).get<std::string>(),
                             layer.at(2).get<int64_t>(), layer.at(3).get<int64_t>(),
                             layer.at(4).get<int64_t>()});
    // Names become paths; the process may have been subverted by what it read.
    const bool is_sound = IsSha256Name(plan.digest) && IsSha256Name(plan.manifest) &&
                          std::ranges::all_of(plan.layers, [](const LayerPlan& layer) {
                            return IsSha256Name(layer.digest) && IsSha256Name(layer.diff_id) &&
                                   layer.bytes >= 0 && layer.bytes <= kLayerBytesMax &&
                                   layer.begin >= 0 && layer.length >= 0;
                          });
    if (!is_sound || plan.layers.size() > kImageLayersMax) return Fail(odd);
    plan.environment = from.at("environment").get<std::vector<std::string>>();
    plan.working_directory = from.at("working_directory").get<std::string>();
    return plan;
  });
}

Result<UnpackedLayer> ReadUnpackedLayer(const std::string& answer) {
  return ReadAnswer<UnpackedLayer>(answer, [](const json& from) {
    return UnpackedLayer{from.at("digest").get<std::string>(),
                         from.at("diff_id").get<std::string>(), from.at("bytes").get<int64_t>(),
                         from.at("files").get<int64_t>()};
  });
}

Result<LayerLook> ReadLayerLook(const std::string& answer) {
  return ReadAnswer<LayerLook>(answer, [](const json& from) {
    return LayerLook{from.at("path").get<std::string>(), from.at("what").get<std::string>(),
                     from.at("files").get<int64_t>(), from.at("bytes").get<int64_t>()};
  });
}

}  // namespace gp
