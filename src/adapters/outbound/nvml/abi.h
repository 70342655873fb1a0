#pragma once

// NVIDIA's management library (NVML) as a binary interface, declared by hand: the part that the
// adapter calls and the fake driver plays.  The library itself is opened at run time, so nothing
// here is ever linked against; functions are declared for their types, as in
// `decltype(&nvmlInit_v2)`.  Names are NVML's own (and break our style) because they are the names
// of exported symbols and of documented types.  Layouts are checked in abi_check.cc.

#include "adapters/outbound/nvml/abi_fields.h"
#include "adapters/outbound/nvml/abi_functions.h"
#include "adapters/outbound/nvml/abi_mig.h"
#include "adapters/outbound/nvml/abi_types.h"
