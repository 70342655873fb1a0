#include "cmd/simulate/report_file.h"

#include "infrastructure/paths.h"

namespace gp {

void AddReportFlag(CLI::App& sub, std::string& file) {
  sub.add_option("--report", file, "Also write an HTML report, as one self-contained page")
      ->type_name("FILE.html");
}

Status WriteReport(const RunReport& report, const std::string& file, const Cli& cli) {
  GP_CHECK_OK(WriteTextFile(file, HtmlReport(report), 0644));
  cli.Say("report: " + AbsolutePath(file));
  return Ok();
}

}  // namespace gp
