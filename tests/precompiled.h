// What nearly every test includes: parsed once.  Tests include it all the same; the preset `dev`
// builds them without this.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>
