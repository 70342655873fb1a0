#include "domain/node/outgoing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gp {
namespace {

std::vector<std::string> TakeAll(Outgoing<std::string>& outgoing) {
  std::vector<std::string> all;
  while (!outgoing.empty()) all.push_back(outgoing.Take());
  return all;
}

TEST(Outgoing, AReportThatWaitsGivesWayToANewerOne) {
  Outgoing<std::string> outgoing;
  outgoing.Add("join");
  outgoing.AddReport("old report");
  outgoing.AddReport("report");
  EXPECT_EQ(TakeAll(outgoing), (std::vector<std::string>{"join", "report"}));
}

// The agent counts them as acknowledged when a later message is answered: one that was dropped
// would never be sent again.
TEST(Outgoing, NewsOfGpusGiveWayToNothing) {
  Outgoing<std::string> outgoing;
  outgoing.Add("news 1");
  outgoing.Add("news 2");
  outgoing.AddReport("old report");
  outgoing.Add("news 3");
  outgoing.AddReport("report");
  EXPECT_EQ(TakeAll(outgoing), (std::vector<std::string>{"news 1", "news 2", "news 3", "report"}));
}

}  // namespace
}  // namespace gp
