// Prometheus metrics: to look at, or for the textfile collector of its node exporter.

#include <cstdio>

#include "cmd/cli.h"
#include "files/replace_file.h"

namespace gp {
namespace {

void PrintMetrics(const std::string& file, const std::string& names, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  v1::GetMetricsRequest request;
  request.set_names(names);
  const auto reply = (*client)->Call<v1::GetMetricsReply>("GetMetrics", request);
  if (!reply) return cli.Complain(reply.error());
  if (file.empty()) {
    std::fwrite(reply->text().data(), 1, reply->text().size(), stdout);
  } else if (const Status written = ReplaceFile(file, reply->text(), 0644, Survives::kCrash);
             !written) {
    cli.Complain(written.error());
  }
}

}  // namespace

void AddMetrics(CLI::App& app, Cli& cli) {
  CLI::App* metrics =
      app.add_subcommand("metrics", "Print metrics of GPUs and jobs in the Prometheus text format");
  auto file = std::make_shared<std::string>();
  metrics
      ->add_option("--file", *file,
                   "Replace this file, for example for the node exporter's textfile collector")
      ->type_name("FILE");
  auto names = std::make_shared<std::string>();
  metrics
      ->add_option("--names", *names,
                   "dcgm: GPU metrics with the names and labels of NVIDIA's dcgm-exporter, for "
                   "existing dashboards")
      ->type_name("NAMES");
  metrics->callback([file, names, &cli] { PrintMetrics(*file, *names, cli); });
}

}  // namespace gp
