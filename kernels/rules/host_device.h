// Marks a function that both the host and the device may run.
#pragma once

#ifdef __CUDACC__
#define GPUSIM_HOST_DEVICE __host__ __device__
#else
#define GPUSIM_HOST_DEVICE
#endif
