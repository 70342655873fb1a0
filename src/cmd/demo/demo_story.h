#pragma once

#include <string>
#include <string_view>

#include "cmd/demo/demo_figures.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

// The text that the demo prints: sections, lines, and the words for each event of a job.
class DemoStory {
 public:
  DemoStory();

  void Title(const std::string& text) const;
  void Section(const std::string& text) const;
  void Line(const std::string& text) const;
  // A line of a job's own output.
  void Quote(const DemoJob& job, const std::string& line) const;
  void Verdict(bool good, const std::string& text) const;

  void Machine(const DemoDiscovery& discovery, int simulated_nodes) const;
  void Nodes(const v1::Cluster& cluster) const;
  void Isolation(const IsolationReport& report) const;
  void Submitted(const DemoJob& job) const;
  void Waits(const DemoJob& job) const;
  void Starts(const DemoJob& job) const;
  void Ends(const DemoJob& job) const;
  void Probed(const DemoJob& job, const v1::Cluster& cluster) const;
  void Table(const std::vector<DemoJob>& jobs) const;

 private:
  std::string Styled(const char* style, const std::string& text) const;

  bool styled_;
};

}  // namespace gp
