/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: keys out of DER. A call frees the key of the call before.
 *
 * Entry points: mbedtls_pk_parse_public_key, mbedtls_pk_parse_key.
 */
#include "adapter.h"

#include <mbedtls/ecp.h>
#include <mbedtls/pk.h>
#include <mbedtls/rsa.h>

enum { EXPONENT = 4 };

/* The members of structures, which 2.28 leaves open. */
#ifndef MBEDTLS_PRIVATE
#define MBEDTLS_PRIVATE(member) member
#endif

static int setup_import(cs_case *c)
{
    c->state = cs_alloc(sizeof(mbedtls_pk_context));
    if (c->state == NULL)
        return CS_ERROR;
    mbedtls_pk_init(c->state);
    return CS_OK;
}

static void forget(mbedtls_pk_context *key)
{
    mbedtls_pk_free(key);
    mbedtls_pk_init(key);
}

static void teardown_import(cs_case *c)
{
    forget(c->state);
    cs_free(c->state);
    c->state = NULL;
}

/* What is refused is the input's fault, but for a want of memory. The row's `param` is the keys' type. */
static int judged(const cs_case *c, int ret)
{
    if (ret == 0)
        return mbedtls_pk_get_type(c->state) == *(const mbedtls_pk_type_t *)c->op->param ? CS_OK : CS_REJECTED;
    return ret == MBEDTLS_ERR_PK_ALLOC_FAILED ? CS_ERROR : CS_REJECTED;
}

static int call_import_public(cs_case *c)
{
    mbedtls_pk_context *key = c->state;

    forget(key);
    return judged(c, mbedtls_pk_parse_public_key(key, c->msg.data, c->msg.len));
}

static int call_import_private(cs_case *c)
{
    mbedtls_pk_context *key = c->state;

    forget(key);
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    return judged(c, mbedtls_pk_parse_key(key, c->msg.data, c->msg.len, NULL, 0, cs_mbedtls_random, &cs_mbedtls_drbg));
#else
    return judged(c, mbedtls_pk_parse_key(key, c->msg.data, c->msg.len, NULL, 0));
#endif
}

static int finish_import_public(cs_case *c)
{
    mbedtls_pk_context *key = c->state;
    size_t len = c->out_cap - EXPONENT;
    int ret =
        mbedtls_rsa_export_raw(mbedtls_pk_rsa(*key), c->out, len, NULL, 0, NULL, 0, NULL, 0, c->out + len, EXPONENT);

    forget(key);
    c->out_len = c->out_cap;
    return from_mbedtls(ret);
}

static int finish_import_private(cs_case *c)
{
    mbedtls_pk_context *key = c->state;
    size_t len = c->out_cap / 2;
    int ret = mbedtls_rsa_export_raw(mbedtls_pk_rsa(*key), NULL, 0, c->out, len, c->out + len, len, NULL, 0, NULL, 0);

    forget(key);
    c->out_len = c->out_cap;
    return from_mbedtls(ret);
}

static int finish_import_point(cs_case *c)
{
    mbedtls_pk_context *key = c->state;
#if MBEDTLS_VERSION_NUMBER >= 0x03060000
    int ret =
        mbedtls_ecp_write_public_key(mbedtls_pk_ec(*key), MBEDTLS_ECP_PF_UNCOMPRESSED, &c->out_len, c->out, c->out_cap);
#else
    mbedtls_ecp_keypair *pair = mbedtls_pk_ec(*key);
    int ret = mbedtls_ecp_point_write_binary(&pair->MBEDTLS_PRIVATE(grp), &pair->MBEDTLS_PRIVATE(Q),
                                             MBEDTLS_ECP_PF_UNCOMPRESSED, &c->out_len, c->out, c->out_cap);
#endif

    forget(key);
    return from_mbedtls(ret);
}

static int finish_import_scalar(cs_case *c)
{
    mbedtls_pk_context *key = c->state;
    int ret;

    c->out_len = c->out_cap;
#if MBEDTLS_VERSION_NUMBER >= 0x03060000
    ret = mbedtls_ecp_write_key_ext(mbedtls_pk_ec(*key), &c->out_len, c->out, c->out_cap);
#else
    ret = mbedtls_mpi_write_binary(&mbedtls_pk_ec(*key)->MBEDTLS_PRIVATE(d), c->out, c->out_len);
#endif
    forget(key);
    return from_mbedtls(ret);
}

#define IMPORT_ROW(ID, NAME, CALL, FINISH, TYPE)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##CALL,                                                                                       \
     .finish = finish_import_##FINISH,                                                                                 \
     .teardown = teardown_import,                                                                                      \
     .param = &(const mbedtls_pk_type_t){TYPE},                                                                        \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, TYPE)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "mbedtls_pk_parse_public_key", public, PUBLIC, TYPE),                       \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "mbedtls_pk_parse_key", private, PRIVATE, TYPE)

static const cs_op rows[] = {
    IMPORT_ROWS_OF("rsa-2048", public, private, MBEDTLS_PK_RSA),
    IMPORT_ROWS_OF("rsa-4096", public, private, MBEDTLS_PK_RSA),
    IMPORT_ROWS_OF("p-256", point, scalar, MBEDTLS_PK_ECKEY),
};
const cs_table mbedtls_import = CS_TABLE(rows);
