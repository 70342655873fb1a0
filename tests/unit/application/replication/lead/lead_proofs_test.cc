#include "application/replication/lead/lead_proofs.h"

#include <gtest/gtest.h>

#include <string>

namespace gp {
namespace {

class LeadProofsTest : public testing::Test {
 protected:
  void Add(char name) {
    proofs.Add([this, name] { proven += name; });
  }
  void Succeed() {
    for (const LeadProofs::Then& then : proofs.Succeed()) then();
  }
  LeadProofs proofs;
  std::string proven;
};

TEST_F(LeadProofsTest, AProofServesWhatCameBeforeItBegan) {
  Add('a');
  Add('b');
  proofs.Begin();
  Add('c');  // another controller may have led since
  Succeed();
  EXPECT_EQ(proven, "ab");
  EXPECT_TRUE(proofs.has_waiting());
  proofs.Begin();
  Succeed();
  EXPECT_EQ(proven, "abc");
  EXPECT_FALSE(proofs.has_waiting());
}

TEST_F(LeadProofsTest, WithoutAnAnswerTheNextProofServesThemToo) {
  Add('a');
  proofs.Begin();
  Add('b');
  EXPECT_TRUE(proofs.has_waiting());
  proofs.Begin();
  Succeed();
  EXPECT_EQ(proven, "ab");
}

}  // namespace
}  // namespace gp
