// Texts that are refused before any key is looked at: bytes, YAML itself, what YAML can hide.

#include "lib/yaml/check_text.h"
#include "lib/yaml/yaml_tree.h"
#include "tests/unit/lib/yaml/marked_text.h"

namespace gp {
namespace {

using namespace std::string_view_literals;

std::vector<Diagnostic> DiagnosticsOf(const std::string& text) {
  const SourceText source{"bad.yaml", text};
  Report report;
  if (CheckText(source, report)) ReadYaml(source, source.text, report);
  return report.Take();
}

void ExpectRefused(const BadInput& row) {
  SCOPED_TRACE(row.text.substr(0, 200));
  const MarkedText marked = TakeMark(row.text);
  ExpectOnly(row, marked, DiagnosticsOf(marked.text));
}

constexpr BadInput kBadText[] = {
    {"run: x\n»\x01"sv, "GP1001", "U+0001"},
    {"run: »\0y"sv, "GP1001", "U+0000"},
    {"run: a»\x1b[31m"sv, "GP1001", "U+001B"},
    {"run: a»\x7f"sv, "GP1001", "U+007F"},
    {"run: a»\xc2\x85z"sv, "GP1001", "U+0085"},
    {"run: é»\xff"sv, "GP1001", "not UTF-8"},
    {"run: »\xc0\xaf"sv, "GP1001", "not UTF-8"},           // overlong
    {"run: »\xed\xa0\x80"sv, "GP1001", "not UTF-8"},       // surrogate
    {"run: »\xf4\x90\x80\x80"sv, "GP1001", "not UTF-8"},   // beyond U+10FFFF
    {"run: »\xe2\x82"sv, "GP1001", "not UTF-8"},           // cut short
    {"run: x # »\xe2\x80\xae gnp"sv, "GP1001", "U+202E"},  // turns the text around
    {"run: x # »\xe2\x81\xa6"sv, "GP1001", "U+2066"},
    {"run: x # »\xe2\x80\xa8"sv, "GP1001", "U+2028"},
    {"run: x\n# »\xef\xbb\xbf"sv, "GP1001", "U+FEFF"},
    {"run: x»\rname: y\n"sv, "GP1001", "U+000D"},
    {"»\xff\xfer\0u\0n\0"sv, "GP1001", "not UTF-8"},  // UTF-16
};

TEST(BadYaml, BytesThatAreNotText) {
  for (const BadInput& row : kBadText) ExpectRefused(row);
}

constexpr BadInput kBadSyntax[] = {
    {"run: x\nresources:\n»\tcpus: 1\n", "GP1002", "tab in the indentation"},
    {"run: \"abc»", "GP1002", "while scanning a quoted scalar (from line 1)"},
    {"run: 'abc»\n", "GP1002", "quoted scalar"},
    {"run: [a, b»\n", "GP1002", "did not find expected ',' or ']'"},
    {"run: {a: b»\n", "GP1002", "did not find expected ',' or '}'"},
    {"run: [a] »b\n", "GP1002", "did not find expected key"},
    {"run: \"a\" »b\n", "GP1002", "did not find expected key"},
    {"run: x\n»]\n", "GP1002", "did not find expected key"},
    {"run: x\n»}\n", "GP1002", "did not find expected key"},
    {"run: x\n  name»: y\n", "GP1002", "mapping values are not allowed"},
    {"run: a»: b\n", "GP1002", "mapping values are not allowed"},
    {"run: »@x\n", "GP1002", "cannot start any token"},
    {"run: »`x`\n", "GP1002", "cannot start any token"},
    {"run: »%x\n", "GP1002", "cannot start any token"},
    {"run: \"»\\q\"\n", "GP1002", "unknown escape"},
    {"run: [a,», b]\n", "GP1002", "did not find expected node content"},
    {"{\"run\": \"a\" »\"name\": \"b\"}", "GP1002", "',' or '}'"},
    {"{\"run\": \"a\"}»{\"run\": \"b\"}", "GP1002", "<document start>"},
    {"{\"run\": \"\\u»d83d\\ude00\"}", "GP1002", "eight digits"},
    {"run: x\ncheckpoint: {dir: /a/$»{JOB_NAME}}\n", "GP1002", "needs quotes"},
    {"run: x\nname»\n", "GP1002", "could not find expected ':'"},
    {"»: x\n", "GP1002", "did not find expected key"},
    {"run: |»x\n  y\n", "GP1002", "block scalar"},
    {"%FOO»\n---\nrun: x\n", "GP1002", "directive"},
};

TEST(BadYaml, Syntax) {
  for (BadInput row : kBadSyntax) {
    SCOPED_TRACE(row.text);
    const MarkedText marked = TakeMark(row.text);
    const std::vector<Diagnostic> diagnostics = DiagnosticsOf(marked.text);
    ASSERT_FALSE(diagnostics.empty());
    const Diagnostic& last = diagnostics.back();  // what was read before it may be bad too
    EXPECT_EQ(last.code, row.code);
    EXPECT_NE(last.message.find(row.fragment), std::string::npos) << last.message;
    EXPECT_EQ(last.line, marked.line) << last.excerpt;
    EXPECT_EQ(last.column, marked.column) << last.excerpt;
  }
}

constexpr BadInput kBadFeatures[] = {
    {"run: »&a x\n", "GP1004", "remove \"&a\""},
    {"»&a run: x\n", "GP1004", "anchors"},
    {"»&a {run: x}\n", "GP1004", "anchors"},
    {"run: »&a [x]\n", "GP1004", "anchors"},
    {"run: »*a\n", "GP1004", "aliases"},
    {"»*a : x\n", "GP1004", "aliases"},
    {"»<<: {run: x}\n", "GP1004", "merge keys"},
    {"run: »! x\n", "GP1004", "tags"},
    {"run: »!!str x\n", "GP1004", "tags"},
    {"run: »!<tag:a> x\n", "GP1004", "tags"},
    {"run: x\nenv: »!!map {A: b}\n", "GP1004", "tags"},
    {"run: »!!python/object/apply:os.system [ls]\n", "GP1004", "tags"},
    {"»%YAML 1.1\n---\nrun: x\n", "GP1004", "directives"},
    {"»%TAG ! tag:x,2000:\n---\nrun: x\n", "GP1004", "directives"},
    {"? »[run]\n: x\n", "GP1004", "plain text"},
    {"? »{run: x}\n: x\n", "GP1004", "plain text"},
    {"»[run]: x\n", "GP1004", "plain text"},
    {"»~: x\n", "GP1004", "not nothing"},
    {"»null: x\n", "GP1004", "not nothing"},
    {"»\nrun: x\nrun: y\n", "GP1006", "line 2"},
};

TEST(BadYaml, FeaturesThatHideMeaning) {
  for (const BadInput& row : kBadFeatures) {
    if (row.code == "GP1004") ExpectRefused(row);
  }
}

// The bomb: nine levels of nine aliases each would be 3.8e8 values.
TEST(BadYaml, BombOfAliasesStopsAtTheFirstAnchor) {
  std::string bomb = "a0: &a0 lol\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 8; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  const std::vector<Diagnostic> diagnostics = DiagnosticsOf(bomb);
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics[0].code, "GP1004");
  EXPECT_EQ(diagnostics[0].line, 1);
}

constexpr BadInput kRepeatedKeys[] = {
    {"run: x\n»run: y\n", "GP1006", "already given in line 1"},
    {"run: x\nenv: {A: b, »A: c}\n", "GP1006", "\"A\""},
    {"{\"run\": \"x\", »\"run\": \"y\"}\n", "GP1006", "\"run\""},
    {"run: x\nresources: {cpus: 1, »\"cpus\": 2}\n", "GP1006", "\"cpus\""},
};

TEST(BadYaml, RepeatedKeys) {
  for (const BadInput& row : kRepeatedKeys) ExpectRefused(row);
}

std::string Repeated(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(BadYaml, TooLarge) {
  ExpectRefused({"»" + std::string(1'100'000, 'x'), "GP1003", "1100000 bytes"});
  ExpectRefused({"run: " + Repeated("[", 31) + "»" + Repeated("[", 969), "GP1003", "32 levels"});
  ExpectRefused({Repeated("{a: ", 32) + "»" + Repeated("{a: ", 968), "GP1003", "32 levels"});
  ExpectRefused({Repeated("- ", 32) + "»" + Repeated("- ", 968), "GP1003", "32 levels"});
  ExpectRefused({"run: [" + Repeated("1,", 65534) + "»" + Repeated("1,", 1000) + "]", "GP1003",
                 "65536 values"});
  ExpectRefused({Repeated("run: x\n---\n", 1000) + "»run: y\n", "GP1003", "1000 jobs"});
}

}  // namespace
}  // namespace gp
