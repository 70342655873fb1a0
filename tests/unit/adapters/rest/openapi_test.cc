#include "adapters/inbound/rest/openapi.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "adapters/inbound/rest/routes.h"

namespace gp {
namespace {

using Document = nlohmann::ordered_json;

void ForEach(const Document& node, const std::function<void(const Document&)>& visit) {
  visit(node);
  if (node.is_structured())
    for (const Document& child : node) ForEach(child, visit);
}

TEST(OpenApi, HasEveryRoute) {
  const Document document = OpenApi("1");
  size_t operations = 0;
  std::set<std::string> ids;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      ++operations;
      EXPECT_TRUE(ids.insert(operation["operationId"].get<std::string>()).second) << path;
      EXPECT_NE(operation["summary"], operation["operationId"]) << path << " has no comment";
      EXPECT_TRUE(operation["responses"].contains("4XX")) << path;
    }
  }
  constexpr size_t kProbes = 4;
  EXPECT_EQ(operations, Routes().all().size() + kProbes);
}

TEST(OpenApi, RefersToWhatIsThere) {
  const Document document = OpenApi("1");
  size_t references = 0;
  ForEach(document, [&](const Document& node) {
    if (!node.is_object() || !node.contains("$ref")) return;
    ++references;
    const std::string target = node["$ref"].get<std::string>().substr(1);
    EXPECT_TRUE(document.contains(Document::json_pointer(target))) << target;
  });
  EXPECT_GT(references, 60u);
}

TEST(OpenApi, TellsWhatTheProtoFilesTell) {
  const Document document = OpenApi("1");
  const Document& submit = document["paths"]["/api/v1/jobs"]["post"];
  EXPECT_EQ(submit["summary"], "Submits jobs");
  EXPECT_TRUE(submit["responses"].contains("201"));
  const Document& properties = document["components"]["schemas"]["JobSpec"]["properties"];
  EXPECT_EQ(properties["nodes"]["description"], "nodes of the gang, all or none; absent: 1");
  // What the path has is not asked for again.
  EXPECT_FALSE(document["paths"]["/api/v1/queues/{name}"]["put"]["requestBody"]["content"]
                       ["application/json"]["schema"]["properties"]
                           .contains("name"));
}

}  // namespace
}  // namespace gp
