/* SPDX-License-Identifier: Apache-2.0
 *
 * The unit that finds objects by itself: build IDs in notes, addresses of segments, the symbols that an executable's
 * relocations refer to, and what is of a language's run time. One line each.
 */
#include "identity.c"

static _Alignas(8) uint8_t notes[1024];
static size_t length;

static void note(uint32_t type, const char *name, uint32_t name_bytes, uint32_t contents, uint8_t byte)
{
    const uint32_t head[3] = {name_bytes, contents, type};

    memcpy(notes + length, head, sizeof head);
    memset(notes + length + 12, 0, padded(name_bytes) + padded(contents));
    memcpy(notes + length + 12, name, strlen(name));
    memset(notes + length + 12 + padded(name_bytes), byte, contents);
    length += 12 + padded(name_bytes) + padded(contents);
}

/* What is found in the notes so far, without their last bytes; then there are none. */
static void found_in_notes(size_t cut)
{
    static object found;
    found.build_id[0] = '\0';
    read_build_id(&found, notes, length - cut);
    printf("%s.", found.build_id);
    length = 0;
}

static void build_ids(void)
{
    note(1, "GNU", 4, 16, 0);
    note(NOTE_BUILD_ID, "GNU", 4, 7, 0xc1);
    found_in_notes(0);
    note(NOTE_BUILD_ID, "GNU", 4, 5, 0xc2);
    note(NOTE_BUILD_ID, "GNU", 4, 3, 0xc3);
    found_in_notes(0);
    note(NOTE_BUILD_ID, "GNU", 4, 3, 0xc4);
    note(NOTE_BUILD_ID, "GNU", 4, 4, 0xc5);
    found_in_notes(1);
    note(NOTE_BUILD_ID, "GNU", 4, 1, 0xc6);
    note(NOTE_BUILD_ID, "GNU", 4, 0, 0);
    found_in_notes(5);
    for (uint32_t type = 2; type <= 4; type += 2)
        note(type, "GNU", 4, 4, 0xc7);
    note(NOTE_BUILD_ID, "GNV", 4, 4, 0xc8);
    note(NOTE_BUILD_ID, "GNU", 5, 4, 0xc9);
    note(NOTE_BUILD_ID, "GN", 3, 4, 0xca);
    note(NOTE_BUILD_ID, "GNU", 4, BUILD_ID_MAX + 1, 0xcb);
    found_in_notes(0);
    note(NOTE_BUILD_ID, "GNU", 4, BUILD_ID_MAX, 0xcc);
    found_in_notes(0);
    note(NOTE_BUILD_ID, "GNU", 4, 4, 0xcd);
    memset(notes, 0xff, 4); /* a name of 4 GiB */
    found_in_notes(0);
    note(NOTE_BUILD_ID, "GNU", 4, 4, 0xce);
    memset(notes + 4, 0xff, 4);
    found_in_notes(0);
    printf("\n");
}

static void segments(void)
{
    note(NOTE_BUILD_ID, "GNU", 4, 2, 0xd1);
    const uintptr_t base = (uintptr_t)notes - 0x5000;
    const ElfW(Phdr) parts[] = {{.p_type = PT_LOAD, .p_vaddr = 0x3000, .p_memsz = 0x10},
                                {.p_type = PT_NOTE, .p_vaddr = 0x5000, .p_filesz = length, .p_memsz = 0x100000},
                                {.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_memsz = 0x500},
                                {.p_type = PT_DYNAMIC, .p_vaddr = 0x4000, .p_memsz = 0x100000},
                                {.p_type = PT_LOAD, .p_vaddr = 0x2000, .p_memsz = 0x20},
                                {.p_type = PT_LOAD, .p_vaddr = 0, .p_memsz = 0x100000}};
    const struct dl_phdr_info info = {.dlpi_addr = base, .dlpi_phdr = parts, .dlpi_phnum = CS_COUNT(parts) - 1};
    static object found;
    read_segments(&found, &info);
    printf("%zx %zx %d %zx %s %d %d\n", (size_t)(found.low - base), (size_t)(found.high - base), found.base == base,
           (size_t)((uintptr_t)found.dynamic - base), found.build_id, found.called, found.path[0]);
    const object of = {.base = 100};
    printf("%zu %zu %zu\n", (size_t)address(&of, 1), (size_t)address(&of, 99), (size_t)address(&of, 100));
}

/* Of three objects the second has the place of a function, byte by byte around it; which were marked. */
static void marks(void)
{
    static object at[3];
    objects found = {3, 3, at};
    const uintptr_t where = (uintptr_t)dlsym(RTLD_NEXT, "malloc");
    const uintptr_t ranges[][2] = {
        {where, where + 1}, {where + 1, where + 9}, {where - 9, where}, {where - 9, where + 9}};
    for (size_t i = 0; i < CS_COUNT(ranges); i++) {
        memset(at, 0, sizeof at);
        for (size_t k = 0; k < 2; k++) {
            at[k].low = ranges[i][0];
            at[k].high = ranges[i][1];
        }
        mark(&found, "malloc");
        printf("%d%d%d ", at[0].called, at[1].called, at[2].called);
    }
    printf("\n");
}

