#include "adapters/wire/views/redact_job.h"

namespace gp {

void RedactJob(gpu_platform::v1::Job* message) {
  namespace v1 = gpu_platform::v1;
  v1::JobSpec* spec = message->mutable_spec();
  spec->clear_environment();
  spec->clear_command();
  spec->clear_working_directory();
  spec->clear_file();
  spec->clear_checkpoint_directory();
  spec->clear_on_log();
  spec->clear_on_metric();
  spec->clear_labels();
  spec->clear_secrets();
  spec->clear_image();
  spec->clear_image_credentials();
  spec->clear_mounts();
  spec->clear_stage();
  spec->clear_artifacts();
  spec->clear_checkpoint_copy_to();
  spec->clear_checkpoint_credentials();
  message->clear_image_digest();
  for (v1::Checkpoint& checkpoint : *message->mutable_checkpoints()) {
    checkpoint.clear_path();
    checkpoint.clear_fault();
  }
  if (message->has_progress()) {
    message->mutable_progress()->clear_refused();
    message->mutable_progress()->clear_staging();
  }
  for (v1::Attempt& attempt : *message->mutable_attempts()) {
    for (v1::Rank& rank : *attempt.mutable_ranks()) rank.clear_last_error();
  }
}

}  // namespace gp
