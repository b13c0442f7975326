/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the generator that operations draw from, AutoSeeded_RNG, and random bytes.
 */
#include "adapter.h"

#include <botan/auto_rng.h>
#include <botan/system_rng.h>

namespace cs_botan
{

namespace
{

/* Tells what is drawn from the generator behind it. */
class CountedRng final : public Botan::RandomNumberGenerator
{
  public:
#if BOTAN_VERSION_MAJOR < 3
    void randomize(uint8_t out[], size_t len) override
    {
        cs_random_drawn(len);
        m_behind.randomize(out, len);
    }

    void add_entropy(const uint8_t in[], size_t len) override
    {
        m_behind.add_entropy(in, len);
    }
#endif

    bool accepts_input() const override
    {
        return m_behind.accepts_input();
    }

    std::string name() const override
    {
        return m_behind.name();
    }

    void clear() override
    {
        m_behind.clear();
    }

    bool is_seeded() const override
    {
        return m_behind.is_seeded();
    }

  private:
#if BOTAN_VERSION_MAJOR >= 3
    void fill_bytes_with_input(std::span<uint8_t> out, std::span<const uint8_t> in) override
    {
        cs_random_drawn(out.size());
        m_behind.randomize_with_input(out, in);
    }
#endif

    Botan::AutoSeeded_RNG m_behind;
};

/* Never destroyed: as the process ends the library's pool of memory, which the generator gives its own back to, is gone
 * before it. */
Botan::RandomNumberGenerator *generator = nullptr;

} // namespace

Botan::RandomNumberGenerator &rng()
{
    return *generator;
}

const char *seed_rng() noexcept
{
    const int status = guarded([] {
        if (cs_counts_random())
            generator = new CountedRng;
        else
            generator = new Botan::AutoSeeded_RNG;
        return static_cast<int>(CS_OK);
    });
    return status == CS_OK ? nullptr : "AutoSeeded_RNG cannot be seeded";
}

namespace
{

int setup_fetch(cs_case *c) noexcept
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int call_fetch(cs_case *c) noexcept
{
    return guarded([c] {
        rng().randomize(c->out, c->out_len);
        return static_cast<int>(CS_OK);
    });
}

int call_fetch_system(cs_case *c) noexcept
{
    return guarded([c] {
        Botan::system_rng().randomize(c->out, c->out_len);
        return static_cast<int>(CS_OK);
    });
}

const cs_op rows[] = {{.id = "random/fetch",
                       .impl = "default",
                       .name = "AutoSeeded_RNG::randomize",
                       .setup = setup_fetch,
                       .call = call_fetch,
                       .seed = seed_rng,
                       .counts_random = 1},
                      {.id = "random/fetch",
                       .impl = "System_RNG",
                       .name = "System_RNG::randomize",
                       .setup = setup_fetch,
                       .call = call_fetch_system}};

} // namespace

const cs_table botan_random = CS_TABLE(rows);

} // namespace cs_botan
