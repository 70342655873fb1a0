#include "supervisor/records/job_link.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kWord = "link ";

// The part of a URL behind its scheme; empty: it is of another scheme, or there is none.
std::string_view BehindScheme(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.starts_with(scheme)) return url.substr(scheme.size());
  }
  return {};
}

}  // namespace

Status CheckLink(const JobLink& link) {
  if (!IsMetricName(link.name))
    return Fail(InvalidArgument("a link has at most 64 letters, digits and _ . / - as its name"));
  if (link.url.size() > kLinkUrlMax) return Fail(InvalidArgument("a link has at most 2048 bytes"));
  const std::string_view rest = BehindScheme(link.url);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty())
    return Fail(InvalidArgument("a link begins with https:// or http:// and a host"));
  if (host.find('@') != std::string_view::npos)
    return Fail(InvalidArgument("a link has no user and no password: others see it"));
  const bool is_plain = std::ranges::all_of(link.url, [](char c) {
    return c > ' ' && c <= '~' && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  });
  if (!is_plain)
    return Fail(InvalidArgument("a link has only characters of URLs: write others as %20"));
  return Ok();
}

std::string ToLine(const JobLink& link) {
  return std::string(kWord) + link.name + " " + link.url + "\n";
}

std::vector<JobLink> ParseLinkRecords(std::string_view bytes) {
  std::vector<JobLink> links;
  for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;
       bytes.remove_prefix(end + 1)) {
    std::string_view line = bytes.substr(0, end);
    if (!line.starts_with(kWord)) continue;
    line.remove_prefix(kWord.size());
    const size_t blank = std::min(line.find(' '), line.size());
    JobLink link{std::string(line.substr(0, blank)),
                 std::string(line.substr(std::min(blank + 1, line.size())))};
    if (CheckLink(link)) links.push_back(std::move(link));
  }
  return links;
}

}  // namespace gp
