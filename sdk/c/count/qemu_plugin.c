/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the instructions that an emulated program executes between two of its functions: a plugin for QEMU, version 1
 * of the interface, as QEMU 7.2 has it.
 *
 *     qemu-ARCH -plugin ./counter.so,begin=HEX,end=HEX,out=FILE[,watch=HEX+HEX]...[,lacks=crypto][,more] ./program
 *     qemu-aarch64 -plugin ./counter.so,lacks=crypto ./program
 *
 * Each time the program comes to `end` after `begin` (addresses, in hexadecimal digits) a line is appended to FILE:
 *
 *     LOADS STORES WATCHED MNEMONIC=COUNT MNEMONIC=COUNT ...
 *
 * Loads and stores are accesses to memory. WATCHED is above 0 if code was executed that begins in one of the stretches
 * `watch` (address+length), and 0 if not. Mnemonics are the emulator's disassembler's; an unknown one is `?`. The
 * counts that `more` asks for (on_request.h) are between WATCHED and the mnemonics, as `.NAME=NUMBER`.
 *
 * Nothing is subtracted: the first instruction of `end` may be in it, as in every other line. A program of several
 * threads is counted as one.
 *
 * `lacks` (lacking.h) ends a program that executes an instruction that its machine lacks; without `begin` nothing is
 * counted.
 */
#define _POSIX_C_SOURCE 200809L

#include "lacking.h"
#include "on_request.h"
#include "qemu_interface.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int qemu_plugin_version;
int qemu_plugin_version = INTERFACE;

/* ---- counters ---------------------------------------------------------------------------------------------------- */

#define MNEMONICS 2048
#define MNEMONIC_MAX 31
#define UNNAMED "?"

static struct mnemonic {
    char name[MNEMONIC_MAX + 1];
    uint64_t count;
} mnemonic[MNEMONICS] = {{.name = UNNAMED}};
static size_t mnemonics = 1;
static uint64_t loads, stores, watched;
static uint64_t begin_at, end_at;

#define WATCHES 64
static struct stretch {
    uint64_t from, to;
} watch[WATCHES];
static size_t watches;
static bool counting, is_arm, is_riscv;
static int out = -1;

/* A stretch of instructions that is always executed to its end: how often, and the counter of each. A call of ours for
 * every instruction would take longer than the instruction. */
struct block {
    struct block *next;
    uint64_t runs, loads, stores; /* accesses of those instructions that always make as many */
    size_t count;
    bool is_watched;
    uint64_t *counter[];
};
static struct block *blocks;

static uint64_t *counter_of(const char *name)
{
    for (size_t i = 0; i < mnemonics; i++)
        if (strcmp(mnemonic[i].name, name) == 0)
            return &mnemonic[i].count;
    if (mnemonics == MNEMONICS)
        return &mnemonic[0].count;
    strcpy(mnemonic[mnemonics].name, name);
    return &mnemonic[mnemonics++].count;
}

/* The next word of `text`, cut to what a name may have; `text` is moved behind it. */
static void word(const char **text, char *name)
{
    size_t len;
    *text += strspn(*text, " \t");
    len = strcspn(*text, " \t=\n");
    snprintf(name, MNEMONIC_MAX + 1, "%.*s", (int)(len < MNEMONIC_MAX ? len : MNEMONIC_MAX), *text);
    *text += len;
}

static bool is_prefix(const char *name)
{
    static const char *const prefixes[] = {"rep", "repe", "repne", "repz", "repnz", "lock", "bnd", "notrack"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strcmp(name, prefixes[i]) == 0)
            return true;
    return false;
}

/* On 32-bit Arm whatever writes the program counter is a branch: pop {r4, pc}, ldr pc, [...]. */
static bool writes_pc(const char *operands)
{
    operands += strspn(operands, " \t");
    return strncmp(operands, "pc,", 3) == 0 || strstr(operands, "pc}") != NULL;
}

/* On 32-bit Arm, how often an instruction that is carried out accesses memory, where its text says so: 0 if not. A
 * conditional instruction has the condition in its name in A32, but not in T32. */
