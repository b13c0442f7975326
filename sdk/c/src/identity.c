/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files the code of this process was mapped from, and in which of them the library is: a version number does not
 * contain this. It is never asked during a timed call.
 *
 * If the loader keeps no list of the files that it mapped (no dl_iterate_phdr), nothing is reported.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#if defined(__linux__) && !defined(CS_POSIX_ONLY)

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILD_ID_MAX 64 /* bytes; SHA-1 has 20 */
#define NOTE_BUILD_ID 3 /* NT_GNU_BUILD_ID */

typedef struct object {
    char path[PATH_MAX];
    char build_id[2 * BUILD_ID_MAX + 1]; /* "" where it has none */
    uintptr_t low, high;                 /* addresses, `high` not in it */
    uintptr_t base;
    const ElfW(Dyn) * dynamic; /* NULL where nothing is linked dynamically */
    bool called;               /* the worker itself refers to something in it */
} object;

typedef struct objects {
    size_t count, room;
    object *at; /* the executable first */
} objects;

static size_t padded(size_t length)
{
    return (length + 3) & ~(size_t)3;
}

/* Notes are 32-bit words: lengths of name and contents, type, name, contents, both padded. */
static void read_build_id(object *into, const uint8_t *note, size_t length)
{
    while (length >= 12) {
        uint32_t head[3];
        memcpy(head, note, sizeof head);
        size_t name = padded(head[0]), contents = padded(head[1]);
        if (name > length - 12 || contents > length - 12 - name)
            return;
        const uint8_t *bytes = note + 12 + name;
        if (head[2] == NOTE_BUILD_ID && head[0] == 4 && memcmp(note + 12, "GNU", 4) == 0 && head[1] <= BUILD_ID_MAX)
            for (size_t i = 0; i < head[1]; i++)
                snprintf(into->build_id + 2 * i, 3, "%02x", bytes[i]);
        note += 12 + name + contents;
        length -= 12 + name + contents;
    }
}

static void read_segments(object *into, const struct dl_phdr_info *info)
{
    into->base = info->dlpi_addr;
    into->low = UINTPTR_MAX;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_LOAD) {
            into->low = begin < into->low ? begin : into->low;
            into->high = end > into->high ? end : into->high;
        } else if (segment->p_type == PT_NOTE) {
            read_build_id(into, (const uint8_t *)begin, segment->p_filesz);
        } else if (segment->p_type == PT_DYNAMIC) {
            into->dynamic = (const ElfW(Dyn) *)begin;
        }
    }
}

static int count_one(struct dl_phdr_info *info, size_t size, void *into)
{
    (void)info;
    (void)size;
    ++*(size_t *)into;
    return 0;
}

static int add_one(struct dl_phdr_info *info, size_t size, void *into)
{
    (void)size;
    objects *found = into;
    bool executable = found->count == 0;
    /* What has no path was not mapped from a file: the kernel's own page. */
    if (found->count == found->room || (!executable && strchr(info->dlpi_name, '/') == NULL))
        return 0;
    object *one = &found->at[found->count++];
    if (executable) {
        ssize_t length = readlink("/proc/self/exe", one->path, sizeof one->path - 1);
        one->path[length > 0 ? length : 0] = '\0'; /* without /proc it is left out of the reply */
    } else if (realpath(info->dlpi_name, one->path) == NULL) {
        snprintf(one->path, sizeof one->path, "%s", info->dlpi_name);
    }
    read_segments(one, info);
    return 0;
}

/* Some loaders relocate the addresses in the dynamic section in place, others leave them relative to the base. */
static uintptr_t address(const object *of, ElfW(Addr) value)
{
    return value < of->base ? of->base + value : value;
}

static void mark(objects *found, const char *symbol)
{
    /* NEXT: behind the executable, which may hold a stub of that name. */
    uintptr_t where = (uintptr_t)dlsym(RTLD_NEXT, symbol);
    for (size_t i = 1; i < found->count; i++)
        if (where >= found->at[i].low && where < found->at[i].high)
            found->at[i].called = true;
}

typedef struct relocations {
    ElfW(Addr) at;
    size_t bytes;
    bool addends;
} relocations;

