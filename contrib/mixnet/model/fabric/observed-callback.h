/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_OBSERVED_CALLBACK_H
#define MIXNET_OBSERVED_CALLBACK_H

#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/// Who wants to know whether anybody listens to his trace sources.
class TraceSourceOwner
{
  public:
    /// @param change +1: a trace source got its first sink; -1: it lost its last one
    virtual void CountObservers(int change) = 0;

  protected:
    ~TraceSourceOwner() = default;
};

/**
 * @ingroup mixnet
 * A TracedCallback that tells its owner when somebody begins or ceases to listen, so that the hot
 * path tests one counter and unobserved elements may take things late (FabricElement).
 *
 * @tparam Ts arguments of the sinks
 */
template <typename... Ts>
class ObservedCallback : private TracedCallback<Ts...>
{
  public:
    using TracedCallback<Ts...>::IsEmpty;
    using TracedCallback<Ts...>::operator();

    /// @param owner told of changes; must outlive this
    void SetOwner(TraceSourceOwner* owner)
    {
        m_owner = owner;
    }

    /// @param callback the sink
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
        Update();
    }

    /// @param callback the sink @param path context
    void Connect(const CallbackBase& callback, std::string path)
    {
        TracedCallback<Ts...>::Connect(callback, path);
        Update();
    }

    /// @param callback the sink
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        TracedCallback<Ts...>::DisconnectWithoutContext(callback);
        Update();
    }

    /// @param callback the sink @param path context
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        TracedCallback<Ts...>::Disconnect(callback, path);
        Update();
    }

  private:
    /// Tell the owner if the state changed.
    void Update()
    {
        const bool now = !IsEmpty();
        if (now != m_observed && m_owner)
        {
            m_owner->CountObservers(now ? 1 : -1);
        }
        m_observed = now;
    }

    TraceSourceOwner* m_owner{nullptr}; //!< told of changes
    bool m_observed{false};             //!< somebody listens
};

} // namespace ns3

#endif // MIXNET_OBSERVED_CALLBACK_H
