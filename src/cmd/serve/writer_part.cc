#include "cmd/serve/writer_part.h"

namespace gp {

Status WriterPart::Start() {
  recovery_.loop().Start();
  const Status done = CleanUp();
  if (!done) Stop();
  return done;
}

// What a controller before this one has left undone.
Status WriterPart::CleanUp() {
  GP_CHECK_OK(notifier_.CatchUp());
  return DeleteOrphanedSecrets();
}

// Secrets of a queue that was deleted right before a crash: a new queue of that name starts without
// them.
Status WriterPart::DeleteOrphanedSecrets() {
  SecretKeeper* secrets = lead_.secrets();
  if (secrets == nullptr) return Ok();
  std::vector<SecretFacts> orphans = secrets->List();
  GP_CHECK_OK(recovery_.loop().Read([&](const State& state) {
    std::erase_if(orphans, [&](const SecretFacts& one) {
      return one.owner.queue.empty() || state.queues.all.contains(one.owner.queue);
    });
  }));
  for (const SecretFacts& one : orphans) GP_CHECK_OK(secrets->Delete(one.owner, one.name));
  return Ok();
}

}  // namespace gp
