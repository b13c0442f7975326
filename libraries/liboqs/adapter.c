/* SPDX-License-Identifier: Apache-2.0
 *
 * liboqs: https://openquantumsafe.org/liboqs/
 *
 * An object stands for an algorithm and holds no key: keys are bytes in every call. Entry points: OQS_KEM_new,
 * OQS_KEM_keypair, OQS_KEM_keypair_derand, OQS_KEM_encaps, OQS_KEM_decaps. Signatures are in adapter_sig.c.
 */
#include <oqs/oqs.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "adapter.h"

/* ---- library ---- */

/* Bytes that the system gives at once (POSIX.1-2024). */
enum { MOST_ENTROPY = 256 };

void oqs_system(uint8_t *out, size_t len)
{
    while (len > 0) {
        size_t part = len < MOST_ENTROPY ? len : MOST_ENTROPY;

        if (getentropy(out, part) != 0)
            return;
        out += part;
        len -= part;
    }
}

void oqs_counted(uint8_t *out, size_t len)
{
    cs_random_drawn(len);
    oqs_system(out, len);
}

static int open_library(void)
{
    OQS_init();
#if defined(OQS_EMBEDDED_BUILD)
    OQS_randombytes_custom_algorithm(oqs_system); /* such a build has none of its own */
#endif
    if (cs_counts_random())
        OQS_randombytes_custom_algorithm(oqs_counted);
    return CS_OK;
}

/* ---- ML-KEM ---- */

struct kem {
    OQS_KEM *kem;
    cs_span seed;
};

static void kem_teardown(cs_case *c)
{
    struct kem *s = c->state;

    OQS_KEM_free(s->kem);
    cs_free(s);
    c->state = NULL;
}

static const char *kem_unavailable(const struct cs_op *op)
{
    return OQS_KEM_alg_is_enabled(op->param) ? NULL : "this build of liboqs leaves the algorithm out";
}

static struct kem *kem_open(cs_case *c)
{
    struct kem *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    s->kem = OQS_KEM_new(c->op->param);
    s->seed = cs_input(c, "seed");
    if (s->kem == NULL) {
        cs_free(s);
        (void)cs_fail("OQS_KEM_new");
        return NULL;
    }
    c->state = s;
    return s;
}

static int keygen_setup(cs_case *c)
{
    const struct kem *s = kem_open(c);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = s->kem->length_secret_key + s->kem->length_public_key;
    return CS_OK;
}

static int keygen_call(cs_case *c)
{
    const struct kem *s = c->state;
    uint8_t *pub = c->out + s->kem->length_secret_key;
    OQS_STATUS status = s->seed.data == NULL ? OQS_KEM_keypair(s->kem, pub, c->out)
                                             : OQS_KEM_keypair_derand(s->kem, pub, c->out, s->seed.data);

    return status == OQS_SUCCESS ? CS_OK : cs_fail("OQS_KEM_keypair");
}

static int encaps_setup(cs_case *c)
{
    const struct kem *s = kem_open(c);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = s->kem->length_ciphertext + s->kem->length_shared_secret;
    return CS_OK;
}

/* Both functions fail for keys that do not pass the checks of FIPS 203 sections 7.2 and 7.3, and for nothing else. */
static int encaps_call(cs_case *c)
{
    const struct kem *s = c->state;

    return OQS_KEM_encaps(s->kem, c->out, c->out + s->kem->length_ciphertext, c->pub.data) == OQS_SUCCESS ? CS_OK
                                                                                                          : CS_BAD_KEY;
}

static int decaps_setup(cs_case *c)
{
    const struct kem *s = kem_open(c);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = s->kem->length_shared_secret;
    return CS_OK;
}

/* OQS_KEM_decaps reads as many bytes as a ciphertext has, whatever it is given, hence the length check. */
static int decaps_call(cs_case *c)
{
    const struct kem *s = c->state;

    if (c->msg.len != s->kem->length_ciphertext)
        return CS_REJECTED;
    return OQS_KEM_decaps(s->kem, c->out, c->msg.data, c->key.data) == OQS_SUCCESS ? CS_OK : CS_BAD_KEY;
}

/* ---- random bytes ---- */

static int fetch_call(cs_case *c)
{
    OQS_randombytes(c->out, c->out_len);
    return CS_OK;
}

/* clang-format off */
#define KEM_ROWS(ALGORITHM, NAME)                                                                                      \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "OQS_KEM_keypair", .setup = keygen_setup, .call = keygen_call, .teardown = kem_teardown, .param = NAME, .unavailable = kem_unavailable, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/encaps", .impl = "default", .name = "OQS_KEM_encaps", .setup = encaps_setup, .call = encaps_call, .rekey = cs_key_in_call, .teardown = kem_teardown, .param = NAME, .unavailable = kem_unavailable, .counts_random = 1}, \
    {.id = ALGORITHM "/decaps", .impl = "default", .name = "OQS_KEM_decaps", .setup = decaps_setup, .call = decaps_call, .rekey = cs_key_in_call, .teardown = kem_teardown, .param = NAME, .unavailable = kem_unavailable}

static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "OQS_randombytes", .setup = cs_setup_msg_length, .call = fetch_call, .counts_random = 1},
    KEM_ROWS("ml-kem-512", OQS_KEM_alg_ml_kem_512),
    KEM_ROWS("ml-kem-768", OQS_KEM_alg_ml_kem_768),
    KEM_ROWS("ml-kem-1024", OQS_KEM_alg_ml_kem_1024),
};
/* clang-format on */
static const cs_table kem = CS_TABLE(rows);

static char cpu_features[64];

static void append_feature(OQS_CPU_EXT extension, const char *name)
{
    const size_t used = strlen(cpu_features);

    if (OQS_CPU_has_extension(extension))
        snprintf(cpu_features + used, sizeof cpu_features - used, "%s%s", used == 0 ? "" : " ", name);
}

/* What the code of ML-KEM and ML-DSA asks for. */
static const char *cpu_path(void)
{
    cpu_features[0] = '\0';
    append_feature(OQS_CPU_EXT_AVX2, "avx2");
    append_feature(OQS_CPU_EXT_BMI2, "bmi2");
    append_feature(OQS_CPU_EXT_POPCNT, "popcnt");
    append_feature(OQS_CPU_EXT_ARM_NEON, "neon");
    return cpu_features;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "liboqs",
    .version = OQS_version,
    .version_from = "library",
    .cpu_path = cpu_path,
    .open = open_library,
    .tables = CS_TABLES(&kem, &liboqs_sig),
};

CS_WORKER_MAIN(library)
