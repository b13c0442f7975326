/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: whole exponentiations, plain and by CRT: J.-J. Quisquater and C. Couvreur (1982), recombined as
 * Garner (1959) and RFC 8017, 5.1.2 have it. And the table that shows this limb size to the rest of the laboratory.
 */
#define power_plain NAMED(power_plain)
#define power_crt NAMED(power_crt)
#define garner NAMED(garner)
#define single_product NAMED(single_product)
#define single_square NAMED(single_square)

LAB_INLINE void scan(modexp_method method, const work *w)
{
    switch (method.scan) {
    case MODEXP_FAST:
        scan_fast(w);
        break;
    case MODEXP_LADDER:
        scan_ladder(w);
        break;
    case MODEXP_FIXED:
        scan_fixed(w);
        break;
    case MODEXP_FIXED_CT:
        scan_fixed_ct(w);
        break;
    default:
        scan_sliding(w);
    }
}

static size_t power_bytes(modexp_method method, unsigned bits)
{
    modexp_arena measure = {0};
    size_t n = limbs_of_bits(bits);
    work w;

    work_layout(&w, &measure, method, n, product_scratch(method.reduction, n));
    return measure.high;
}

static size_t power_table_bytes(modexp_method method, unsigned bits)
{
    return table_entries(method) * limbs_of_bits(bits) * sizeof(limb_t);
}

LAB_FUNCTION void *power_plain(modexp_method method, const void *key, const void *base, const uint8_t *exponent,
                               size_t len, modexp_arena *arena)
{
    const modulus *m = key;
    work w = {.key = m, .exponent = exponent, .bits = 8 * len};

    if (!work_layout(&w, arena, method, m->n, product_scratch(method.reduction, m->n))) {
        return NULL;
    }
    form_enter(method.reduction, w.base, base, m, w.scratch);
    scan(method, &w);
    form_leave(method.reduction, w.power, w.power, m, w.scratch);
    return w.power;
}

/* The halves, one after the other, share their working memory. */
typedef struct crt_work {
    limb_t *result; /* 2n limbs; holds the base, spoilt by each reduction, before */
    limb_t *half;   /* n limbs: the power modulo p */
    work w;
} crt_work;

static int crt_layout(crt_work *crt, modexp_arena *arena, modexp_method method, size_t n)
{
    crt->result = modexp_arena_take(arena, 2 * n * sizeof(limb_t));
    crt->half = modexp_arena_take(arena, n * sizeof(limb_t));
    return work_layout(&crt->w, arena, method, n, product_scratch(method.reduction, n));
}

static size_t crt_bytes(modexp_method method, unsigned bits)
{
    modexp_arena measure = {0};
    crt_work crt = {0};

    crt_layout(&crt, &measure, method, limbs_of_bits(bits));
    return measure.high;
}

/* result = m2 + q ((m1 - m2) / q mod p), where both primes have their top bit at the same place: m2 < 2p. `h` is room
 * for n limbs, m1 is spoilt, `q_inverse` is in the reduction's form. */
LAB_FUNCTION void garner(modexp_reduction reduction, limb_t *result, limb_t *m1, const limb_t *m2,
                         const limb_t *q_inverse, const modulus *const keys[2], limb_t *h, limb_t *scratch)
{
    const limb_t *p = keys[0]->m;
    size_t n = keys[0]->n;
    limb_t carry;

    vec_copy(h, m2, n);
    vec_reduce_once(h, p, n);
    carry = vec_sub(h, m1, h, n);
    /* Below zero: add p, as minus the complement would; vec_select_if keeps the time the same. */
    vec_add(m1, h, p, n);
    vec_select_if(carry, h, m1, n);
    COUNT(mul);
    reducers[reduction].mul(h, h, q_inverse, keys[0], scratch);
    if (is_montgomery(reduction)) {
        mont_settle(h, keys[0]);
    }
    if (reduction == MODEXP_MONT_K) {
        karatsuba_mul(result, h, keys[1]->m, n, scratch);
    } else {
        comba_mul(result, h, keys[1]->m, n);
    }
    carry = vec_add(result, result, m2, n);
    for (size_t i = n; i < 2 * n; i++) {
        wide_t t = (wide_t)((wide_t)result[i] + carry);

        result[i] = LOW(t);
        carry = HIGH(t);
    }
}

