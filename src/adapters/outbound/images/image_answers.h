#pragma once

// What the processes that read and unpack images print for the agent.

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/outbound/images/image_manifest.h"
#include "adapters/outbound/images/layer_process.h"

namespace gp {

inline constexpr size_t kImageAnswerBytesMax = 1 << 20;

std::string AnswerText(const Result<ImagePlan>& plan);
std::string AnswerText(const Result<UnpackedLayer>& layer);
std::string AnswerText(const Result<LayerLook>& look);
std::string AnswerText(const Result<std::string>& identity);
std::string AnswerText(const Status& done);

// A line that the process prints while it pulls: the bytes that are there.
std::string PulledText(int64_t bytes);
std::optional<int64_t> ReadPulled(const std::string& line);

// The error that the process met, or kInternal: this is no such answer.
Result<ImagePlan> ReadImagePlan(const std::string& answer);
Result<UnpackedLayer> ReadUnpackedLayer(const std::string& answer);
Result<LayerLook> ReadLayerLook(const std::string& answer);
Result<std::string> ReadFileIdentity(const std::string& answer);
Status ReadDone(const std::string& answer);

}  // namespace gp
