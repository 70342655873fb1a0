#include "adapters/inbound/job_import/slurm/shell_script.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/unit/adapters/job_import/imported.h"

namespace gp {
namespace {

// "a b|c": commands with their words.
std::string CommandsOf(const std::string& script) {
  std::string text;
  for (const ShellCommand& command : ReadShellScript(script).commands) {
    text += text.empty() ? "" : "|";
    for (size_t i = 0; i < command.words.size(); ++i)
      text += (i == 0 ? "" : " ") + command.words[i].text;
  }
  return text;
}

TEST(ReadShellScript, NamesCommandsWhereverTheyStand) {
  EXPECT_EQ(CommandsOf("a b; c && d | e\nf &"), "a b|c|d|e|f");
  EXPECT_EQ(CommandsOf("X=1 Y=\"2 3\" a 'b c' d\\ e \"f\"g"), "a b c d e fg");
  EXPECT_EQ(CommandsOf("if a; then b; elif ! c; then d; else e; fi"), "a|b|c|d|e");
  EXPECT_EQ(CommandsOf("while a; do b; done > out < in 2>&1"), "a|b");
  EXPECT_EQ(CommandsOf("f() { a; }\nfunction g { b; }\n(c; d)"), "a|b|c|d");
  EXPECT_EQ(CommandsOf("case $x in a|b) c ;; *) d ;; esac; e"), "a|b|c|*|d|e");
  EXPECT_EQ(CommandsOf("a $(b \"$(c)\") `d`"), "c|b $(c)|d|a $(b \"$(c)\") `d`");
  EXPECT_EQ(CommandsOf("a \\\n  b # c\n# d"), "a b");
  EXPECT_EQ(CommandsOf("A=(x y)\na"), "a");
  EXPECT_EQ(CommandsOf("a <<EOF | b\nc $(d)\nEOF\ne"), "a|b|d|e");
  EXPECT_EQ(CommandsOf("a <<-'EOF'\n\tc $(d)\n\tEOF\ne <<< f"), "a|e");
  EXPECT_EQ(CommandsOf("a $((1 + (2 * 3))) ((i++)) && b"), "a $((1 + (2 * 3)))|b");
}

TEST(ReadShellScript, OfAnyTextEnds) {
  constexpr char kBytes[] = "a1$@#{}()<>|&;'\"`\\ \n=EO-:!srun case in esac";
  Rng rng(9);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t bytes = rng.Below(60); bytes > 0; --bytes)
      text += kBytes[rng.Below(sizeof kBytes - 1)];
    for (const ShellCommand& command : ReadShellScript(text).commands) {
      for (const ShellWord& word : command.words) {
        ASSERT_LE(word.begin, word.end) << text;
        ASSERT_LE(word.end, text.size()) << text;
      }
    }
  }
  for (const char* opening : {"$(", "${a:-", "(", "`$(", "\"$(", "$(("}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += opening;
    ReadShellScript(deep);
  }
}

}  // namespace
}  // namespace gp