static unsigned int fixed_accesses(const char *name, const char *operands)
{
    static const char *const one[] = {"ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "str", "strb", "strh"};
    static const char *const each[] = {"push", "pop", "ldm", "ldmia", "ldmdb", "stm", "stmia", "stmdb"};
    const size_t len = strcspn(name, "./");
    unsigned int registers = 1;
    if (name[len] == '.' && strncmp(name + len, ".w", 2) != 0)
        return 0;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        if (strlen(one[i]) == len && strncmp(name, one[i], len) == 0)
            return 1;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (strlen(each[i]) == len && strncmp(name, each[i], len) == 0) {
            const char *list = strchr(operands, '{');
            if (list == NULL || strchr(list, '-') != NULL)
                return 0;
            for (; *list != '\0'; list++)
                registers += *list == ',';
            return registers;
        }
    return 0;
}

/* The name of an instruction, of MNEMONIC_MAX bytes at most, and what fixed_accesses says of it. */
static unsigned int name_of(const struct qemu_plugin_insn *insn, char *name)
{
    unsigned int fixed = 0;
    char joined[2 * MNEMONIC_MAX + 8];
    char *text = qemu_plugin_insn_disas(insn);
    const char *at = text;
    strcpy(name, UNNAMED);
    if (text != NULL) {
        word(&at, name);
        if (is_riscv) /* its disassembler begins with the code */
            word(&at, name);
        while (is_prefix(name)) {
            char next[MNEMONIC_MAX + 1];
            word(&at, next);
            if (next[0] == '\0')
                break;
            snprintf(joined, sizeof joined, "%s_%s", name, next);
            joined[MNEMONIC_MAX] = '\0';
            strcpy(name, joined);
        }
        if (is_arm && writes_pc(at) && strlen(name) + 3 <= MNEMONIC_MAX && strncmp(name, "push", 4) != 0 &&
            strncmp(name, "st", 2) != 0 && strncmp(name, "cmp", 3) != 0)
            strcat(name, "/pc");
        fixed = is_arm ? fixed_accesses(name, at) : 0;
        free(text);
    }
    if (name[0] == '\0')
        strcpy(name, UNNAMED);
    return fixed;
}

/* ---- loads and stores ----------------------------------------------------------------------------------------- */

/* What only loads or only stores, by the beginning of its name; an access that another instruction makes is asked what
 * it is. Counters of reads or of writes alone cannot be trusted: QEMU 7.2 adds inline to one of reads where it writes.
 */
static const struct plain {
    const char *isa, *but; /* `but`: no name that contains it; these do both, or not always */
    const char *loads[12], *stores[12];
} plain[] = {
    {"arm", "ex", {"ld", "pop", "vld", "vpop"}, {"st", "push", "vst", "vpush"}},
    {"aarch64", "x", {"ldr", "ldp", "ldur", "ldnp"}, {"str", "stp", "stur", "stnp"}},
    {"ppc64le", "cx.", {"lb", "lh", "lwz", "ld"}, {"stb", "sth", "stw", "std"}},
    {"riscv64", "amo", {"lb", "lh", "lw", "ld", "c.l", "fl"}, {"sb", "sh", "sw", "sd", "c.s", "fs"}},
};
static const struct plain *names;

static bool begins(const char *const *beginnings, const char *name)
{
    for (; *beginnings != NULL; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* Where the accesses of an instruction are counted; NULL: each has to be asked. */
static uint64_t *accesses_of(const char *name)
{
    if (names == NULL || strstr(name, names->but) != NULL)
        return NULL;
    return begins(names->loads, name) ? &loads : begins(names->stores, name) ? &stores : NULL;
}

/* ---- what is known of an instruction -------------------------------------------------------------------------------
 */

/* By its bytes: a disassembler takes longer than all else that is done when code is seen first, and the start of a C
 * library is seen anew in every process. */
#define INSTRUCTIONS 16384
#define BYTES_MAX 15

static struct known {
    uint8_t size, bytes[BYTES_MAX];
    uint8_t fixed;      /* accesses to memory, where they are always as many */
    uint8_t conditions; /* instructions behind it that it makes conditional: IT of T32 */
    uint64_t *counter, *accesses;
} known[INSTRUCTIONS];
static size_t instructions;
static bool two_sets; /* the same four bytes are one instruction in A32 and another in T32 */

static struct known *known_of(const struct qemu_plugin_insn *insn)
{
    static struct known other;
    const uint8_t *bytes = qemu_plugin_insn_data(insn);
    const size_t size = qemu_plugin_insn_size(insn);
    const bool kept = size <= BYTES_MAX && !(two_sets && size == 4);
    struct known *one = &other;
    char name[MNEMONIC_MAX + 1];
    if (kept) {
        uint32_t hash = UINT32_C(2166136261);
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ bytes[i]) * UINT32_C(16777619);
        for (hash ^= hash >> 15;; hash++) {
            one = &known[hash % INSTRUCTIONS];
            if (one->size == size && memcmp(one->bytes, bytes, size) == 0)
                return one;
            if (one->size == 0)
                break;
        }
        if (instructions < INSTRUCTIONS / 4 * 3)
            instructions++;
        else
            one = &other;
    }
    one->fixed = (uint8_t)name_of(insn, name);
    one->conditions = 0;
    if (is_arm && name[0] == 'i' && name[1] == 't' && strspn(name + 1, "te") == strlen(name + 1))
        one->conditions = (uint8_t)(strlen(name) - 1);
    one->counter = counter_of(name);
    one->accesses = accesses_of(name);
    if (one != &other) {
        one->size = (uint8_t)size;
        memcpy(one->bytes, bytes, size);
    }
    return one;
}

/* ---- conditional instructions of T32 ---------------------------------------------------------------------------- */

/* Where code may be conditional because of an IT that ended the code seen before it. The IT is executed first, so that
 * it is always seen first. */
#define OPEN_ENDS 256

static struct stretch open_end[OPEN_ENDS];
static size_t open_ends;

static bool is_inside(const struct stretch *some, size_t count, uint64_t at)
{
    for (size_t i = 0; i < count; i++)
        if (at >= some[i].from && at < some[i].to)
            return true;
    return false;
}

/* Whether nothing that came before can make the instruction here conditional. With no room for more ends, none is
 * known to be free of it. */
static bool is_free(uint64_t at)
{
    return open_ends < OPEN_ENDS && !is_inside(open_end, open_ends, at);
}

static void leave_open(uint64_t end, unsigned int conditions)
{
    const struct stretch left = {end, end + 4 * (uint64_t)conditions};
    if (conditions == 0 || open_ends == OPEN_ENDS)
        return;
    for (size_t i = 0; i < open_ends; i++)
        if (open_end[i].from <= left.from && open_end[i].to >= left.to)
            return;
    open_end[open_ends++] = left;
}

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

static void at_begin(unsigned int cpu, void *data)
{
    (void)cpu;
    (void)data;
    for (size_t i = 0; i < mnemonics; i++)
        mnemonic[i].count = 0;
    for (struct block *one = blocks; one != NULL; one = one->next)
        one->runs = 0;
    loads = stores = watched = 0;
    forget_requested();
    counting = true;
}

static void at_end(unsigned int cpu, void *data)
{
    static char line[MNEMONICS * (MNEMONIC_MAX + 24) + REQUESTED_MAX];
    size_t len;
    (void)cpu;
    (void)data;
    if (!counting)
        return;
    counting = false;
    for (const struct block *one = blocks; one != NULL; one = one->next) {
        for (size_t i = 0; one->runs > 0 && i < one->count; i++)
            *one->counter[i] += one->runs;
        loads += one->runs * one->loads;
        stores += one->runs * one->stores;
        watched += one->is_watched ? one->runs : 0;
    }
    len = (size_t)sprintf(line, "%llu %llu %llu", (unsigned long long)loads, (unsigned long long)stores,
                          (unsigned long long)watched);
    len += tell_requested(line + len);
    for (size_t i = 0; i < mnemonics; i++)
        if (mnemonic[i].count > 0)
            len += (size_t)sprintf(line + len, " %s=%llu", mnemonic[i].name, (unsigned long long)mnemonic[i].count);
    line[len++] = '\n';
    if (write(out, line, len) != (ssize_t)len) { /* a line that is not whole is missed by who reads */
        perror("counter: FILE");
        _exit(1);
    }
}

static void at_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)address;
    (void)data;
    if (qemu_plugin_mem_is_store(info))
        stores++;
    else
        loads++;
}

