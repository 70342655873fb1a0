// Good YAML that is no job, and large texts of one kind.

#include "tests/unit/adapters/job_file/bad_input.h"

namespace gp {
namespace {

constexpr BadInput kBadDocuments[] = {
    {"»", "GP1005", "no job"},
    {"»# nothing\n", "GP1005", "no job"},
    {"»---\n---\n", "GP1005", "no job"},
    {"»~\n", "GP1005", "no job"},
    {"»[run, x]\n", "GP1009", "not a list"},
    {"»run\n", "GP1009", "not \"run\""},
    {"»run:x\n", "GP1009", "space after the colon"},
    {"»8\n", "GP1009", "the number"},
    {"»{}\n", "GP1008", "run is missing"},
    {"»name: x\n", "GP1008", "run is missing"},
    {"image: a\nstage_only: true\nrun: »x\n", "GP1018", "starts no program"},
    {"stage_only: »true\n", "GP1018", "there is nothing to stage"},
    {"run: x\n---\n»name: y\n", "GP1008", "run is missing"},
    {"run: x\n---\n»[]\n", "GP1009", "not a list"},
};

TEST(BadDocuments, AreNoJobs) {
  for (const BadInput& row : kBadDocuments) ExpectRefused(row);
}

std::string Repeated(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

// Inputs that have driven YAML readers into quadratic time or deep recursion: each must end.
TEST(BadDocuments, MuchOfOneKind) {
  for (const std::string_view part :
       {"[",   "{",      "- ",    "? ",    "a: ",    "\"",     "'",     "&a ",   "!a ",
        "|",   "a\n",    ": ",    ",",     "#",      "{a: ",   "[a, ",  "? a\n", "\t",
        "%",   "*a ",    "---\n", "...\n", "a: b\n", "x",      "\n",    "[]",    "a ",
        "[\"", "a:\n  ", "!<",    "<",     ">",      "\"a\" ", "[a]: ", "-\n",   "run: x\n---\n"}) {
    SCOPED_TRACE(part);
    const DecodedJobs decoded = DecodeJobFile("big.yaml", Repeated(part, (1 << 18) / part.size()));
    EXPECT_FALSE(decoded.diagnostics.empty());
    EXPECT_LE(decoded.diagnostics.size(), 101u);
  }
}

}  // namespace
}  // namespace gp
