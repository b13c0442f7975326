/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "../program.h"

#include <oqs/oqs.h>

#ifdef FOOTPRINT_BOARD
#include <errno.h>
#include <malloc.h>

/* Upstream's configuration is sure of it where nothing can be linked to look. Its name is known to the compiler, which
 * drops the function where it optimises while it links. */
__attribute__((used)) int posix_memalign(void **at, size_t alignment, size_t size)
{
    *at = memalign(alignment, size);
    return *at == NULL ? ENOMEM : 0;
}
#endif

int main(void)
{
    uint8_t secret[OQS_KEM_ml_kem_768_length_shared_secret];
    span key, msg;

    OQS_init();
    if (!read_input())
        return BROKEN;
    key = field(), msg = rest();
    if (key.len != OQS_KEM_ml_kem_768_length_secret_key || msg.len != OQS_KEM_ml_kem_768_length_ciphertext ||
        OQS_KEM_ml_kem_768_decaps(secret, msg.data, key.data) != OQS_SUCCESS)
        return NO;
    return write_output(secret, sizeof secret);
}
