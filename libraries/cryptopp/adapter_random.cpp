/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the generator that operations draw from, AutoSeededRandomPool, and random bytes.
 */
#include "adapter.h"

#include <cryptopp/osrng.h>

namespace cs_cryptopp
{

namespace
{

/* Tells what is drawn from the generator behind it. */
class CountedRng final : public CryptoPP::RandomNumberGenerator
{
  public:
    void GenerateBlock(CryptoPP::byte *output, size_t size) override
    {
        cs_random_drawn(size);
        m_behind.GenerateBlock(output, size);
    }

    bool CanIncorporateEntropy() const override
    {
        return m_behind.CanIncorporateEntropy();
    }

    void IncorporateEntropy(const CryptoPP::byte *input, size_t length) override
    {
        m_behind.IncorporateEntropy(input, length);
    }

  private:
    CryptoPP::AutoSeededRandomPool m_behind;
};

std::unique_ptr<CryptoPP::RandomNumberGenerator> generator;

} // namespace

CryptoPP::RandomNumberGenerator &rng()
{
    return *generator;
}

const char *seed_rng() noexcept
{
    const int status = guarded([] {
        if (cs_counts_random())
            generator = std::make_unique<CountedRng>();
        else
            generator = std::make_unique<CryptoPP::AutoSeededRandomPool>();
        return static_cast<int>(CS_OK);
    });
    return status == CS_OK ? nullptr : "AutoSeededRandomPool cannot be seeded";
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
        rng().GenerateBlock(c->out, c->out_len);
        return static_cast<int>(CS_OK);
    });
}

int setup_fetch_system(cs_case *c) noexcept
{
    return setup<CryptoPP::NonblockingRng>(c, c->msg.len,
                                           [](CryptoPP::NonblockingRng &) { return static_cast<int>(CS_OK); });
}

int call_fetch_system(cs_case *c) noexcept
{
    return guarded([c] {
        state<CryptoPP::NonblockingRng>(c).GenerateBlock(c->out, c->out_len);
        return static_cast<int>(CS_OK);
    });
}

const cs_op rows[] = {{.id = "random/fetch",
                       .impl = "default",
                       .name = "AutoSeededRandomPool::GenerateBlock",
                       .setup = setup_fetch,
                       .call = call_fetch,
                       .seed = seed_rng,
                       .counts_random = 1},
                      {.id = "random/fetch",
                       .impl = "NonblockingRng",
                       .name = "NonblockingRng::GenerateBlock",
                       .setup = setup_fetch_system,
                       .call = call_fetch_system,
                       .teardown = teardown<CryptoPP::NonblockingRng>}};

} // namespace

const cs_table cryptopp_random = CS_TABLE(rows);

} // namespace cs_cryptopp
