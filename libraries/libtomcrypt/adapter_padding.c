/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: RSA signatures and encryption.
 *
 * Entry points: rsa_set_key, rsa_set_factors, rsa_set_crt_params, rsa_sign_hash_ex, rsa_verify_hash_ex,
 * rsa_encrypt_key_ex, rsa_decrypt_key_ex, hash_memory.
 */
#include "adapter.h"

enum { DIGEST = 32, SALT = 32 };

/* Functions that fail free the key. */
static int take(rsa_key *key, const cs_rsa_key *of)
{
    const cs_span *part = of->part;
    int error = rsa_set_key(of->n.data, of->n.len, of->e.data, of->e.len, of->d.data, of->d.len, key);

    if (error != CRYPT_OK || of->d.data == NULL)
        return error;
    error = rsa_set_factors(part[CS_CRT_P].data, part[CS_CRT_P].len, part[CS_CRT_Q].data, part[CS_CRT_Q].len, key);
    if (error != CRYPT_OK)
        return error;
    return rsa_set_crt_params(part[CS_CRT_DP].data, part[CS_CRT_DP].len, part[CS_CRT_DQ].data, part[CS_CRT_DQ].len,
                              part[CS_CRT_QINV].data, part[CS_CRT_QINV].len, key);
}

static int padding_setup(cs_case *c)
{
    cs_rsa_key numbers;
    int error;

    if (cs_rsa_numbers(c, &numbers) != CS_OK || cs_new_state(c, sizeof(rsa_key)) == NULL)
        return CS_ERROR;
    error = take(c->state, &numbers);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static int padding_of(const cs_case *c)
{
    const int *padding = c->op->param;

    return *padding;
}

static int hash(cs_span msg, uint8_t digest[DIGEST])
{
    unsigned long len = DIGEST;

    return hash_memory(sha256_hash, msg.data, msg.len, digest, &len);
}

/* What a function says of its input: anything but a lack of memory is the input's fault. */
static int judged(int error, int is_valid)
{
    if (error == CRYPT_MEM)
        return from_ltc(error);
    return error == CRYPT_OK && is_valid == 1 ? CS_OK : CS_REJECTED;
}

static int padding_sign_call(cs_case *c)
{
    uint8_t digest[DIGEST];
    unsigned long len = c->out_cap;
    int error = hash(c->msg, digest);

    if (error == CRYPT_OK)
        error = rsa_sign_hash_ex(digest, DIGEST, c->out, &len, padding_of(c), &random_state, random_prng, sha256_hash,
                                 SALT, c->state);
    c->out_len = len;
    return from_ltc(error);
}

static int padding_verify_call(cs_case *c)
{
    uint8_t digest[DIGEST];
    int is_valid = 0, error = hash(c->msg, digest);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = rsa_verify_hash_ex(c->sig.data, c->sig.len, digest, DIGEST, padding_of(c), sha256_hash, SALT, &is_valid,
                               c->state);
    return judged(error, is_valid);
}

static int padding_encrypt_call(cs_case *c)
{
    unsigned long len = c->out_cap;
    int error = rsa_encrypt_key_ex(c->msg.data, c->msg.len, c->out, &len, NULL, 0, &random_state, random_prng,
                                   sha256_hash, padding_of(c), c->state);

    c->out_len = len;
    return from_ltc(error);
}

static int padding_decrypt_call(cs_case *c)
{
    unsigned long len = c->out_cap;
    int is_valid = 0;
    int error = rsa_decrypt_key_ex(c->msg.data, c->msg.len, c->out, &len, NULL, 0, sha256_hash, padding_of(c),
                                   &is_valid, c->state);
    int status = judged(error, is_valid);

    c->out_len = status == CS_OK ? len : 0;
    return status;
}

/* ---- rows ---- */

/* clang-format off */
/* `param` is the padding: LTC_PKCS_1_V1_5, LTC_PKCS_1_PSS or LTC_PKCS_1_OAEP. */
#define PADDING_ROW(ID, NAME, CALL, PADDING)                                                                           \
    {.id = ID, .impl = "default", .name = NAME " " #PADDING, .setup = padding_setup, .call = padding_##CALL##_call, .rekey = cs_setup_again, .teardown = rsa_teardown, .param = &(const int){PADDING}, .seed = seed_random, .counts_random = 1}
#define SIGNATURE_ROWS(ALGORITHM, PADDING)                                                                             \
    PADDING_ROW(ALGORITHM "/sign", "rsa_sign_hash_ex", sign, PADDING),                                                 \
    PADDING_ROW(ALGORITHM "/verify", "rsa_verify_hash_ex", verify, PADDING)
#define CIPHER_ROWS(ALGORITHM, PADDING)                                                                                \
    PADDING_ROW(ALGORITHM "/public-encrypt", "rsa_encrypt_key_ex", encrypt, PADDING),                                  \
    PADDING_ROW(ALGORITHM "/private-decrypt", "rsa_decrypt_key_ex", decrypt, PADDING)
#define PADDING_ROWS(BITS)                                                                                             \
    SIGNATURE_ROWS("rsa-" BITS "-pkcs1-sha256", LTC_PKCS_1_V1_5),                                                      \
    SIGNATURE_ROWS("rsa-" BITS "-pss-sha256", LTC_PKCS_1_PSS),                                                         \
    CIPHER_ROWS("rsa-" BITS "-oaep-sha256", LTC_PKCS_1_OAEP)

static const cs_op rows[] = {
    PADDING_ROWS("2048"),
    PADDING_ROWS("3072"),
    PADDING_ROWS("4096"),
    CIPHER_ROWS("rsa-2048-pkcs1", LTC_PKCS_1_V1_5),
};
/* clang-format on */

const cs_table libtomcrypt_padding = CS_TABLE(rows);
