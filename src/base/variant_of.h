#pragma once

// A variant of the types that a list of rows names.  Such a list is a macro that expands another
// one for each of its rows; rows that expand to ", Name" follow the void here.

#include <variant>

namespace gp {

template <typename Void, typename... Alternatives>
using VariantOf = std::variant<Alternatives...>;

}  // namespace gp
