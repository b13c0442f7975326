/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library asks of a program on a board: time and entropy. Without sections apart it asks for them in every
 * program.
 */
#ifndef FOOTPRINT_HOOKS_H
#define FOOTPRINT_HOOKS_H

#include <mbedtls/build_info.h>

#if defined(FOOTPRINT_BOARD) && defined(MBEDTLS_PLATFORM_MS_TIME_ALT)
#include <time.h>

#include <mbedtls/platform_time.h>

mbedtls_ms_time_t mbedtls_ms_time(void)
{
    return (mbedtls_ms_time_t)time(NULL) * 1000;
}
#endif

#if defined(FOOTPRINT_BOARD) && defined(MBEDTLS_ENTROPY_HARDWARE_ALT)
#include <sys/random.h>

/* Declared in no header that upstream installs. */
int mbedtls_hardware_poll(void *unused, unsigned char *to, size_t len, size_t *got);

int mbedtls_hardware_poll(void *unused, unsigned char *to, size_t len, size_t *got)
{
    ssize_t n = getrandom(to, len, 0);

    (void)unused;
    *got = n > 0 ? (size_t)n : 0;
    return n > 0 ? 0 : -1;
}
#endif

#endif
