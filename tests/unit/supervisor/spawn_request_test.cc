#include "supervisor/records/spawn_request.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(SpawnRequest, ComesBackWithItsKey) {
  for (const bool only_clean_up : {false, true}) {
    for (const char* key : {"", "b", "r", "j1-0-1", "bury"}) {
      const SpawnRequest read =
          DecodeSpawnRequest(EncodeSpawnRequest({.only_clean_up = only_clean_up, .key = key}));
      EXPECT_EQ(read.only_clean_up, only_clean_up) << key;
      EXPECT_EQ(read.key, key);
    }
  }
}

TEST(SpawnRequest, IsNeverEmpty) {
  // An empty packet would be the end of the connection.
  EXPECT_FALSE(EncodeSpawnRequest({}).empty());
}

}  // namespace
}  // namespace gp
