#pragma once

// IgnoreResult(result, "why"): the one way to ignore what a call returns.  `why` says for the
// reader why neither success nor failure changes what happens next.

namespace gp {

template <typename T>
constexpr void IgnoreResult(T&&, const char* /*why*/) {}

}  // namespace gp
