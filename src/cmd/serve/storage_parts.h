#pragma once

// What a controller keeps in its state directory, as parts of its start.

#include <memory>
#include <string>

#include "adapters/outbound/audit/audit_file.h"
#include "adapters/outbound/metric_files/metric_files.h"
#include "adapters/outbound/secret_files/secret_files.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "cmd/daemon/component.h"
#include "cmd/serve/controller_config.h"
#include "ports/outbound/journal.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// The directories, and the join token of the nodes.
class DirectoriesPart : public Component {
 public:
  DirectoriesPart(const ControllerConfig& config, OperatorLog& log) : config_(config), log_(log) {}
  Status Start() override;
  const std::string& join_token() const { return join_token_; }

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  std::string join_token_;
};

// The journal: a file, or memory if the controller is ephemeral.
class JournalPart : public Component {
 public:
  JournalPart(const ControllerConfig& config, OperatorLog& log) : config_(config), log_(log) {}
  Status Start() override;
  Journal& journal() { return *journal_; }
  bool is_file() const { return file_ != nullptr; }
  // Records at the end were lost or given up: jobs that started after them may still run.
  bool is_cut() const { return is_cut_; }
  // The state has been recovered: the loss is accepted, and not reported at the next start.
  Status AcceptLoss();

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  std::unique_ptr<Journal> journal_;
  SqliteJournal* file_ = nullptr;  // the same, where it is a file
  bool is_cut_ = false;
};

// Secrets and the audit trail; an ephemeral controller has neither.  And the metrics of jobs.
class RecordsPart : public Component {
 public:
  RecordsPart(const ControllerConfig& config, OperatorLog& log) : config_(config), log_(log) {}
  Status Start() override;
  SecretFiles* secrets() { return secrets_.get(); }
  AuditFile* audit() { return audit_.get(); }
  MetricFiles& metrics() { return *metrics_; }

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  std::unique_ptr<SecretFiles> secrets_;
  std::unique_ptr<AuditFile> audit_;
  std::unique_ptr<MetricFiles> metrics_;
};

}  // namespace gp
