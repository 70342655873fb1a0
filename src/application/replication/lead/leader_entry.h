#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// Where a controller can be reached: "HOST:PORT"; empty: nowhere.
struct AdvertisedAddresses {
  std::string grpc;  // of agents, and of clients' gRPC
  std::string http;
  bool operator==(const AdvertisedAddresses&) const = default;
};

// What the leader's key tells of its owner.
struct LeaderEntry {
  std::string name;     // of the controller in the cluster
  std::string process;  // no other process has ever had it
  AdvertisedAddresses addresses;
  bool is_stopping =
      false;  // in order: that its doors are closed does not mean that it has crashed
  bool operator==(const LeaderEntry&) const = default;
};

std::string Encode(const LeaderEntry& entry);
// kInternal: it is damaged, or of a format that this program does not know.
Result<LeaderEntry> DecodeLeaderEntry(std::string_view value);

}  // namespace gp
