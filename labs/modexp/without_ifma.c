/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: stands in on other architectures than x86-64: says so, and does nothing.
 */
#if !defined(__x86_64__)

#include "ifma.h"
const char *modexp_ifma_unavailable(void)
{
    return "not an x86-64 CPU";
}
int modexp_ifma_takes(unsigned b)
{
    (void)b;
    return 0;
}
size_t modexp_ifma_key_bytes(unsigned b)
{
    (void)b;
    return 8;
}
size_t modexp_ifma_arena_bytes(unsigned b, unsigned w, int c, int p)
{
    (void)b;
    (void)w;
    (void)c;
    (void)p;
    return 8;
}
size_t modexp_ifma_table_bytes(unsigned b, unsigned w, int c, int p)
{
    (void)b;
    (void)w;
    (void)c;
    (void)p;
    return 8;
}
int modexp_ifma_set_modulus(void *k, size_t s, const uint8_t *m, size_t b)
{
    (void)k;
    (void)s;
    (void)m;
    (void)b;
    return -1;
}
int modexp_ifma_power(uint64_t *r, const uint64_t *b, const uint64_t *e, unsigned eb, const void *k, unsigned w, int c,
                      modexp_ifma_arena a)
{
    (void)r;
    (void)b;
    (void)e;
    (void)eb;
    (void)k;
    (void)w;
    (void)c;
    (void)a;
    return -1;
}
int modexp_ifma_power_x2(uint64_t *const result[2], const uint64_t *const base[2], const uint64_t *const exponent[2],
                         const void *const key[2], unsigned window, int ct, modexp_ifma_arena arena)
{
    (void)result;
    (void)base;
    (void)exponent;
    (void)key;
    (void)window;
    (void)ct;
    (void)arena;
    return -1;
}
size_t modexp_ifma_operand_bytes(unsigned b)
{
    (void)b;
    return 8;
}
void modexp_ifma_load(void *o, const uint64_t *l, int m, const void *k)
{
    (void)o;
    (void)l;
    (void)m;
    (void)k;
}
void modexp_ifma_mul(void *r, const void *a, const void *b, const void *k)
{
    (void)r;
    (void)a;
    (void)b;
    (void)k;
}
void modexp_ifma_store(uint64_t *l, const void *o, const void *k)
{
    (void)l;
    (void)o;
    (void)k;
}
void modexp_ifma_count(modexp_ifma_counts *c, const uint64_t *e, unsigned eb, unsigned b, unsigned w, int ct)
{
    (void)c;
    (void)e;
    (void)eb;
    (void)b;
    (void)w;
    (void)ct;
}
const char *modexp_ifma_symbols(unsigned b, unsigned w, int c, int p)
{
    (void)b;
    (void)w;
    (void)c;
    (void)p;
    return "";
}

#endif