static void mark_all(objects *found, const relocations *table, const ElfW(Sym) * symbols, const char *names)
{
    size_t step = table->addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
    const uint8_t *at = (const uint8_t *)address(&found->at[0], table->at);
    if (table->at == 0)
        return;
    for (size_t i = 0; i < table->bytes / step; i++) {
        ElfW(Rel) entry; /* the beginning of both forms */
        memcpy(&entry, at + i * step, sizeof entry);
        size_t number = sizeof(void *) == 8 ? (size_t)((uint64_t)entry.r_info >> 32) : (size_t)(entry.r_info >> 8);
        if (number != 0 && symbols[number].st_shndx == SHN_UNDEF)
            mark(found, names + symbols[number].st_name);
    }
}

/* Marks the objects that hold what the executable's relocations refer to: the functions of the library that are called,
 * wherever the loader found them. */
static void mark_called(objects *found)
{
    const object *self = &found->at[0];
    ElfW(Addr) symbols = 0, names = 0;
    relocations with = {.addends = true}, without = {.addends = false}, calls = {.addends = false};
    for (const ElfW(Dyn) *entry = self->dynamic; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            symbols = entry->d_un.d_ptr;
            break;
        case DT_STRTAB:
            names = entry->d_un.d_ptr;
            break;
        case DT_RELA:
            with.at = entry->d_un.d_ptr;
            break;
        case DT_RELASZ:
            with.bytes = entry->d_un.d_val;
            break;
        case DT_REL:
            without.at = entry->d_un.d_ptr;
            break;
        case DT_RELSZ:
            without.bytes = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            calls.at = entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            calls.bytes = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            calls.addends = entry->d_un.d_val == DT_RELA;
            break;
        }
    }
    if (symbols == 0 || names == 0)
        return;
    const relocations *const tables[] = {&with, &without, &calls};
    for (size_t i = 0; i < CS_COUNT(tables); i++)
        mark_all(found, tables[i], (const ElfW(Sym) *)address(self, symbols), (const char *)address(self, names));
}

/* Runtimes of the languages: every program calls them, whatever library it holds. */
static bool is_runtime(const char *path)
{
    static const char *const known[] = {"libc.",     "libc-",   "libm.",     "libm-",   "libmvec",  "libpthread",
                                        "libdl.",    "libdl-",  "librt.",    "librt-",  "ld-",      "ld.",
                                        "libgcc_s.", "libstdc", "libc++",    "libasan", "libubsan", "libtsan",
                                        "libmusl",   "ld64",    "libatomic", "liblsan", "libresolv"};
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < CS_COUNT(known); i++)
        if (strncmp(name, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

static const char *role(const objects *found, size_t number)
{
    const object *one = &found->at[number];
    if (number == 0)
        return "worker";
    if (is_runtime(one->path))
        return "runtime";
    return one->called ? "library" : "other";
}

static void reply_objects(const objects *found)
{
    cs_reply_array("objects");
    for (size_t i = 0; i < found->count; i++) {
        const object *one = &found->at[i];
        if (one->path[0] != '/')
            continue;
        cs_reply_object();
        cs_reply_string("path", one->path);
        cs_reply_string("build_id", one->build_id[0] == '\0' ? NULL : one->build_id);
        cs_reply_string("role", role(found, i));
        cs_reply_object_end();
    }
    cs_reply_array_end();
}

bool cs_identity_serve(const cs_request *request)
{
    objects found = {0, 0, NULL};
    dl_iterate_phdr(count_one, &found.room);
    found.at = calloc(found.room, sizeof *found.at);
    if (found.at == NULL)
        return cs_reply_error(request->seq, "out-of-memory", "no room for the list of objects");
    dl_iterate_phdr(add_one, &found);
    if (found.count > 0)
        mark_called(&found);
    cs_reply_begin(request->seq);
    reply_objects(&found);
    free(found.at);
    return cs_reply_end();
}

#else

bool cs_identity_serve(const cs_request *request)
{
    cs_reply_begin(request->seq);
    cs_reply_null("objects");
    return cs_reply_end();
}

#endif
