/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened. SMALL: the smallest AES, whose tables are looked up.
 */
#include "../program.h"

#include <bearssl.h>

int main(void)
{
#ifdef SMALL
    br_aes_small_ctr_keys aes;
#else
    br_aes_ct64_ctr_keys aes;
#endif
    br_gcm_context gcm;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
#ifdef SMALL
    br_aes_small_ctr_init(&aes, key.data, key.len);
#else
    br_aes_ct64_ctr_init(&aes, key.data, key.len);
#endif
    br_gcm_init(&gcm, &aes.vtable, br_ghash_ctmul64);
    br_gcm_reset(&gcm, iv.data, iv.len);
    br_gcm_aad_inject(&gcm, aad.data, aad.len);
    br_gcm_flip(&gcm);
    br_gcm_run(&gcm, 0, msg.data, msg.len);
    if (tag.len != 16 || !br_gcm_check_tag(&gcm, tag.data))
        return NO;
    return write_output(msg.data, msg.len);
}
