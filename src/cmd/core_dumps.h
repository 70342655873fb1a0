#pragma once

namespace gp {

// A program that holds tokens and keys leaves no picture of its memory on a disk when it dies.
void LeaveNoCoreDumps();

}  // namespace gp
