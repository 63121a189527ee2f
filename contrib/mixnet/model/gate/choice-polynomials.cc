/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "choice-polynomials.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ns3
{

namespace
{

/// A row of coefficients to add to, in registers where their number is known.
template <uint32_t K>
class Row
{
  public:
    /// @param target the row
    explicit Row(double* target)
        : m_target(target)
    {
        std::copy(target, target + K + 1, m_own.data());
    }

    /// @return where to add
    double* Get()
    {
        return m_own.data();
    }

    /// Write it.
    void Close()
    {
        std::copy(m_own.begin(), m_own.end(), m_target);
    }

  private:
    double* m_target;                //!< the row
    std::array<double, K + 1> m_own; //!< copy
};

/// A row whose length is known when it is used stays where it is.
template <>
class Row<0>
{
  public:
    /// @param target the row
    explicit Row(double* target)
        : m_target(target)
    {
    }

    /// @return where to add
    double* Get()
    {
        return m_target;
    }

    /// Nothing to write.
    void Close()
    {
    }

  private:
    double* m_target; //!< the row
};

/// The loops. @tparam K largest power; 0: known when they run
template <uint32_t K>
struct Loops
{
    /// @param k as given @return largest power
    static constexpr uint32_t Top(uint32_t k)
    {
        return K == 0 ? k : K;
    }

    static void Extend(uint32_t k, const double* odds, uint32_t n, double* before)
    {
        const uint32_t top = Top(k);
        for (uint32_t e = 0; e < n; ++e, before += top + 1)
        {
            double* next = before + top + 1;
            next[0] = before[0];
            for (uint32_t j = 1; j <= top; ++j)
            {
                next[j] = before[j] + odds[e] * before[j - 1];
            }
        }
    }

    static void Weigh(uint32_t k,
                      const double* odds,
                      uint32_t n,
                      const double* before,
                      double* after,
                      double* chosen)
    {
        const uint32_t top = Top(k);
        for (uint32_t e = n; e-- > 0;)
        {
            const double* a = before + std::size_t(e) * (top + 1);
            double* previous = after - (top + 1);
            double sum = 0;
            for (uint32_t j = 0; j < top; ++j)
            {
                sum += a[j] * after[j + 1];
                previous[j] = after[j] + odds[e] * after[j + 1];
            }
            previous[top] = after[top];
            after = previous;
            chosen[e] = sum;
        }
    }

    static void MultiplyGroup(uint32_t k,
                              uint32_t limit,
                              const double* a,
                              const double* from,
                              double* to)
    {
        const uint32_t top = Top(k);
        std::copy(from, from + std::size_t(limit + 1) * (top + 1), to);
        for (uint32_t y = 0; y < limit; ++y)
        {
            const double* row = from + std::size_t(y) * (top + 1);
            Row<K> next(to + std::size_t(y + 1) * (top + 1));
            for (uint32_t x = 0; x < top; ++x)
            {
                for (uint32_t j = 1; x + j <= top; ++j)
                {
                    next.Get()[x + j] += row[x] * a[j];
                }
            }
            next.Close();
        }
    }

    static void WeighGroup(uint32_t k,
                           uint32_t limit,
                           const double* upTo,
                           const double* from,
                           double* weight)
    {
        const uint32_t top = Top(k);
        std::fill(weight, weight + top + 1, 0.0);
        Row<K> sum(weight);
        for (uint32_t y = 0; y <= limit; ++y)
        {
            const double* product = upTo + std::size_t(y) * (top + 1);
            const double* same = from + std::size_t(y) * (top + 1);
            for (uint32_t x = 0; x <= top; ++x)
            {
                sum.Get()[0] += product[x] * same[x];
                for (uint32_t j = 1; y < limit && x + j <= top; ++j)
                {
                    sum.Get()[j] += product[x] * same[top + 1 + x + j];
                }
            }
        }
        sum.Close();
    }

    static void WeighFrom(uint32_t k,
                          uint32_t limit,
                          const double* a,
                          const double* next,
                          double* from)
    {
        const uint32_t top = Top(k);
        std::copy(next, next + std::size_t(limit + 1) * (top + 1), from);
        for (uint32_t y = 0; y < limit; ++y)
        {
            const double* weights = next + std::size_t(y + 1) * (top + 1);
            double* row = from + std::size_t(y) * (top + 1);
            for (uint32_t x = 0; x < top; ++x)
            {
                for (uint32_t j = 1; x + j <= top; ++j)
                {
                    row[x] += a[j] * weights[x + j];
                }
            }
        }
    }

    /// @return all of them
    static const ChoicePolynomials& Get()
    {
        static constexpr ChoicePolynomials loops{Extend,
                                                 Weigh,
                                                 MultiplyGroup,
                                                 WeighGroup,
                                                 WeighFrom};
        return loops;
    }
};

} // namespace

const ChoicePolynomials&
ChoicePolynomials::For(uint32_t k)
{
    switch (k)
    {
    case 2:
        return Loops<2>::Get();
    case 4:
        return Loops<4>::Get();
    case 6:
        return Loops<6>::Get();
    case 8:
        return Loops<8>::Get();
    default:
        return Loops<0>::Get();
    }
}

} // namespace ns3
