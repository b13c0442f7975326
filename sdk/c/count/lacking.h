/* SPDX-License-Identifier: Apache-2.0
 *
 *     lacks=crypto       instructions of AArch64 that the emulated processor has and the intended machine lacks. A
 *                        program that executes one is ended as by SIGILL, after a line on stderr that names the
 *                        instruction.
 */
#ifndef CS_LACKING_H
#define CS_LACKING_H

#include "qemu_interface.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool lacks_crypto;

/* The instructions of AArch64's cryptographic extensions, by their codes. `name`: where the disassembler has none. */
static const struct coded {
    uint32_t mask, code;
    const char *name;
} crypto[] = {
    {UINT32_C(0xffffcc00), UINT32_C(0x4e284800), "aese, aesd, aesmc, aesimc"},
    {UINT32_C(0xbfe0fc00), UINT32_C(0x0ee0e000), "pmull to .1q"},
    {UINT32_C(0xffe08c00), UINT32_C(0x5e000000), "sha1, sha256"},
    {UINT32_C(0xffffcc00), UINT32_C(0x5e280800), "sha1, sha256"},
    {UINT32_C(0xffe08000), UINT32_C(0xce000000), "eor3"},
    {UINT32_C(0xffe08000), UINT32_C(0xce200000), "bcax"},
    {UINT32_C(0xffe00000), UINT32_C(0xce800000), "xar"},
    {UINT32_C(0xffe0fc00), UINT32_C(0xce608c00), "rax1"},
    {UINT32_C(0xffe0f000), UINT32_C(0xce608000), "sha512h, sha512h2, sha512su1"},
    {UINT32_C(0xfffffc00), UINT32_C(0xcec08000), "sha512su0"},
    {UINT32_C(0xff000000), UINT32_C(0xce000000), "sm3, sm4"}, /* the rest */
    {UINT32_C(0xfffffbe0), UINT32_C(0x4520e000), "aesmc, aesimc of SVE"},
    {UINT32_C(0xfffff800), UINT32_C(0x4522e000), "aese, aesd of SVE"},
    {UINT32_C(0xfffffc00), UINT32_C(0x4523e000), "sm4e of SVE"},
    {UINT32_C(0xffe0fc00), UINT32_C(0x4520f000), "sm4ekey of SVE"},
    {UINT32_C(0xffe0fc00), UINT32_C(0x4520f400), "rax1 of SVE"},
    {UINT32_C(0xffe0f800), UINT32_C(0x45006800), "pmull to .q of SVE"},
};

static void at_lacking(unsigned int cpu, void *data)
{
    (void)cpu;
    fputs(data, stderr);
    signal(SIGILL, SIG_DFL);
    raise(SIGILL);
    _exit(128 + SIGILL);
}

/* Ends a program that executes an instruction which the machine lacks. Other programs do not notice. */
static void refuse_lacking(const struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint8_t *bytes = qemu_plugin_insn_data(insn);
        const uint32_t code = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        for (size_t k = 0; k < sizeof crypto / sizeof *crypto; k++)
            if ((code & crypto[k].mask) == crypto[k].code) {
                char *text = qemu_plugin_insn_disas(insn), *said = malloc(128);
                if (said == NULL)
                    abort();
                snprintf(said, 128, "counter: this machine does not have: %.64s (%08x)\n",
                         text != NULL && text[0] != '.' ? text : crypto[k].name, (unsigned int)code);
                qemu_plugin_register_vcpu_insn_exec_cb(insn, at_lacking, QEMU_PLUGIN_CB_NO_REGS, said);
                free(text);
                break;
            }
    }
}

static void at_translation_refusing(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    refuse_lacking(tb);
}

#endif
