/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's, and the clock of POSIX, which it leaves to an operating system.
 */
#pragma GCC system_header
#include_next <time.h>

#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC ((clockid_t)4)
int clock_gettime(clockid_t clock, struct timespec *reading);
#endif
