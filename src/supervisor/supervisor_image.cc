#include "supervisor/supervisor_image.h"

// GP_SUPERVISOR_FILE is the path of the finished executable; the build makes it first.
__asm__(
    ".section .rodata.gp_supervisor_image,\"a\",@progbits\n"
    ".balign 16\n"
    "gp_supervisor_image_begin:\n"
    ".incbin \"" GP_SUPERVISOR_FILE
    "\"\n"
    "gp_supervisor_image_end:\n"
    ".previous\n");

extern "C" {
extern const unsigned char gp_supervisor_image_begin[];
extern const unsigned char gp_supervisor_image_end[];
}

namespace gp {

std::span<const unsigned char> SupervisorImage() {
  return {gp_supervisor_image_begin, gp_supervisor_image_end};
}

}  // namespace gp
