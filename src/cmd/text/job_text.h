#pragma once

// Jobs as text for people.

#include <string>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

bool IsOver(const v1::Job& job);
std::string GpusText(const v1::JobSpec& spec);           // "16×H100", "0.5×any"
std::string SpanText(double seconds);                    // "3m12s"
std::string PlacesText(const v1::Job& job);              // "n1[0-7]", "n[1-4][0-7]"
std::string LabelsText(const v1::JobSpec& spec);         // "team=nlp, run=7"
std::string ElementsText(const v1::Elements& elements);  // "87 done, 10 running, 3 waiting"
std::string DescribeJob(const v1::Job& job);             // all of it, several lines
// Where its output is stored; empty: nothing of it has been started
std::string DescribeOutput(const v1::Job& job);

}  // namespace gp
