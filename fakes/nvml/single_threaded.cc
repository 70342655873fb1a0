// Debian builds libyaml-cpp.a for executables: it reads glibc's __libc_single_threaded without
// going through the GOT, which a shared object cannot offer for another library's variable.  This
// one stays inside the fake (exports.map) and means "there may be threads", which is always safe.
extern "C" {
extern char __libc_single_threaded;
char __libc_single_threaded = 0;
}
