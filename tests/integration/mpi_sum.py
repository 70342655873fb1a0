#!/usr/bin/python3
"""An MPI program without a compiler: adds up the ranks of all processes by Open MPI's library, and prints the sum on each."""

import ctypes
import os
import socket

mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)  # its plug-ins look for its symbols


def handle(name):
    """One of the constants of mpi.h, which are addresses of variables."""
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))


world = handle("ompi_mpi_comm_world")
rank, size, total = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
mine = ctypes.c_int(rank.value)
mpi.MPI_Allreduce(ctypes.byref(mine), ctypes.byref(total), 1, handle("ompi_mpi_int"), handle("ompi_mpi_op_sum"), world)
print(f"rank {rank.value} of {size.value} in {os.environ['GP_NODE_RANK']}: sum {total.value}, {os.environ['CUDA_VISIBLE_DEVICES']}", flush=True)
mpi.MPI_Finalize()