/* NULL for instructions that are to be counted one by one: in the middle of them counting begins or ends. */
static struct block *block_of(const struct qemu_plugin_tb *tb, size_t count)
{
    struct block *made;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
        if (at == begin_at || at == end_at)
            return NULL;
    }
    made = malloc(sizeof *made + count * sizeof *made->counter);
    if (made == NULL)
        return NULL;
    made->runs = made->loads = made->stores = 0;
    made->is_watched = false;
    made->count = count;
    made->next = blocks;
    return blocks = made;
}

static void count_accesses(struct qemu_plugin_insn *insn, const struct known *one, struct block *block,
                           bool unconditional)
{
    if (block != NULL && unconditional && one->fixed > 0 && one->accesses != NULL)
        *(one->accesses == &loads ? &block->loads : &block->stores) += one->fixed;
    else if (one->accesses != NULL)
        qemu_plugin_register_vcpu_mem_inline(insn, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64, one->accesses, 1);
    else
        qemu_plugin_register_vcpu_mem_cb(insn, at_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct block *block = block_of(tb, count);
    unsigned int conditions = 0; /* how many of the next are conditional */
    uint64_t after = 0;
    (void)id;
    follow_branches(tb, count);
    if (lacks_crypto)
        refuse_lacking(tb);
    if (block != NULL)
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->runs, 1);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t at = qemu_plugin_insn_vaddr(insn);
        const struct known *one = known_of(insn);
        const bool looked_at = is_inside(watch, watches, at);
        after = at + qemu_plugin_insn_size(insn);
        if (at == begin_at)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, at_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (at == end_at)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, at_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (block != NULL) {
            block->counter[i] = one->counter;
            block->is_watched = block->is_watched || looked_at;
        } else {
            qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, one->counter, 1);
            if (looked_at)
                qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &watched, 1);
        }
        count_accesses(insn, one, block, conditions == 0 && is_free(at));
        if (one->accesses != &loads)
            watch_stores(insn, at);
        conditions = one->conditions > 0 ? one->conditions : conditions - (conditions > 0);
    }
    leave_open(after, conditions);
}

