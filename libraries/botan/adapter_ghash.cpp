/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: GHASH, a public class in Botan 2 and an internal one in Botan 3.
 */
#include "adapter.h"

#if BOTAN_VERSION_MAJOR < 3
#include <botan/ghash.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace cs_botan
{

namespace
{

constexpr size_t tag_size = 16;

struct GhashState {
    Botan::GHASH ghash;
    Botan::secure_vector<uint8_t> y;
};

int setup_ghash(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<GhashState>();
        s->ghash.set_key(c->key.data, c->key.len);
        s->y.resize(tag_size);
        c->out_len = tag_size;
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int call_ghash(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<GhashState *>(c->state);
        std::fill(s->y.begin(), s->y.end(), uint8_t(0));
        s->ghash.ghash_update(s->y, c->msg.data, c->msg.len);
        std::memcpy(c->out, s->y.data(), tag_size);
        return static_cast<int>(CS_OK);
    });
}

void teardown_ghash(cs_case *c) noexcept
{
    delete static_cast<GhashState *>(c->state);
}

const cs_op rows[] = {{.id = "ghash/mac",
                       .impl = "default",
                       .name = "GHASH",
                       .setup = setup_ghash,
                       .call = call_ghash,
                       .teardown = teardown_ghash}};

} // namespace

const cs_table botan_ghash = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_ghash = {nullptr, 0};
#endif
