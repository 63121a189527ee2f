/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_FABRIC_CONTROL_H
#define FLOW_FABRIC_CONTROL_H

#include "flow-transport.h"

#include "ns3/event-id.h"
#include "ns3/fabric-control.h"
#include "ns3/ptr.h"

#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * FabricControl of the fluid world: a quiesced edge takes no new bytes at once, and is empty when
 * the bytes under way on it have arrived (the latency of the transfers that use it; nothing under
 * way: in the next event).
 */
class FlowFabricControl : public FabricControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FlowFabricControl();
    ~FlowFabricControl() override;

    /// @param transport the world; SetGraph as well
    void SetTransport(Ptr<FlowTransport> transport);

  protected:
    void DoDispose() override;
    void DoQuiesce(Token token, const std::vector<ChannelId>& channels) override;
    void DoResume(Token token, const std::vector<ChannelId>& channels) override;

  private:
    Ptr<FlowTransport> m_transport;     //!< the world
    std::vector<Time> m_emptyAt;        //!< by channel: when it is empty
    std::map<Token, EventId> m_pending; //!< events that tell
};

} // namespace ns3

#endif // FLOW_FABRIC_CONTROL_H
