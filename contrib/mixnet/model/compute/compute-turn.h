/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPUTE_TURN_H
#define MIXNET_COMPUTE_TURN_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// Who takes turns at a ComputeTurn.
class TurnTaker
{
  public:
    virtual ~TurnTaker() = default;
    /// It is its turn now. @param op operation that ended now and let it go on
    virtual void OnTurn(uint32_t op) = 0;
};

/**
 * @ingroup mixnet
 * The GPUs of a stage: one pass computes at a time, the others wait in order of arrival. A pass
 * keeps its turn from one all-to-all to the next. Pure.
 */
class ComputeTurn
{
  public:
    /// @param who asks @return true when it is its turn; else it is told later
    bool Take(TurnTaker& who)
    {
        if (m_holder == nullptr)
        {
            m_holder = &who;
        }
        else if (m_holder != &who)
        {
            m_waiting.push_back(&who);
        }
        return m_holder == &who;
    }

    /// Let the next one compute, if `who` did. @param who was computing @param op its last
    /// operation, which ended now
    void Release(const TurnTaker& who, uint32_t op)
    {
        if (m_holder != &who)
        {
            return;
        }
        m_holder = nullptr;
        if (!m_waiting.empty())
        {
            m_holder = m_waiting.front();
            m_waiting.erase(m_waiting.begin());
            m_holder->OnTurn(op);
        }
    }

    /// Forget all.
    void Reset()
    {
        m_holder = nullptr;
        m_waiting.clear();
    }

  private:
    TurnTaker* m_holder{nullptr};      //!< computes
    std::vector<TurnTaker*> m_waiting; //!< in order of arrival
};

} // namespace ns3

#endif // MIXNET_COMPUTE_TURN_H
