#include "adapters/wire/views/redact_job.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gp {
namespace {

namespace v1 = gpu_platform::v1;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void Add(Message& message, const FieldDescriptor* field) {
  const google::protobuf::Reflection* access = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: return access->AddString(&message, field, "x");
    case FieldDescriptor::CPPTYPE_INT32: return access->AddInt32(&message, field, 1);
    case FieldDescriptor::CPPTYPE_MESSAGE: access->AddMessage(&message, field); return;
    default: FAIL() << field->full_name() << " is of a type that this test does not know";
  }
}

void Set(Message& message, const FieldDescriptor* field) {
  const google::protobuf::Reflection* access = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: return access->SetString(&message, field, "x");
    case FieldDescriptor::CPPTYPE_INT32: return access->SetInt32(&message, field, 1);
    case FieldDescriptor::CPPTYPE_INT64: return access->SetInt64(&message, field, 1);
    case FieldDescriptor::CPPTYPE_DOUBLE: return access->SetDouble(&message, field, 1);
    case FieldDescriptor::CPPTYPE_BOOL: return access->SetBool(&message, field, true);
    case FieldDescriptor::CPPTYPE_ENUM: return access->SetEnumValue(&message, field, 1);
    case FieldDescriptor::CPPTYPE_MESSAGE: access->MutableMessage(&message, field); return;
    default: FAIL() << field->full_name() << " is of a type that this test does not know";
  }
}

void SetAll(Message& message) {
  const google::protobuf::Descriptor* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->is_repeated()) {
      Add(message, field);
    } else {
      Set(message, field);
    }
  }
}

std::set<std::string> FieldsOf(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  std::set<std::string> names;
  for (const FieldDescriptor* field : fields) names.insert(field->name());
  return names;
}

v1::Job Redacted() {
  v1::Job job;
  SetAll(job);
  SetAll(*job.mutable_spec());
  SetAll(*job.mutable_progress());
  SetAll(*job.mutable_checkpoints(0));
  SetAll(*job.mutable_attempts(0));
  SetAll(*job.mutable_attempts(0)->mutable_ranks(0));
  RedactJob(&job);
  return job;
}

// A new field is hidden, or listed here because it says what the job holds or waits for.
TEST(RedactJob, OfASpecOnlyWhatTheJobHoldsAndWaitsForIsShown) {
  EXPECT_EQ(FieldsOf(Redacted().spec()), (std::set<std::string>{"after",
                                                                "any_of",
                                                                "array",
                                                                "checkpoint_best",
                                                                "checkpoint_every_ms",
                                                                "checkpoint_keep",
                                                                "checkpoint_signal",
                                                                "cpus",
                                                                "gpus",
                                                                "grace_ms",
                                                                "graphics",
                                                                "hang_after_ms",
                                                                "interactive",
                                                                "launcher",
                                                                "memory_bytes",
                                                                "movable",
                                                                "name",
                                                                "network",
                                                                "node_labels",
                                                                "nodes",
                                                                "nodes_min",
                                                                "notify",
                                                                "on_lease_loss",
                                                                "preemptible",
                                                                "priority",
                                                                "project",
                                                                "queue",
                                                                "reservation",
                                                                "retry",
                                                                "shm_bytes",
                                                                "stage_only",
                                                                "time_limit_ms",
                                                                "topology",
                                                                "wait_for_nodes"}));
}

TEST(RedactJob, OfAJobItsImageAndWhatItReportsInWordsAreHidden) {
  const v1::Job job = Redacted();
  EXPECT_FALSE(FieldsOf(job).contains("image_digest"));
  EXPECT_FALSE(FieldsOf(job.progress()).contains("refused"));
  EXPECT_FALSE(FieldsOf(job.progress()).contains("staging"));
  EXPECT_FALSE(FieldsOf(job.checkpoints(0)).contains("path"));
  EXPECT_FALSE(FieldsOf(job.checkpoints(0)).contains("fault"));
  EXPECT_TRUE(FieldsOf(job.checkpoints(0)).contains("step"));
  EXPECT_FALSE(FieldsOf(job.attempts(0).ranks(0)).contains("last_error"));
  EXPECT_TRUE(FieldsOf(job.attempts(0).ranks(0)).contains("rank"));
}

}  // namespace
}  // namespace gp
