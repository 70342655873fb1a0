#include "domain/model/jobs/end_class.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace gp {
namespace {

std::vector<EndClass> AllEndClasses() {
  std::vector<EndClass> all;
  for (int one = 0; one <= static_cast<int>(EndClass::kMetric); ++one)
    all.push_back(static_cast<EndClass>(one));
  return all;
}

TEST(EndClass, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const EndClass end : AllEndClasses()) {
    EXPECT_TRUE(names.insert(Name(end)).second) << Name(end);
    EXPECT_STRNE(Name(end), "?");
  }
  EXPECT_STREQ(Name(EndClass::kNone), "") << "it has not ended";
}

// docs/reference/end_classes.md has a row for each, with the party that it is charged to.
TEST(EndClass, IsChargedAsTheReferenceSays) {
  std::ifstream file(GP_SOURCE_DIR "/docs/reference/end_classes.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::map<std::string, std::string> documented;
  const std::regex row(R"(\n\| (`[^|]*`) \| ([a-z]+) \|)");
  const std::regex word(R"(`([a-z-]+)`)");
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name)
      documented[(*name)[1]] = (*at)[2];
  }
  std::map<std::string, std::string> actual;
  for (const EndClass end : AllEndClasses()) {
    if (end != EndClass::kNone) actual[Name(end)] = Name(ChargeOf(end));
  }
  EXPECT_EQ(actual, documented);
}

TEST(EndClass, WhatWasOrderedIsChargedToNobody) {
  for (const EndClass end : {EndClass::kNone, EndClass::kPreempted, EndClass::kMoved,
                             EndClass::kDrained, EndClass::kCancelled, EndClass::kBudget})
    EXPECT_EQ(ChargeOf(end), EndCharge::kNobody) << Name(end);
}

}  // namespace
}  // namespace gp
