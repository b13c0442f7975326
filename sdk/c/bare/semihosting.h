/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the emulator's host, as Arm's semihosting specification numbers them: the one way out of a machine without
 * an operating system that every emulated board has.
 */
#ifndef CS_SEMIHOSTING_H
#define CS_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

enum {
    HOST_OPEN = 0x01,
    HOST_CLOSE = 0x02,
    HOST_WRITE = 0x05,
    HOST_READ = 0x06,
    HOST_COMMAND_LINE = 0x15,
    HOST_EXIT_EXTENDED = 0x20,
    HOST_ELAPSED = 0x30,    /* in nanoseconds; QEMU's tick is one */
    HOST_STOPPED = 0x20026, /* "the application ended", why a program exits */
    HOST_FOR_READING = 0,   /* fopen's "r" and "w", by their places in the specification's table */
    HOST_FOR_WRITING = 4
};

static inline int32_t cs_host(int32_t what, const volatile uint32_t *words)
{
    register int32_t r0 __asm__("r0") = what;
    register const volatile uint32_t *r1 __asm__("r1") = words;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static inline uint32_t cs_word(const volatile void *of)
{
    return (uint32_t)(uintptr_t)of;
}

#endif
