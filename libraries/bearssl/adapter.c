/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the library. Every implementation inside BearSSL is a lane; `default` is the one that BearSSL's TLS
 * engine would take here. The operations are in adapter_<family>.c.
 */
#include "adapter.h"

#include <string.h>

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

/* The library reports no CPU features, but its get functions tell which of its special code can run. */
static const char *cpu_path(void)
{
    static char path[64];

    path[0] = '\0';
    strcat(path, br_aes_x86ni_ctr_get_vtable() != NULL ? " x86ni" : "");
    strcat(path, br_ghash_pclmul_get() != 0 ? " pclmul" : "");
    strcat(path, br_chacha20_sse2_get() != 0 ? " sse2" : "");
    strcat(path, br_aes_pwr8_ctr_get_vtable() != NULL ? " pwr8" : "");
    return path[0] != '\0' ? path + 1 : "portable";
}

int bear_configured(const char *name)
{
    const br_config_option *option = br_get_config();

    while (option->name != NULL && strcmp(option->name, name) != 0) {
        option++;
    }
    return option->name != NULL && option->value != 0;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "bearssl",
    .version = version,
    .version_from = "package",
    .cpu_path = cpu_path,
    .tables = CS_TABLES(&bearssl_hashes, &bearssl_random, &bearssl_block, &bearssl_gcm, &bearssl_chacha, &bearssl_ec,
                        &bearssl_modes, &bearssl_rsa, &bearssl_keys, &bearssl_padding, &bearssl_import, &bearssl_x509,
                        &bearssl_kdf),
};

CS_WORKER_MAIN(library)
