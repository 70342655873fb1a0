// A minimal CUDA program; needs the driver's libcuda.so.1 but no toolkit.
//
//   cuda_probe              fills memory of the first visible GPU and reads it back
//   cuda_probe hold S MIB   takes MIB MiB there, says so, and keeps them for S seconds
//   cuda_probe fault        writes to an address that nobody allocated (XID 31)
//
// Each prints one line that starts with "cuda-probe".  Exit codes: 0 all was correct, 1 something
// failed, 2 the GPU's memory did not suffice, 3 the driver stopped the stray write.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CudaResult;
typedef unsigned long long CudaPointer;

enum { kOutOfMemory = 2, kIllegalAddress = 700, kMultiprocessors = 16 };

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
  exit(result == kOutOfMemory ? 2 : 1);
}

typedef struct {
  int count;
  int multiprocessors;
  char name[100];
} Gpu;

static Gpu OpenFirst(void) {
  CudaResult (*init)(unsigned) = Find("cuInit");
  CudaResult (*count_devices)(int*) = Find("cuDeviceGetCount");
  CudaResult (*get_device)(int*, int) = Find("cuDeviceGet");
  CudaResult (*get_name)(char*, int, int) = Find("cuDeviceGetName");
  CudaResult (*get_attribute)(int*, int, int) = Find("cuDeviceGetAttribute");
  CudaResult (*retain_context)(void**, int) = Find("cuDevicePrimaryCtxRetain");
  CudaResult (*set_context)(void*) = Find("cuCtxSetCurrent");
  Gpu gpu = {0, 0, ""};
  int device = 0;
  void* context = NULL;
  Check("cuInit", init(0));
  Check("cuDeviceGetCount", count_devices(&gpu.count));
  Check("cuDeviceGet", get_device(&device, 0));
  Check("cuDeviceGetName", get_name(gpu.name, sizeof gpu.name, device));
  Check("cuDevicePrimaryCtxRetain", retain_context(&context, device));
  Check("cuCtxSetCurrent", set_context(context));
  Check("cuDeviceGetAttribute", get_attribute(&gpu.multiprocessors, kMultiprocessors, device));
  return gpu;
}

static CudaPointer Allocate(size_t bytes) {
  CudaResult (*allocate)(CudaPointer*, size_t) = Find("cuMemAlloc_v2");
  CudaPointer memory = 0;
  Check("cuMemAlloc", allocate(&memory, bytes));
  return memory;
}

static int FillAndReadBack(Gpu gpu) {
  enum { kWords = 1 << 20 };
  const unsigned kPattern = 0x600dcafe;
  CudaResult (*fill)(CudaPointer, unsigned, size_t) = Find("cuMemsetD32_v2");
  CudaResult (*copy_back)(void*, CudaPointer, size_t) = Find("cuMemcpyDtoH_v2");
  const CudaPointer memory = Allocate(kWords * sizeof(unsigned));
  Check("cuMemsetD32", fill(memory, kPattern, kWords));
  unsigned* words = calloc(kWords, sizeof(unsigned));
  Check("cuMemcpyDtoH", copy_back(words, memory, kWords * sizeof(unsigned)));
  for (int i = 0; i < kWords; ++i) {
    if (words[i] != kPattern) {
      printf("cuda-probe: word %d was read back as %08x\n", i, words[i]);
      return 1;
    }
  }
  printf("cuda-probe: %d visible GPU(s), %s filled and read back\n", gpu.count, gpu.name);
  return 0;
}

static int Hold(Gpu gpu, int seconds, long mib) {
  Allocate((size_t)mib << 20);
  printf("cuda-probe: holds %ld MiB, %d multiprocessors\n", mib, gpu.multiprocessors);
  fflush(stdout);
  sleep(seconds);
  return 0;
}

static int Fault(void) {
  static const char kProgram[] =
      ".version 6.0\n.target sm_50\n.address_size 64\n"
      ".visible .entry stray() {\n"
      "  .reg .b64 %a;\n  .reg .b32 %v;\n"
      "  mov.u64 %a, 0x700000000000;\n  mov.u32 %v, 1;\n  st.global.u32 [%a], %v;\n  ret;\n}\n";
  CudaResult (*load)(void**, const void*) = Find("cuModuleLoadData");
  CudaResult (*get_function)(void**, void*, const char*) = Find("cuModuleGetFunction");
  CudaResult (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**) = Find("cuLaunchKernel");
  CudaResult (*wait)(void) = Find("cuCtxSynchronize");
  void* module = NULL;
  void* stray = NULL;
  Check("cuModuleLoadData", load(&module, kProgram));
  Check("cuModuleGetFunction", get_function(&stray, module, "stray"));
  Check("cuLaunchKernel", launch(stray, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  const CudaResult result = wait();
  printf("cuda-probe: a stray write ended with CUDA error %d\n", result);
  return result == kIllegalAddress ? 3 : 1;
}

int main(int argc, char** argv) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    printf("cuda-probe: %s\n", dlerror());
    return 1;
  }
  const Gpu gpu = OpenFirst();
  if (argc == 4 && strcmp(argv[1], "hold") == 0) return Hold(gpu, atoi(argv[2]), atol(argv[3]));
  if (argc == 2 && strcmp(argv[1], "fault") == 0) return Fault();
  return FillAndReadBack(gpu);
}