/* Which of `malloc`, `free` and `calloc` are marked by an executable with these relocations. */
static void relocated(bool symbols_there, bool names_there, ElfW(Sxword) kind, const char *label)
{
    static const char names[] = "\0malloc\0free\0calloc\0realloc";
    static ElfW(Sym)
        symbols[5] = {{.st_name = 21}, {.st_name = 1}, {.st_name = 8, .st_shndx = 3}, {.st_name = 13}, {.st_name = 21}};
    static ElfW(Rela) with[3];
    static ElfW(Rel) without[3];
    static object at[5];
    objects found = {5, 5, at};
    static const char *const functions[] = {"malloc", "free", "calloc", "realloc"};
    const unsigned shift = sizeof(void *) == 8 ? 32 : 8;

    memset(at, 0, sizeof at);
    for (size_t i = 0; i < 4; i++) {
        at[i + 1].low = (uintptr_t)dlsym(RTLD_NEXT, functions[i]);
        at[i + 1].high = at[i + 1].low + 1;
    }
    /* Two entries each; the third is behind the end. */
    const ElfW(Xword) numbers[2][3] = {{0, 1, 4}, {2, 3, 4}};
    for (size_t i = 0; i < 3; i++) {
        with[i].r_info = (ElfW(Xword))(numbers[0][i] << shift | 7);
        without[i].r_info = (ElfW(Xword))(numbers[1][i] << shift | 7);
    }
    ElfW(Dyn) dynamic[] = {{.d_tag = symbols_there ? DT_SYMTAB : DT_DEBUG, .d_un.d_ptr = (uintptr_t)symbols},
                           {.d_tag = names_there ? DT_STRTAB : DT_DEBUG, .d_un.d_ptr = (uintptr_t)names},
                           {.d_tag = kind == DT_RELA  ? DT_RELA
                                     : kind == DT_REL ? DT_REL
                                                      : DT_JMPREL,
                            .d_un.d_ptr = kind == DT_REL || kind == -DT_REL ? (uintptr_t)without : (uintptr_t)with},
                           {.d_tag = kind == DT_RELA  ? DT_RELASZ
                                     : kind == DT_REL ? DT_RELSZ
                                                      : DT_PLTRELSZ,
                            .d_un.d_val = kind == DT_REL || kind == -DT_REL ? 2 * sizeof *without : 2 * sizeof *with},
                           {.d_tag = DT_PLTREL, .d_un.d_val = (ElfW(Xword))(kind < 0 ? -kind : kind)},
                           {.d_tag = DT_NULL},
                           {.d_tag = DT_SYMTAB, .d_un.d_ptr = 1}};
    at[0].dynamic = dynamic;
    mark_called(&found);
    printf("%s %d%d%d%d%d ", label, at[0].called, at[1].called, at[2].called, at[3].called, at[4].called);
}

static void roles(void)
{
    static const char *const paths[] = {"/lib/libc.so.6",      "/lib/libc-2.36.so",    "/lib/libm.so.6",
                                        "/lib/ld-linux.so.2",  "/x/libgcc_s.so.1",     "libstdc++.so.6",
                                        "/lib/libcrypto.so.3", "/lib/libmbedtls.so",   "/libc.so/libfoo.so",
                                        "/lib/libcc.so",       "/usr/bin/old-libc.so", "libresolv.so"};
    static object at[CS_COUNT(paths) + 1];
    objects found = {CS_COUNT(at), CS_COUNT(at), at};
    for (size_t i = 1; i < CS_COUNT(at); i++) {
        snprintf(at[i].path, sizeof at[i].path, "%s", paths[i - 1]);
        at[i].called = i % 2 == 1;
    }
    for (size_t i = 0; i < CS_COUNT(at); i++)
        printf("%s ", role(&found, i));
    printf("\n");
}

/* What the loader lists: the executable without a name, the kernel's page, a file, one that is gone, one too many. */
static void listed(void)
{
    static object at[3];
    objects found = {0, 3, at};
    static const char *const names[] = {"", "linux-vdso.so.1", "/proc/self/exe", "/nowhere/at/all.so", "/bin/sh"};
    for (size_t i = 0; i < CS_COUNT(names); i++) {
        struct dl_phdr_info info = {.dlpi_name = names[i]};
        printf("%d", add_one(&info, sizeof info, &found));
    }
    size_t count = 0;
    printf(" %d", count_one(NULL, 0, &count));
    printf(" %zu %zu %d %d %s\n", count, found.count, at[0].path[0] == '/', strcmp(at[0].path, at[1].path), at[2].path);
}

int main(void)
{
    build_ids();
    segments();
    marks();
    relocated(true, true, DT_RELA, "rela");
    relocated(true, true, DT_REL, "rel");
    relocated(true, true, -DT_RELA, "plt-rela");
    relocated(true, true, -DT_REL, "plt-rel");
    relocated(false, true, DT_RELA, "no-symbols");
    relocated(true, false, DT_RELA, "no-names");
    printf("\n");
    roles();
    listed();
    return 0;
}
