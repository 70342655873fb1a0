#pragma once

// The keys for the number of nodes, of a job and of its alternatives.

#include "adapters/inbound/job_file/field.h"

namespace gp {

inline constexpr Field kNodesField = {
    .name = "nodes",
    .kind = FieldKind::kCount,
    .summary = "How many nodes: all of them start together or none does.",
    .default_text = "1",
    .example = "2",
    .synonyms = "num_nodes replicas",
    .low = 1,
    .high = kNodesPerJobMax,
    .set = [](JobDraft& d, const FieldValue& v) {
      d.job.resources.nodes = static_cast<int>(v.number);
    }};

inline constexpr Field kNodesMinField = {
    .name = "nodes_min",
    .kind = FieldKind::kCount,
    .summary =
        "The minimum number of nodes: the job may start on fewer than `nodes`, on as many as are "
        "free. It keeps that number until its next start.",
    .default_text = "same as nodes",
    .example = "1",
    .synonyms = "min_nodes nodes-min elastic",
    .low = 1,
    .high = kNodesPerJobMax,
    .set = [](JobDraft& d, const FieldValue& v) {
      d.job.resources.nodes_min = static_cast<int>(v.number);
    }};

}  // namespace gp
