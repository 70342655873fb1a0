#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/support/quorum_store_contract.h"

namespace gp {
namespace {

// The clusters live as long as the program's tests: to start them takes seconds.
class Clusters : public testing::Environment {
 public:
  static EtcdCluster& Of(size_t members) {
    std::unique_ptr<EtcdCluster>& cluster = members == 1 ? one_ : three_;
    if (cluster == nullptr) {
      cluster = std::make_unique<EtcdCluster>(EtcdCluster::Settings{.members = members});
      EXPECT_TRUE(cluster->AwaitHealth());
    }
    return *cluster;
  }
  void TearDown() override {
    one_.reset();
    three_.reset();
  }

 private:
  static inline std::unique_ptr<EtcdCluster> one_;
  static inline std::unique_ptr<EtcdCluster> three_;
};

const auto* const kClusters = testing::AddGlobalTestEnvironment(new Clusters);

class EtcdUnderTest final : public StoreUnderTest {
 public:
  explicit EtcdUnderTest(const EtcdCluster& cluster)
      : first_(Patient(cluster, 0)), second_(Patient(cluster, cluster.size() - 1)) {}

  QuorumStore& first() override { return *first_; }
  QuorumStore& second() override { return *second_; }
  bool Await(const std::function<bool()>& holds, Duration time_max) override {
    return AwaitReal(holds, time_max);
  }

 private:
  // A busy machine must not make the ends of commits unknown.
  static std::unique_ptr<EtcdStore> Patient(const EtcdCluster& cluster, size_t first) {
    EtcdOptions options = cluster.Options(first);
    options.commit_time = Duration::Seconds(20);
    return std::move(*EtcdStore::Open(options));
  }

  const std::unique_ptr<EtcdStore> first_;
  const std::unique_ptr<EtcdStore> second_;
};

template <size_t members>
std::unique_ptr<StoreUnderTest> MakeEtcd() {
  if (!HasEtcd()) return nullptr;
  return std::make_unique<EtcdUnderTest>(Clusters::Of(members));
}

INSTANTIATE_TEST_SUITE_P(Etcd, QuorumStoreContract, testing::Values(&MakeEtcd<1>, &MakeEtcd<3>),
                         [](const auto& cell) {
                           return cell.index == 0 ? "OneMember" : "ThreeMembers";
                         });

}  // namespace
}  // namespace gp
