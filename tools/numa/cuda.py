"""The calls of NVIDIA's driver library that copying needs.  No toolkit and no external module."""

import ctypes
import time
import uuid

SUCCESS = 0
PINNED_PORTABLE = 1  # CU_MEMHOSTREGISTER_PORTABLE


class NoDriver(Exception):
    """There is no driver, or the driver shows no GPU."""


class CudaError(Exception):
    """A call of the driver failed."""


class Cuda:
    def __init__(self, library="libcuda.so.1"):
        try:
            self.library = ctypes.CDLL(library)
        except OSError as error:
            raise NoDriver(f"cannot load NVIDIA's driver: {error}") from error
        try:
            self.call("cuInit", 0)
        except CudaError as error:
            raise NoDriver(str(error)) from error
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise NoDriver("the driver shows no GPU")
        self.count = count.value

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != SUCCESS:
            raise CudaError(f"{name} failed with CUDA error {result}")

    def device(self, index):
        return Device(self, index)


class Device:
    """One GPU, current in this thread until the next Device is created."""

    def __init__(self, cuda, index):
        self.cuda = cuda
        self.handle = ctypes.c_int()
        cuda.call("cuDeviceGet", ctypes.byref(self.handle), index)
        self.context = ctypes.c_void_p()
        cuda.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.handle)
        cuda.call("cuCtxSetCurrent", self.context)

    def uuid(self):
        raw = (ctypes.c_ubyte * 16)()
        self.cuda.call("cuDeviceGetUuid", raw, self.handle)
        return f"GPU-{uuid.UUID(bytes=bytes(raw))}"

    def bus_id(self):
        text = ctypes.create_string_buffer(32)
        self.cuda.call("cuDeviceGetPCIBusId", text, len(text), self.handle)
        return text.value.decode().lower()

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.cuda.call("cuDeviceGetName", text, len(text), self.handle)
        return text.value.decode()

    def copy_rates(self, address, size, runs):
        """([GB/s to the GPU], [GB/s from it]) of copies of `size` bytes at `address`, pinned during the copies."""
        memory = ctypes.c_uint64()
        self.cuda.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
        try:
            host, bytes_ = ctypes.c_void_p(address), ctypes.c_size_t(size)
            self.cuda.call("cuMemHostRegister_v2", host, bytes_, PINNED_PORTABLE)
            try:
                to = [self.rate("cuMemcpyHtoD_v2", memory, host, size) for _ in range(runs + 1)]
                back = [self.rate("cuMemcpyDtoH_v2", host, memory, size) for _ in range(runs + 1)]
            finally:
                self.cuda.call("cuMemHostUnregister", host)
        finally:
            self.cuda.call("cuMemFree_v2", memory)
        return to[1:], back[1:]  # the first of each warms up

    def rate(self, name, to, source, size):
        begin = time.perf_counter()
        self.cuda.call(name, to, source, ctypes.c_size_t(size))
        self.cuda.call("cuCtxSynchronize")
        return size / (time.perf_counter() - begin) / 1e9

    def close(self):
        self.cuda.call("cuDevicePrimaryCtxRelease_v2", self.handle)
