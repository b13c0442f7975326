/* SPDX-License-Identifier: Apache-2.0
 *
 * P-256 of micro-ecc behind Mbed TLS's hooks for alternative implementations: signatures, their verification, and both
 * halves of the agreement. Numbers go over as 32 bytes; checks of public keys stay those of Mbed TLS.
 */
#include <mbedtls/ecdh.h>
#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>

#include "uECC.h"

enum { LENGTH = 32 };

/* micro-ecc's generator has no context: that of the call that runs. */
static int (*draw)(void *, unsigned char *, size_t);
static void *draw_from;

static int drawn(uint8_t *to, unsigned size)
{
    return draw(draw_from, to, size) == 0;
}

static void draw_by(int (*f_rng)(void *, unsigned char *, size_t), void *p_rng)
{
    draw = f_rng;
    draw_from = p_rng;
    uECC_set_rng(f_rng != NULL ? drawn : NULL);
}

static int is_ours(const mbedtls_ecp_group *grp)
{
    return grp->id == MBEDTLS_ECP_DP_SECP256R1;
}

static int written(const mbedtls_mpi *x, const mbedtls_mpi *y, uint8_t *to)
{
    int ret = mbedtls_mpi_write_binary(x, to, LENGTH);

    return ret != 0 ? ret : mbedtls_mpi_write_binary(y, to + LENGTH, LENGTH);
}

static int taken(mbedtls_mpi *x, mbedtls_mpi *y, const uint8_t *from)
{
    int ret = mbedtls_mpi_read_binary(x, from, LENGTH);

    return ret != 0 ? ret : mbedtls_mpi_read_binary(y, from + LENGTH, LENGTH);
}

int mbedtls_ecdh_gen_public(mbedtls_ecp_group *grp, mbedtls_mpi *d, mbedtls_ecp_point *Q,
                            int (*f_rng)(void *, unsigned char *, size_t), void *p_rng)
{
    uint8_t pub[2 * LENGTH], key[LENGTH];
    int ret;

    if (!is_ours(grp))
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    draw_by(f_rng, p_rng);
    if (!uECC_make_key(pub, key, uECC_secp256r1()))
        return MBEDTLS_ERR_ECP_RANDOM_FAILED;
    ret = mbedtls_mpi_read_binary(d, key, LENGTH);
    if (ret == 0)
        ret = taken(&Q->MBEDTLS_PRIVATE(X), &Q->MBEDTLS_PRIVATE(Y), pub);
    return ret != 0 ? ret : mbedtls_mpi_lset(&Q->MBEDTLS_PRIVATE(Z), 1);
}

int mbedtls_ecdh_compute_shared(mbedtls_ecp_group *grp, mbedtls_mpi *z, const mbedtls_ecp_point *Q,
                                const mbedtls_mpi *d, int (*f_rng)(void *, unsigned char *, size_t), void *p_rng)
{
    uint8_t pub[2 * LENGTH], key[LENGTH], secret[LENGTH];
    int ret;

    if (!is_ours(grp))
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    ret = mbedtls_ecp_check_pubkey(grp, Q);
    if (ret == 0)
        ret = written(&Q->MBEDTLS_PRIVATE(X), &Q->MBEDTLS_PRIVATE(Y), pub);
    if (ret == 0)
        ret = mbedtls_mpi_write_binary(d, key, LENGTH);
    if (ret != 0)
        return ret;
    draw_by(f_rng, p_rng);
    if (!uECC_shared_secret(pub, key, secret, uECC_secp256r1()))
        return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
    return mbedtls_mpi_read_binary(z, secret, LENGTH);
}

int mbedtls_ecdsa_sign(mbedtls_ecp_group *grp, mbedtls_mpi *r, mbedtls_mpi *s, const mbedtls_mpi *d,
                       const unsigned char *buf, size_t blen, int (*f_rng)(void *, unsigned char *, size_t),
                       void *p_rng)
{
    uint8_t key[LENGTH], sig[2 * LENGTH];
    int ret;

    if (!is_ours(grp))
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    ret = mbedtls_mpi_write_binary(d, key, LENGTH);
    if (ret != 0)
        return ret;
    draw_by(f_rng, p_rng);
    if (!uECC_sign(key, buf, (unsigned)blen, sig, uECC_secp256r1()))
        return MBEDTLS_ERR_ECP_RANDOM_FAILED;
    return taken(r, s, sig);
}

int mbedtls_ecdsa_verify(mbedtls_ecp_group *grp, const unsigned char *buf, size_t blen, const mbedtls_ecp_point *Q,
                         const mbedtls_mpi *r, const mbedtls_mpi *s)
{
    uint8_t pub[2 * LENGTH], sig[2 * LENGTH];

    if (!is_ours(grp))
        return MBEDTLS_ERR_ECP_FEATURE_UNAVAILABLE;
    if (written(&Q->MBEDTLS_PRIVATE(X), &Q->MBEDTLS_PRIVATE(Y), pub) != 0 || written(r, s, sig) != 0)
        return MBEDTLS_ERR_ECP_VERIFY_FAILED;
    return uECC_verify(pub, buf, (unsigned)blen, sig, uECC_secp256r1()) ? 0 : MBEDTLS_ERR_ECP_VERIFY_FAILED;
}
