// How a job used the resources that it was granted, and what would have been enough.

#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "infrastructure/table.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr int kBarWidth = 20;

std::string Percent(double ratio) { return fmt::format("{:.0f} %", ratio * 100); }

// Absent is not zero.
template <typename Message>
std::string PercentOrDash(bool known, Message value) {
  return known ? Percent(value) : kDash;
}

std::string Bar(double ratio) {
  const int full = std::clamp(static_cast<int>(ratio * kBarWidth + 0.5), 0, kBarWidth);
  return "[" + std::string(static_cast<size_t>(full), '#') +
         std::string(static_cast<size_t>(kBarWidth - full), '.') + "]";
}

std::string Whole(const char* what, bool known, double ratio, const std::string& of) {
  if (!known) return fmt::format("{:<8} {:>22} {:>5}  {}\n", what, "", "---", of);
  return fmt::format("{:<8} {:>22} {:>5}  {}\n", what, Bar(ratio), Percent(ratio), of);
}

std::string Overview(const v1::JobReport& report) {
  const Duration run = Duration::Seconds(static_cast<int64_t>(report.run_seconds()));
  std::string text = fmt::format("{} ({})  {}  attempt {}, {}\n\n", report.name(), report.job_id(),
                                 v1::JobState_Name(report.state()), report.attempt(),
                                 run.ns == 0 ? "0s" : ToText(run));
  const std::string gpus = Count(report.gpus(), "GPU");
  const std::string measured =
      report.gpus() == 0 ? ""
      : report.gpu_measured() == 0
          ? ", not measured (a shared GPU, or too short a time)"
          : ", measured " + Percent(report.gpu_measured()) + " of the time";
  text += Whole("GPU", report.has_gpu_busy(), report.gpu_busy(), gpus + measured);
  text += Whole("cores", report.has_cpu_used(), report.cpu_used(), "of its cores' time");
  text += Whole("memory", report.has_memory_used(), report.memory_used(),
                "of its host memory limit, at the peak");
  if (report.idle_seconds() >= 60)
    text += fmt::format("\nIdle for {}. {}\n",
                        ToText(Duration::Seconds(static_cast<int64_t>(report.idle_seconds()))),
                        report.idle_rule());
  return text;
}

void PrintRanks(const v1::JobReport& report, Cli& cli) {
  Table table({{"RANK", true},
               {"NODE"},
               {"GPU", true},
               {"MODEL"},
               {"BUSY", true},
               {"GPU MEMORY", true},
               {"CORES", true},
               {"MEMORY", true}});
  for (const v1::RankReport& rank : report.ranks()) {
    const std::string cores =
        (rank.has_cores_used() ? fmt::format("{:.1f}", rank.cores_used()) : kDash) +
        (rank.has_cores() ? fmt::format(" of {:.0f}", rank.cores()) : "");
    const std::string memory =
        (rank.has_memory_bytes_max() ? BytesToText(rank.memory_bytes_max()) : kDash) +
        (rank.has_memory_bytes() ? " of " + BytesToText(rank.memory_bytes()) : "");
    const std::string number = std::to_string(rank.rank());
    if (rank.gpus().empty())
      table.Add({number, rank.node(), kDash, kDash, kDash, kDash, cores, memory});
    for (int i = 0; i < rank.gpus_size(); ++i) {
      const v1::GpuReport& gpu = rank.gpus(i);
      const std::string used =
          (gpu.has_memory_bytes_max() ? BytesToText(gpu.memory_bytes_max()) : kDash) + " of " +
          BytesToText(gpu.memory_bytes());
      table.Add({number, rank.node(), std::to_string(gpu.index()), gpu.model(),
                 PercentOrDash(gpu.has_busy(), gpu.busy()), used, i == 0 ? cores : "",
                 i == 0 ? memory : ""});
    }
  }
  cli.PrintTable(table);
}

// For programs: a row for each GPU, numbers without units; empty: not known.
void PrintNumbers(const v1::JobReport& report) {
  std::string text =
      "rank,node,gpu,model,busy,measured_seconds,gpu_memory_bytes_max,gpu_memory_bytes,cores_used,"
      "cores,memory_bytes_max,memory_bytes\n";
  const auto number = [](bool known, auto value) {
    return known ? fmt::format("{}", value) : std::string();
  };
  for (const v1::RankReport& rank : report.ranks()) {
    const std::string host =
        fmt::format("{},{},{},{}", number(rank.has_cores_used(), rank.cores_used()),
                    number(rank.has_cores(), rank.cores()),
                    number(rank.has_memory_bytes_max(), rank.memory_bytes_max()),
                    number(rank.has_memory_bytes(), rank.memory_bytes()));
    if (rank.gpus().empty())
      text += fmt::format("{},{},,,,,,,{}\n", rank.rank(), rank.node(), host);
    for (const v1::GpuReport& gpu : rank.gpus()) {
      text += fmt::format("{},{},{},\"{}\",{},{},{},{},{}\n", rank.rank(), rank.node(), gpu.index(),
                          gpu.model(), number(gpu.has_busy(), gpu.busy()), gpu.measured_seconds(),
                          number(gpu.has_memory_bytes_max(), gpu.memory_bytes_max()),
                          gpu.memory_bytes(), host);
    }
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void ReportJob(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  v1::GetJobRequest request;
  request.set_job_id(id);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto report = (*client)->Call<v1::JobReport>("GetJobReport", request);
  if (!report) return cli.Complain(report.error());
  if (cli.PrintDocument(*report)) return;
  if (cli.output == "csv") return PrintNumbers(*report);
  if (report->ranks().empty()) return cli.Say(report->job_id() + " was never placed");
  cli.PrintText(Overview(*report));
  std::fputs("\n", stdout);
  std::fflush(stdout);
  PrintRanks(*report, cli);
  if (report->advice().empty()) return;
  std::fputs("\n", stdout);
  for (const v1::Advice& advice : report->advice()) {
    const std::string saved =
        advice.has_gpu_hours_saved()
            ? fmt::format(" (saves {:.2f} GPU-hours)", advice.gpu_hours_saved())
            : "";
    fmt::print("* {}{}\n", advice.text(), saved);
  }
}

}  // namespace gp
