/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "botan.h"

#include <botan/ml_kem.h>
#include <botan/pubkey.h>

enum { SECRET_BYTES = 32 };

int main()
{
    struct span key;

    if (!read_input())
        return BROKEN;
    key = field();
    return guarded(NO, [&] {
        Generator generator;
        const Botan::ML_KEM_PrivateKey own(bytes_of(key), Botan::ML_KEM_Mode::ML_KEM_768);
        Botan::PK_KEM_Decryptor decryptor(own, generator, "Raw");
        uint8_t secret[SECRET_BYTES];

        decryptor.decrypt(secret, bytes_of(rest()), sizeof secret);
        return write_output(secret, sizeof secret);
    });
}
