/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: ML-KEM, of 1.12 and later (1.11 takes no seeds). Keys are bytes, which every call takes.
 *
 * Entry points: gcry_kem_genkey, gcry_kem_encap, gcry_kem_decap.
 */
#include "adapter.h"

#ifdef GCRY_KEM_MLKEM_RANDOM_LEN

/* A parameter set: its number, and lengths in bytes. */
struct kem {
    int algo;
    size_t public_len, private_len, ciphertext_len;
};

enum { KEM_SECRET = 32 };

static int kem_keygen_setup(cs_case *c)
{
    const struct kem *kem = c->op->param;

    c->out_len = kem->private_len + kem->public_len;
    return CS_OK;
}

static int kem_keygen_call(cs_case *c)
{
    const struct kem *kem = c->op->param;
    const cs_span none = {NULL, 0}, seed = c->n_inputs == 0 ? none : c->inputs[0].span;
    gcry_error_t error = gcry_kem_genkey(kem->algo, c->out + kem->private_len, kem->public_len, c->out,
                                         kem->private_len, seed.data, seed.len);

    return error == 0 ? CS_OK : fail("gcry_kem_genkey", error);
}

/* `state` is the seed, which stands beside the public key. */
static int encaps_setup(cs_case *c)
{
    const struct kem *kem = c->op->param;

    c->state = (void *)(uintptr_t)cs_input(c, "seed").data;
    c->out_len = kem->ciphertext_len + KEM_SECRET;
    return CS_OK;
}

static int encaps_call(cs_case *c)
{
    const struct kem *kem = c->op->param;
    gcry_error_t error =
        gcry_kem_encap(kem->algo, c->pub.data, c->pub.len, c->out, kem->ciphertext_len, c->out + kem->ciphertext_len,
                       KEM_SECRET, c->state, c->state == NULL ? 0 : GCRY_KEM_MLKEM_RANDOM_LEN);

    return error == 0 ? CS_OK : fail("gcry_kem_encap", error);
}

static int decaps_setup(cs_case *c)
{
    c->out_len = KEM_SECRET;
    return CS_OK;
}

static int decaps_call(cs_case *c)
{
    const struct kem *kem = c->op->param;
    gcry_error_t error =
        gcry_kem_decap(kem->algo, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, KEM_SECRET, NULL, 0);

    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_INV_ARG ? CS_REJECTED : fail("gcry_kem_decap", error);
}

#define KEM_OF(BITS)                                                                                                   \
    &(const struct kem){GCRY_KEM_MLKEM##BITS, GCRY_KEM_MLKEM##BITS##_PUBKEY_LEN, GCRY_KEM_MLKEM##BITS##_SECKEY_LEN,    \
                        GCRY_KEM_MLKEM##BITS##_CIPHER_LEN}
#define KEM_ROW(BITS, VERB, NAME, SETUP, REKEY, SEED, SEEDED)                                                          \
    {.id = "ml-kem-" #BITS "/" VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP##_setup,                                                                                           \
     .call = SETUP##_call,                                                                                             \
     .rekey = REKEY,                                                                                                   \
     .param = KEM_OF(BITS),                                                                                            \
     .seed = SEED,                                                                                                     \
     .seeded = SEEDED}
#define KEM_ROWS_OF(BITS)                                                                                              \
    KEM_ROW(BITS, "keygen", "gcry_kem_genkey", kem_keygen, NULL, ecdsa_seed, 1),                                       \
        KEM_ROW(BITS, "encaps", "gcry_kem_encap", encaps, cs_key_in_call, ecdsa_seed, 1),                              \
        KEM_ROW(BITS, "decaps", "gcry_kem_decap", decaps, cs_key_in_call, NULL, 0)

static const cs_op rows[] = {KEM_ROWS_OF(512), KEM_ROWS_OF(768), KEM_ROWS_OF(1024)};

const cs_table libgcrypt_kem = CS_TABLE(rows);

#else
const cs_table libgcrypt_kem = {NULL, 0};
#endif