LAB_FUNCTION void *power_crt(modexp_method method, const void *const keys[2], const void *q_inverse, const void *base,
                             const uint8_t *const exponents[2], size_t len, modexp_arena *arena)
{
    const modulus *const primes[2] = {keys[0], keys[1]};
    size_t n = primes[0]->n;
    crt_work crt = {0};
    work *w = &crt.w;

    if (!crt_layout(&crt, arena, method, n)) {
        return NULL;
    }
    w->bits = 8 * len;
    for (int i = 0; i < 2; i++) {
        w->key = primes[i];
        w->exponent = exponents[i];
        vec_copy(crt.result, base, 2 * n);
        form_enter_long(method.reduction, w->base, crt.result, primes[i], w->scratch);
        scan(method, w);
        form_leave(method.reduction, i == 0 ? crt.half : w->power, w->power, primes[i], w->scratch);
    }
    garner(method.reduction, crt.result, crt.half, w->power, q_inverse, primes, w->base, w->scratch);
    return crt.result;
}

/* -- for back ends that leave these parts of CRT to this one -- */

LAB_FUNCTION void single_reduce_long(void *r, void *a, const void *key, void *scratch)
{
    const modulus *m = key;

    COUNT(red);
    COUNT(mul);
    mont_reduce(r, a, m);
    mont_k_mul(r, r, m->square, m, scratch);
    mont_settle(r, m);
}

LAB_FUNCTION void single_join(void *result, void *m1, const void *m2, const void *q_inverse, const void *const keys[2],
                              void *room, void *scratch)
{
    const modulus *const primes[2] = {keys[0], keys[1]};

    garner(MODEXP_MONT_K, result, m1, m2, q_inverse, primes, room, scratch);
}

/* -- single products -- */

static size_t single_scratch_bytes(modexp_reduction reduction, unsigned bits)
{
    return product_scratch(reduction, limbs_of_bits(bits)) * sizeof(limb_t);
}

LAB_FUNCTION void single_enter(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch)
{
    form_enter(reduction, r, a, key, scratch);
    if (is_montgomery(reduction)) {
        mont_settle(r, key);
    }
}

LAB_FUNCTION void single_leave(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch)
{
    form_leave(reduction, r, a, key, scratch);
}

/* Below m when a and b are. */
LAB_FUNCTION void single_product(modexp_reduction reduction, void *r, const void *a, const void *b, const void *key,
                                 void *scratch)
{
    const modulus *m = key;

    COUNT(mul);
    reducers[reduction].mul(r, a, b, m, scratch);
    if (is_montgomery(reduction)) {
        mont_settle(r, m);
    }
}

LAB_FUNCTION void single_square(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch)
{
    const modulus *m = key;

    COUNT(sqr);
    reducers[reduction].sqr(r, a, m, scratch);
    if (is_montgomery(reduction)) {
        mont_settle(r, m);
    }
}

const modexp_backend NAMED(modexp) = {
    .limb_bits = LIMB_BITS,
    .limb_bytes = sizeof(limb_t),
    .limbs = limbs_of_bits,
    .load = limbs_load,
    .store = limbs_store,
    .key_bytes = modulus_bytes,
    .key_set = modulus_set,
    .arena_bytes = power_bytes,
    .table_bytes = power_table_bytes,
    .power = power_plain,
    .crt_arena_bytes = crt_bytes,
    .crt_power = power_crt,
    .scratch_bytes = single_scratch_bytes,
    .enter = single_enter,
    .leave = single_leave,
    .product = single_product,
    .square = single_square,
    .reduce_long = single_reduce_long,
    .join = single_join,
};
