#include "rsh/rsh_image.h"

// GP_RSH_FILE is the path of the finished executable; the build makes it first.
__asm__(
    ".section .rodata.gp_rsh_image,\"a\",@progbits\n"
    ".balign 16\n"
    "gp_rsh_image_begin:\n"
    ".incbin \"" GP_RSH_FILE
    "\"\n"
    "gp_rsh_image_end:\n"
    ".previous\n");

extern "C" {
extern const unsigned char gp_rsh_image_begin[];
extern const unsigned char gp_rsh_image_end[];
}

namespace gp::rsh {

std::span<const unsigned char> RshImage() { return {gp_rsh_image_begin, gp_rsh_image_end}; }

}  // namespace gp::rsh
