#include "adapters/inbound/job_import/slurm/here_documents.h"

#include <algorithm>
#include <utility>

namespace gp {

// A quoted end means that nothing in the document is expanded.
void HereDocuments::Expect(const ShellWord& end, bool has_tabs) {
  const std::string_view written = cursor_.text().substr(end.begin, end.end - end.begin);
  const bool is_quoted = written.find_first_of("'\"\\") != std::string_view::npos;
  expected_.push_back({end.text, !is_quoted, has_tabs});
}

void HereDocuments::Skip() {
  for (const HereDocument& document : std::exchange(expected_, {})) SkipOne(document);
}

void HereDocuments::SkipOne(const HereDocument& document) {
  const std::string_view script = cursor_.text();
  while (!cursor_.IsOver()) {
    const size_t end = std::min(script.find('\n', cursor_.at()), script.size());
    size_t begin = cursor_.at();
    while (document.has_tabs && begin < end && script[begin] == '\t') ++begin;
    const bool is_last = script.substr(begin, end - begin) == document.end;
    while (!is_last && document.expands && cursor_.at() < end) words_.TakeExpanding();
    cursor_.GoTo(std::max(cursor_.at(), std::min(end + 1, script.size())));
    if (is_last) break;
  }
}

}  // namespace gp
