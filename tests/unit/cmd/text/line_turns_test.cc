#include "cmd/text/line_turns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace gp {
namespace {

// Two streams with one file behind them.
class LineTurnsTest : public testing::Test {
 protected:
  ~LineTurnsTest() override {
    std::fclose(first_);
    std::fclose(second_);
  }
  std::string Written() {
    std::string text(100, '\0');
    std::rewind(file_);
    text.resize(std::fread(text.data(), 1, text.size(), file_));
    std::fclose(file_);
    return text;
  }

  std::FILE* file_ = std::tmpfile();
  std::FILE* first_ = fdopen(dup(fileno(file_)), "a");
  std::FILE* second_ = fdopen(dup(fileno(file_)), "a");
};

TEST_F(LineTurnsTest, ALineIsFinishedBeforeTheOtherStreamGoesOn) {
  LineTurns turns(std::chrono::minutes(1));
  EXPECT_TRUE(turns.Write(first_, "sh: 1: "));
  std::thread other([&] { EXPECT_TRUE(turns.Write(second_, "GPU-1\n")); });
  EXPECT_TRUE(turns.Write(first_, "cannot open nvidia6\n"));
  other.join();
  EXPECT_EQ(Written(), "sh: 1: cannot open nvidia6\nGPU-1\n");
}

TEST_F(LineTurnsTest, APromptThatIsNotFinishedHoldsNobodyUp) {
  LineTurns turns(std::chrono::milliseconds(0));
  EXPECT_TRUE(turns.Write(first_, "Password: "));
  EXPECT_TRUE(turns.Write(second_, "no terminal\n"));
  EXPECT_EQ(Written(), "Password: no terminal\n");
}

}  // namespace
}  // namespace gp
