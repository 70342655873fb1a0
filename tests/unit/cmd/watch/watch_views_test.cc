#include "cmd/watch/watch_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WatchView kViews[] = {WatchView::kGpus, WatchView::kJobs, WatchView::kQueue,
                                WatchView::kNodes};

v1::Node& NodeIn(WatchData& data, const std::string& name) {
  v1::Node& node = *data.cluster.add_nodes();
  node.set_name(name);
  node.set_state("UP");
  return node;
}

v1::Gpu& GpuIn(v1::Node& node, v1::GpuState state = v1::AVAILABLE) {
  v1::Gpu& gpu = *node.add_gpus();
  gpu.set_index(node.gpus_size() - 1);
  gpu.set_uuid(node.name() + "-" + std::to_string(gpu.index()));
  gpu.set_state(state);
  gpu.set_memory_bytes(int64_t{80} << 30);
  gpu.mutable_verdict()->set_level("ok");
  return gpu;
}

v1::Job& JobIn(WatchData& data, const std::string& id, v1::JobState state) {
  v1::Job& job = data.jobs.emplace_back();
  job.set_id(id);
  job.set_state(state);
  job.set_detail(v1::JobState_Name(state));
  return job;
}

// Text of the cell below the title, "" for a title of the mark.
const WatchCell& Cell(const WatchTable& table, const std::string& title, size_t row = 0) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title == title) return table.rows.at(row).cells.at(i);
  }
  ADD_FAILURE() << "no column " << title;
  static const WatchCell none;
  return none;
}

TEST(WatchViews, EachRowHasACellForEachColumn) {
  WatchData data;
  GpuIn(NodeIn(data, "n1"));
  JobIn(data, "job-1", v1::RUNNING);
  JobIn(data, "job-2", v1::QUEUED);
  for (const WatchView view : kViews) {
    const WatchTable table = MakeView(view, data);
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(table.rows[0].cells.size(), table.columns.size());
    EXPECT_NE(table.rows[0].key, "");
    EXPECT_FALSE(table.rows[0].details().empty());
  }
}

TEST(WatchViews, AnEmptyClusterSaysSo) {
  for (const WatchView view : kViews) {
    EXPECT_THAT(MakeView(view, {}).rows, IsEmpty());
    EXPECT_NE(MakeView(view, {}).empty, "");
  }
}

TEST(WatchViews, NodesAreInTheOrderOfTheirNumbers) {
  WatchData data;
  for (const char* name : {"n10", "n2", "n1"}) GpuIn(NodeIn(data, name));
  const WatchTable nodes = MakeView(WatchView::kNodes, data);
  EXPECT_EQ(nodes.rows[0].key, "n1");
  EXPECT_EQ(nodes.rows[1].key, "n2");
  EXPECT_EQ(nodes.rows[2].key, "n10");
  const WatchTable gpus = MakeView(WatchView::kGpus, data);
  EXPECT_EQ(Cell(gpus, "NODE/GPU", 2).text, "n10/0");
  EXPECT_LT(*Cell(gpus, "NODE/GPU", 1).rank, *Cell(gpus, "NODE/GPU", 2).rank)
      << "and sorted by that column they stay so";
}

TEST(WatchViews, JobsAreEitherRunningOrInTheQueue) {
  WatchData data;
  JobIn(data, "job-1", v1::RUNNING);
  JobIn(data, "job-2", v1::QUEUED);
  JobIn(data, "job-3", v1::PENDING).set_detail("HELD");
  JobIn(data, "job-4", v1::PREEMPTED);
  const WatchTable jobs = MakeView(WatchView::kJobs, data);
  ASSERT_EQ(jobs.rows.size(), 1u);
  EXPECT_EQ(jobs.rows[0].key, "job-1");
  const WatchTable queue = MakeView(WatchView::kQueue, data);
  ASSERT_EQ(queue.rows.size(), 3u);
  EXPECT_EQ(Cell(queue, "STATE", 0).text, "QUEUED");
  EXPECT_EQ(Cell(queue, "STATE", 1).text, "HELD");
}

TEST(WatchViews, UnknownReadingsAreDashesWithoutARank) {
  WatchData data;
  GpuIn(NodeIn(data, "n1"));
  const WatchTable table = MakeView(WatchView::kGpus, data);
  for (const char* title : {"UTIL", "MEM", "°C", "W", "JOB", "USER"}) {
    EXPECT_EQ(Cell(table, title).text, "–") << title;
    EXPECT_FALSE(Cell(table, title).rank.has_value()) << title;
    EXPECT_FALSE(Cell(table, title).fill.has_value()) << title;
  }
}

TEST(WatchViews, ReadingsHaveTheirBars) {
  WatchData data;
  v1::GpuReadings& readings = *GpuIn(NodeIn(data, "n1")).mutable_readings();
  readings.set_utilization_percent(25);
  readings.set_memory_used_bytes(int64_t{40} << 30);
  readings.set_power_watts(0);
  const WatchTable table = MakeView(WatchView::kGpus, data);
  EXPECT_EQ(Cell(table, "UTIL").fill, 0.25);
  EXPECT_EQ(Cell(table, "MEM").text, "40G");
  EXPECT_EQ(Cell(table, "MEM").fill, 0.5);
  EXPECT_EQ(Cell(table, "W").text, "0") << "a reading of 0 is one";
}

