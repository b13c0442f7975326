/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the instructions that an emulated program executes between two of its functions: a plugin for QEMU, version 1
 * of the interface, as QEMU 7.2 has it. No distribution ships the header of the interface; what is used of it is
 * declared here.
 *
 *     qemu-ARCH -plugin ./counter.so,begin=HEX,end=HEX,out=FILE ./program
 *
 * Each time the program comes to `end` after `begin` (addresses, in hexadecimal digits) a line is appended to FILE:
 *
 *     LOADS STORES MNEMONIC=COUNT MNEMONIC=COUNT ...
 *
 * Loads and stores are accesses to memory. Mnemonics are the emulator's disassembler's; what it cannot name is `?`.
 * Nothing is taken off: the first instruction of `end` may be in it, as in every other line. A program of several
 * threads is counted as one.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the interface ----------------------------------------------------------------------------------------------- */

#define INTERFACE 1

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus;
            int max_vcpus;
        } system;
    };
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
typedef uint32_t qemu_plugin_meminfo_t;

typedef void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void executed(unsigned int cpu, void *data);
typedef void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translated *hook);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, executed *hook,
                                            enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *at,
                                                uint64_t by);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, accessed *hook, enum qemu_plugin_cb_flags flags,
                                      enum qemu_plugin_mem_rw kind, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *at, uint64_t by);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw kind,
                                          enum qemu_plugin_op op, void *at, uint64_t by);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

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
static uint64_t loads, stores;
static uint64_t begin_at, end_at;
static bool counting, is_arm, is_riscv;
static int out = -1;

/* A stretch of instructions that is always executed to its end: how often, and the counter of each. A call of ours for
 * every instruction would take longer than the instruction. */
struct block {
    struct block *next;
    uint64_t runs;
    size_t count;
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

/* The name of an instruction, of MNEMONIC_MAX bytes at most. */
static void name_of(const struct qemu_plugin_insn *insn, char *name)
{
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
        free(text);
    }
    if (name[0] == '\0')
        strcpy(name, UNNAMED);
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
    name_of(insn, name);
    one->counter = counter_of(name);
    one->accesses = accesses_of(name);
    if (one != &other) {
        one->size = (uint8_t)size;
        memcpy(one->bytes, bytes, size);
    }
    return one;
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
    loads = stores = 0;
    counting = true;
}

static void at_end(unsigned int cpu, void *data)
{
    static char line[MNEMONICS * (MNEMONIC_MAX + 24)];
    size_t len;
    (void)cpu;
    (void)data;
    if (!counting)
        return;
    counting = false;
    for (const struct block *one = blocks; one != NULL; one = one->next)
        for (size_t i = 0; one->runs > 0 && i < one->count; i++)
            *one->counter[i] += one->runs;
    len = (size_t)sprintf(line, "%llu %llu", (unsigned long long)loads, (unsigned long long)stores);
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
    made->runs = 0;
    made->count = count;
    made->next = blocks;
    return blocks = made;
}

static void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct block *block = block_of(tb, count);
    (void)id;
    if (block != NULL)
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &block->runs, 1);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t at = qemu_plugin_insn_vaddr(insn);
        const struct known *one = known_of(insn);
        if (at == begin_at)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, at_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (at == end_at)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, at_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (block != NULL)
            block->counter[i] = one->counter;
        else
            qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, one->counter, 1);
        if (one->accesses != NULL)
            qemu_plugin_register_vcpu_mem_inline(insn, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64, one->accesses,
                                                 1);
        else
            qemu_plugin_register_vcpu_mem_cb(insn, at_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
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
        else if (strncmp(argv[i], "out=", 4) == 0)
            out = open(value, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        else
            return refused("no such argument: ", argv[i]);
    }
    if (begin_at == 0 || end_at == 0)
        return refused("needs begin=HEX and end=HEX", "");
    if (out < 0)
        return refused("needs out=FILE that can be written", "");
    qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
    return 0;
}
