/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: a generator that hands out a seed, for operations that can be told what they draw.
 */
#ifndef CIPHERSTONE_BOTAN_SEED_H
#define CIPHERSTONE_BOTAN_SEED_H

#include "adapter.h"

#include <botan/build.h>

#include <string>

namespace cs_botan
{

/* Hands out a seed; who draws more than it has gets an exception. */
class SeedRng final : public Botan::RandomNumberGenerator
{
  public:
    explicit SeedRng(cs_span seed) : stream{seed}
    {
    }
    bool accepts_input() const override
    {
        return false;
    }
    std::string name() const override
    {
        return "seed";
    }
    void clear() override
    {
    }
    bool is_seeded() const override
    {
        return true;
    }
#if BOTAN_VERSION_MAJOR >= 3
  private:
    void fill_bytes_with_input(std::span<uint8_t> out, std::span<const uint8_t>) override
    {
        draw(out.data(), out.size());
    }
#else
    void randomize(uint8_t out[], size_t len) override
    {
        draw(out, len);
    }
    void add_entropy(const uint8_t[], size_t) override
    {
    }
#endif

  private:
    void draw(uint8_t *out, size_t len)
    {
        if (cs_draw(&stream, out, len) != CS_OK)
            throw Botan::Invalid_State("the seed has too few bytes");
    }

    cs_stream stream;
};

} // namespace cs_botan

#endif
