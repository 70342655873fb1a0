#include "cmd/daemon/component.h"

#include <gtest/gtest.h>

#include <string>

namespace gp {
namespace {

class LoggedPart : public Component {
 public:
  LoggedPart(std::string name, std::string& log, bool fails = false)
      : name_(std::move(name)), log_(log), fails_(fails) {}
  ~LoggedPart() override { log_ += " ~" + name_; }
  Status Start() override {
    log_ += " " + name_;
    return fails_ ? Status(Fail(Unavailable(name_ + " is missing"))) : Ok();
  }
  void Stop() override { log_ += " !" + name_; }

 private:
  const std::string name_;
  std::string& log_;
  const bool fails_;
};

TEST(Components, StopAndEndInTheReverseOrder) {
  std::string log;
  {
    Components parts;
    parts.Add<LoggedPart>("a", log);
    parts.Add<LoggedPart>("b", log);
    parts.Add<LoggedPart>("c", log);
    EXPECT_TRUE(parts.Start());
    EXPECT_EQ(log, " a b c");
  }
  EXPECT_EQ(log, " a b c !c !b !a ~c ~b ~a");
}

TEST(Components, AfterAFailureThoseThatStartedStop) {
  std::string log;
  Components parts;
  parts.Add<LoggedPart>("a", log);
  parts.Add<LoggedPart>("b", log);
  parts.Add<LoggedPart>("c", log, true);
  parts.Add<LoggedPart>("d", log);
  const Status started = parts.Start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "c is missing");
  EXPECT_EQ(log, " a b c !b !a");
  parts.Stop();
  EXPECT_EQ(log, " a b c !b !a") << "each stops once";
}

}  // namespace
}  // namespace gp
