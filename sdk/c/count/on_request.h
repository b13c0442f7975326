/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures that the counter gives only on request, since they take a call of ours for every store, or for every stretch
 * of code:
 *
 *     paint=HEX+HEX      `.unstored=N`: of the stack that the function there (address+length) has painted, the lowest N
 *                        bytes were not stored to; nothing if none of it was. Only stores of instructions are seen, not
 *                        what a system, or QEMU in an instruction's place, writes.
 *     branches=taken     `.taken=N`: how many branches on a condition were taken, of ARMv6-M
 */
#ifndef CS_ON_REQUEST_H
#define CS_ON_REQUEST_H

#include "qemu_interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUESTED_MAX 128

/* ---- the lowest store ---- */

static struct {
    uint64_t from, to;  /* the code that paints */
    uint64_t low, high; /* where it has stored since a call was counted, in its own frame above what is painted too */
    uint64_t deepest;   /* the lowest store between them of what is counted */
} paint = {.low = UINT64_MAX};

static void at_painting(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    const uint64_t end = address + ((uint64_t)1 << qemu_plugin_mem_size_shift(info));
    (void)cpu;
    (void)data;
    if (!qemu_plugin_mem_is_store(info))
        return;
    if (address < paint.low)
        paint.low = address;
    if (end > paint.high)
        paint.high = end;
}

static void at_store(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)data;
    if (address >= paint.low && address < paint.deepest && qemu_plugin_mem_is_store(info))
        paint.deepest = address;
}

static void watch_stores(struct qemu_plugin_insn *insn, uint64_t at)
{
    if (paint.to != 0)
        qemu_plugin_register_vcpu_mem_cb(insn, at >= paint.from && at < paint.to ? at_painting : at_store,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

/* ---- branches on a condition ---- */

/* What is always executed to its end: where it begins, and where it goes on if the branch at its end is not taken; 0 if
 * there is no such branch. */
struct run {
    uint64_t at, past;
};
static bool follows;
static const struct run nowhere, *last_run = &nowhere;
static uint64_t taken;

/* Executed before what else is done there. Interrupts are never on, and nothing faults: the run before was the one that
 * led here. */
static void at_run(unsigned int cpu, void *data)
{
    const struct run *run = data;
    (void)cpu;
    taken += (last_run->past != 0) & (last_run->past != run->at);
    last_run = run;
}

/* BEQ to BLE in 16 bits, the one instruction of ARMv6-M with a condition: 1101 and four bits of it, of which the last
 * two are instructions of their own. */
static bool is_conditional(const struct qemu_plugin_insn *insn)
{
    const uint8_t *bytes = qemu_plugin_insn_data(insn);
    return qemu_plugin_insn_size(insn) == 2 && (bytes[1] >> 4) == 0xd && (bytes[1] & 0xf) < 0xe;
}

static void follow_branches(struct qemu_plugin_tb *tb, size_t count)
{
    struct qemu_plugin_insn *end;
    struct run *run;
    if (!follows || count == 0)
        return;
    run = malloc(sizeof *run);
    if (run == NULL) { /* a figure that is not whole is none */
        perror("counter: branches=taken");
        _exit(1);
    }
    end = qemu_plugin_tb_get_insn(tb, count - 1);
    run->at = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    run->past = is_conditional(end) ? qemu_plugin_insn_vaddr(end) + 2 : 0;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, at_run, QEMU_PLUGIN_CB_NO_REGS, run);
}

/* ---- both ---- */

static bool is_requested(const char *argument)
{
    char *plus;
    if (strcmp(argument, "branches=taken") == 0)
        return follows = true;
    if (strncmp(argument, "paint=", 6) != 0)
        return false;
    paint.from = strtoull(argument + 6, &plus, 16);
    paint.to = paint.from + strtoull(plus, NULL, 16);
    return true;
}

/* A call begins that is counted. */
static void forget_requested(void)
{
    taken = 0;
    paint.deepest = paint.high;
}

/* A call has ended; the length of what `line` was given. */
static size_t tell_requested(char *line)
{
    size_t len = 0;
    if (paint.low < paint.high && paint.deepest < paint.high)
        len += (size_t)sprintf(line, " .unstored=%llu", (unsigned long long)(paint.deepest - paint.low));
    if (follows)
        len += (size_t)sprintf(line + len, " .taken=%llu", (unsigned long long)taken);
    paint.low = UINT64_MAX;
    paint.high = 0;
    return len;
}

#endif
