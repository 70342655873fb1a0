#pragma once

// Features: what the agent of a node can do for jobs beyond its hardware. They are names, so that a
// controller keeps those of a newer agent; an agent that reports none has none.

#include <set>
#include <string>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"

namespace gp {

inline constexpr char kImagesFeature[] = "images";  // jobs may have a root directory of their own
inline constexpr char kImageLayersFeature[] = "image-layers";  // made of layers that it unpacks
inline constexpr char kImagePullFeature[] = "image-pull";      // pulled from registries
inline constexpr char kSquashfsFeature[] = "squashfs";         // squashfs files that it converts
inline constexpr char kNetworkNoneFeature[] =
    "network-none";  // jobs may be cut off from the network

inline constexpr char kGraphicsFeature[] = "graphics";  // the driver of its GPUs draws
// Its agent fetches the data of jobs, and copies their checkpoints and artifacts.
inline constexpr char kDataFeature[] = "data";
inline constexpr char kStageOnlyFeature[] = "stage-only";  // jobs may end when they are staged
inline constexpr char kLaunchersFeature[] = "launchers";   // its agent starts commands by them
// Its agent verifies and prunes unpacked images when it is asked to.  No job needs it.
inline constexpr char kImageCareFeature[] = "image-care";
// Its agent leases ports to the ranks of gangs (model/jobs/ports.h).  No job needs it: ranks on
// agents without it meet at a port that all of them compute.
inline constexpr char kPortLeasesFeature[] = "port-leases";

// Users may come back to processes inside its jobs after a connection has broken (exec sessions).
// No job needs it.
inline constexpr char kExecAttachFeature[] = "exec-attach";

inline constexpr size_t kFeaturesMax = 64;
inline constexpr size_t kFeatureLengthMax = 64;

// All that jobs may need and this program's agents can have; its simulated machines have all.
std::set<std::string> AllFeatures();

// The first feature that the job needs and the node does not have; empty: the node has all.
std::string MissingFeature(const JobSpec& spec, const NodeFacts& facts);

// Those that the job needs.
std::set<std::string> FeaturesFor(const JobSpec& spec);

// kInvalidArgument: more names than kFeaturesMax, or one that is no name.
Status ValidateFeatures(const std::set<std::string>& features);

}  // namespace gp