static int refused(const char *what, const char *seen)
{
    fprintf(stderr, "counter: %s%s\n", what, seen);
    return -1;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (info->version.min > INTERFACE || info->version.cur < INTERFACE) {
        fprintf(stderr, "counter: is written for version %d of the plugin interface, this emulator has %d to %d\n",
                INTERFACE, info->version.min, info->version.cur);
        return -1;
    }
    is_arm = strcmp(info->target_name, "arm") == 0;
    is_riscv = strncmp(info->target_name, "riscv", 5) == 0;
    two_sets = is_arm && !info->system_emulation;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(info->target_name, plain[i].isa) == 0)
            names = &plain[i];
    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (value == NULL)
            return refused("no value: ", argv[i]);
        value++;
        if (strncmp(argv[i], "begin=", 6) == 0)
            begin_at = strtoull(value, NULL, 16);
        else if (strncmp(argv[i], "end=", 4) == 0)
            end_at = strtoull(value, NULL, 16);
        else if (strncmp(argv[i], "watch=", 6) == 0) {
            char *plus;
            if (watches == WATCHES)
                return refused("too many stretches to watch: ", argv[i]);
            watch[watches].from = strtoull(value, &plus, 16);
            watch[watches].to = watch[watches].from + strtoull(plus, NULL, 16);
            watches++;
        } else if (is_requested(argv[i]))
            continue;
        else if (strncmp(argv[i], "out=", 4) == 0)
            out = open(value, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        else if (strcmp(argv[i], "lacks=crypto") == 0 && strcmp(info->target_name, "aarch64") == 0)
            lacks_crypto = true;
        else
            return refused("no such argument: ", argv[i]);
    }
    if (lacks_crypto && begin_at == 0 && end_at == 0 && out < 0) {
        qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation_refusing);
        return 0;
    }
    if (begin_at == 0 || end_at == 0)
        return refused("needs begin=HEX and end=HEX", "");
    if (out < 0)
        return refused("needs out=FILE that can be written", "");
    qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
    return 0;
}