TEST(WatchViews, AGpuNearItsSlowdownIsMarked) {
  WatchData data;
  v1::GpuReadings& readings = *GpuIn(NodeIn(data, "n1")).mutable_readings();
  readings.set_temperature_slowdown_celsius(87);
  readings.set_temperature_celsius(81);
  EXPECT_EQ(Cell(MakeView(WatchView::kGpus, data), "").text, " ");
  EXPECT_EQ(Cell(MakeView(WatchView::kGpus, data), "°C").text, "81");
  readings.set_temperature_celsius(82);
  const WatchTable table = MakeView(WatchView::kGpus, data);
  EXPECT_EQ(Cell(table, "").text, "!");
  EXPECT_EQ(Cell(table, "°C").text, "82!");
  EXPECT_EQ(Cell(table, "NOTE").text, "slows down at 87°");
}

TEST(WatchViews, WhatTakesNoWorkIsMarked) {
  for (const v1::GpuState state : {v1::DEGRADED, v1::RESETTING, v1::OFFLINE}) {
    WatchData data;
    GpuIn(NodeIn(data, "n1"), state);
    EXPECT_EQ(Cell(MakeView(WatchView::kGpus, data), "").text, "!") << state;
  }
  WatchData data;
  GpuIn(NodeIn(data, "n1")).set_draining(true);
  EXPECT_EQ(Cell(MakeView(WatchView::kGpus, data), "").text, "!");
  EXPECT_EQ(Cell(MakeView(WatchView::kGpus, data), "STATE").text, "DRAINING");
}

TEST(WatchViews, ANodeCountsItsUsedAndFreeGpus) {
  WatchData data;
  v1::Node& node = NodeIn(data, "n1");
  node.mutable_totals()->set_gpus(4);
  node.mutable_totals()->set_gpus_held(1);
  node.mutable_totals()->set_gpus_free(1);
  const WatchTable table = MakeView(WatchView::kNodes, data);
  EXPECT_EQ(Cell(table, "GPUS").text, "4");
  EXPECT_EQ(Cell(table, "USED").text, "1");
  EXPECT_EQ(Cell(table, "USED").fill, 0.25);
  EXPECT_EQ(Cell(table, "FREE").text, "1");
  EXPECT_EQ(Cell(table, "").text, " ");
  node.set_state("LOST");
  EXPECT_EQ(Cell(MakeView(WatchView::kNodes, data), "").text, "!");
}

TEST(WatchViews, TextOfOthersIsMadeSafeForATerminal) {
  WatchData data;
  v1::Node& node = NodeIn(data, "n1");
  node.set_reason("\x1b[2J");
  GpuIn(node).set_reason("\x1b[2J");
  v1::Job& running = JobIn(data, "job-1", v1::RUNNING);
  running.mutable_spec()->set_name("\x1b[2J");
  running.set_reason("\x1b[2J");
  JobIn(data, "job-2", v1::QUEUED).set_reason("\x1b[2J");
  for (const WatchView view : kViews) {
    for (const WatchRow& row : MakeView(view, data).rows) {
      for (const WatchCell& cell : row.cells)
        EXPECT_EQ(cell.text.find('\x1b'), std::string::npos) << cell.text;
    }
  }
}

TEST(WatchTotalsTest, EachGpuCountsOnceByTheWorstOfIt) {
  WatchData data;
  v1::Node& node = NodeIn(data, "n1");
  GpuIn(node);
  GpuIn(node, v1::ALLOCATED);
  GpuIn(node, v1::IN_USE);
  GpuIn(node, v1::ALLOCATED).set_draining(true);
  GpuIn(node, v1::OFFLINE).set_draining(true);
  GpuIn(node, v1::RESETTING);
  NodeIn(data, "n2").set_state("LOST");
  JobIn(data, "job-1", v1::RUNNING);
  JobIn(data, "job-2", v1::QUEUED);
  JobIn(data, "job-3", v1::PENDING);
  const WatchTotals totals = Sum(data);
  EXPECT_EQ(totals.gpus, 6);
  EXPECT_EQ(totals.available, 1);
  EXPECT_EQ(totals.in_use, 2);
  EXPECT_EQ(totals.draining, 1);
  EXPECT_EQ(totals.broken, 2);
  EXPECT_EQ(totals.available + totals.in_use + totals.draining + totals.broken, totals.gpus);
  EXPECT_EQ(totals.nodes_lost, 1);
  EXPECT_EQ(totals.running, 1);
  EXPECT_EQ(totals.waiting, 2);
  EXPECT_EQ(CountsText(totals, data),
            "GPUs 6  use 2  free 1  drain 1  bad 2!  lost nodes 1!  run 1  wait 2");
}

TEST(WatchTotalsTest, MeansAreOfThoseThatReport) {
  WatchData data;
  v1::Node& node = NodeIn(data, "n1");
  GpuIn(node);
  EXPECT_EQ(Sum(data).utilization, std::nullopt);
  EXPECT_EQ(Sum(data).memory, std::nullopt);
  EXPECT_EQ(Sum(data).power_watts, std::nullopt);
  EXPECT_EQ(LoadText(Sum(data), {}), "util –   memory –   power –   ");
  for (const int percent : {100, 0}) {
    v1::GpuReadings& readings = *GpuIn(node).mutable_readings();
    readings.set_utilization_percent(percent);
    readings.set_memory_used_bytes(int64_t{20} << 30);
    readings.set_power_watts(5'000);
  }
  const WatchTotals totals = Sum(data);
  EXPECT_EQ(totals.utilization, 0.5);
  EXPECT_EQ(totals.memory, 0.25);
  EXPECT_EQ(totals.power_watts, 10'000);
  EXPECT_THAT(LoadText(totals, {}), HasSubstr("util 50%   memory 25%   power 10.0 kW"));
}

TEST(WatchTotalsTest, TheOldestWaitIsWholeSeconds) {
  WatchData data;
  data.cluster.set_oldest_wait_seconds(61.9);
  EXPECT_THAT(CountsText(Sum(data), data), HasSubstr("wait 0 (1m1s)"));
}

}  // namespace
}  // namespace gp
