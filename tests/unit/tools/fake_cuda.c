// A driver library for tests of tools/measure-numa: one GPU whose memory is the host's.

#include <stdlib.h>
#include <string.h>

typedef unsigned long long Pointer;

int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGetCount(int* count) { *count = getenv("FAKE_CUDA_NO_GPU") == NULL ? 1 : 0; return 0; }
int cuDeviceGet(int* device, int index) { *device = index; return 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) { (void)device; *context = &cuInit; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxSetCurrent(void* context) { return context == NULL; }
int cuCtxSynchronize(void) { return 0; }
int cuDeviceGetUuid(unsigned char* uuid, int device) { memset(uuid, 0xab, 16); return device; }
int cuDeviceGetPCIBusId(char* text, int size, int device) { strncpy(text, "0000:FF:1F.7", (size_t)size); return device; }
int cuDeviceGetName(char* text, int size, int device) { strncpy(text, "Fake", (size_t)size); return device; }
int cuMemAlloc_v2(Pointer* memory, size_t size) {
  *memory = (Pointer)malloc(size);
  return getenv("FAKE_CUDA_FULL") == NULL ? 0 : 2;
}
int cuMemFree_v2(Pointer memory) { free((void*)memory); return 0; }
int cuMemHostRegister_v2(void* host, size_t size, unsigned flags) { return host == NULL || size == 0 || flags != 1; }
int cuMemHostUnregister(void* host) { return host == NULL; }
int cuMemcpyHtoD_v2(Pointer to, const void* from, size_t size) { memcpy((void*)to, from, size); return 0; }
int cuMemcpyDtoH_v2(void* to, Pointer from, size_t size) { memcpy(to, (void*)from, size); return 0; }
