#include "lib/yaml/diagnostic.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

std::string_view ParentOf(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(0, dot);
}

bool IsAtOrUnder(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '.');
}

}  // namespace

std::string RenderDiagnostics(std::span<const Diagnostic> diagnostics, std::string_view outcome) {
  std::string text;
  for (const Diagnostic& problem : diagnostics) {
    text += problem.file + ":";
    if (problem.line > 0) {
      text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
    }
    text += " error " + problem.code + ": " + problem.message + "\n" + problem.excerpt + "\n";
  }
  if (diagnostics.empty()) return text;
  text += std::to_string(diagnostics.size()) + (diagnostics.size() == 1 ? " problem" : " problems");
  return text + ", " + std::string(outcome) + ".  (gpu-platform explain error " +
         diagnostics[0].code + ")\n";
}

std::string AsLines(std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) {
    text += (text.empty() ? "" : "\n") + one.file + ":";
    if (one.line > 0) text += std::to_string(one.line) + ":" + std::to_string(one.column) + ":";
    text += " " + one.message;
  }
  return text;
}

void Report::Add(const Place& place, FileCode code, std::string message) {
  if (IsFull()) return;
  if (diagnostics_.size() == kDiagnosticsMax) {
    code = FileCode::kTooLarge;
    message = "more than " + std::to_string(kDiagnosticsMax) +
              " problems: those after this place are not shown";
  }
  const int line = place.source->is_argument ? 0 : place.line;
  Diagnostic problem{place.source->name, line,          place.column, CodeText(code),
                     std::move(message), Excerpt(place)};
  // An option applies to every document of a file; its problem is reported once.
  if (std::ranges::find(diagnostics_, problem) == diagnostics_.end()) {
    diagnostics_.push_back(std::move(problem));
  }
}

void Report::AddAt(std::string_view path, const Place& place, FileCode code, std::string message) {
  if (!IsFull()) doubtful_paths_.emplace(path);
  Add(place, code, std::move(message));
}

bool Report::DoubtsAbout(std::string_view path) const {
  return std::ranges::any_of(doubtful_paths_, [&](const std::string& doubtful) {
    return IsAtOrUnder(path, doubtful) || IsAtOrUnder(doubtful, path) ||
           IsAtOrUnder(path, ParentOf(doubtful));
  });
}

std::vector<Diagnostic> Report::Take() {
  std::ranges::stable_sort(diagnostics_, {}, [](const Diagnostic& problem) {
    return std::pair(problem.line, problem.line > 0 ? problem.column : 0);
  });
  return std::move(diagnostics_);
}

}  // namespace gp
