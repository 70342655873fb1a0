// A minimal CUDA job: takes the first visible GPU, fills memory there and reads it back.  Needs
// the driver's libcuda.so.1 but no toolkit.  Prints one line that starts with "cuda-probe" and
// exits with 0 if everything was correct.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CudaResult;
typedef unsigned long long CudaPointer;

static void* library;

static void* Find(const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    printf("cuda-probe: libcuda.so.1 has no %s\n", name);
    exit(1);
  }
  return function;
}

static void Check(const char* what, CudaResult result) {
  if (result == 0) return;
  printf("cuda-probe: %s failed with CUDA error %d\n", what, result);
  exit(1);
}

int main(void) {
  enum { kWords = 1 << 20 };
  const unsigned kPattern = 0x600dcafe;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    printf("cuda-probe: %s\n", dlerror());
    return 1;
  }
  CudaResult (*init)(unsigned) = Find("cuInit");
  CudaResult (*count_devices)(int*) = Find("cuDeviceGetCount");
  CudaResult (*get_device)(int*, int) = Find("cuDeviceGet");
  CudaResult (*get_name)(char*, int, int) = Find("cuDeviceGetName");
  CudaResult (*retain_context)(void**, int) = Find("cuDevicePrimaryCtxRetain");
  CudaResult (*set_context)(void*) = Find("cuCtxSetCurrent");
  CudaResult (*allocate)(CudaPointer*, size_t) = Find("cuMemAlloc_v2");
  CudaResult (*fill)(CudaPointer, unsigned, size_t) = Find("cuMemsetD32_v2");
  CudaResult (*copy_back)(void*, CudaPointer, size_t) = Find("cuMemcpyDtoH_v2");

  int count = 0;
  int device = 0;
  char name[100] = "";
  void* context = NULL;
  CudaPointer memory = 0;
  Check("cuInit", init(0));
  Check("cuDeviceGetCount", count_devices(&count));
  Check("cuDeviceGet", get_device(&device, 0));
  Check("cuDeviceGetName", get_name(name, sizeof name, device));
  Check("cuDevicePrimaryCtxRetain", retain_context(&context, device));
  Check("cuCtxSetCurrent", set_context(context));
  Check("cuMemAlloc", allocate(&memory, kWords * sizeof(unsigned)));
  Check("cuMemsetD32", fill(memory, kPattern, kWords));
  unsigned* words = calloc(kWords, sizeof(unsigned));
  Check("cuMemcpyDtoH", copy_back(words, memory, kWords * sizeof(unsigned)));
  for (int i = 0; i < kWords; ++i) {
    if (words[i] != kPattern) {
      printf("cuda-probe: word %d was read back as %08x\n", i, words[i]);
      return 1;
    }
  }
  printf("cuda-probe: %d visible GPU(s), %s filled and read back\n", count, name);
  return 0;
}
