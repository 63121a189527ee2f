/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_SWITCH_H
#define OPTICAL_SWITCH_H

#include "ns3/fabric-element.h"
#include "ns3/fabric-graph.h"
#include "ns3/frame.h"
#include "ns3/mixnet-ids.h"
#include "ns3/mixnet-port.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * An optical circuit switch in the packet world: no buffer, no rate of its own, no serialization.
 * A frame whose last byte reaches a port goes on over the fiber of the port that its light goes to
 * and arrives that fiber's propagation later. Circuits may be simplex: the light that a port sends
 * and the light it gets are matched apart.
 *
 * The matching and the light are the graph's; the switch follows its changes. A frame whose
 * passage (first to last byte) is not wholly within the time that its circuit was lit is lost:
 * counted here and as DropReason::DARK at the port it came in by. A passage that ends at the
 * instant of a change belongs to the time before it.
 *
 * Laws: frames received = forwarded + lost; no byte passes in the dark.
 */
class OpticalSwitch : public Object, public FrameReceiver
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    OpticalSwitch();
    ~OpticalSwitch() override;

    /// For PacketWorld::SetOcsFactory. @param graph bound first: the graph to follow @param ocs
    /// which vertex @param node its node @param ports its ports @return an optical switch
    static Ptr<Object> Make(Ptr<FabricGraph> graph,
                            VertexId ocs,
                            Ptr<Node> node,
                            const std::vector<Ptr<MixnetPort>>& ports);

    /**
     * @param graph the graph to follow
     * @param ocs which vertex this is
     * @param context ns-3 context (node id) of its events
     */
    void Setup(Ptr<FabricGraph> graph, VertexId ocs, uint32_t context);

    /// @param port the next port, in the order of the vertex's ports, before its link is attached
    void AddPort(Ptr<MixnetPort> port);

    /// @return where its ports belong
    FabricElement& GetElement();

    /// @param port port @return true when its light goes to a port and both fibers carry light
    bool IsLit(uint32_t port) const;

    /// @return frames that went through
    uint64_t GetForwarded() const;
    /// @return frames lost in the dark
    uint64_t GetLost() const;

    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override;
    MixnetPort* FindNext(const Frame& frame, const MixnetPort& in) override;

    /// TracedCallback signature for lost frames. @param frame the frame @param port it came in by
    typedef void (*LostTracedCallback)(const Frame& frame, uint32_t port);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t DARK = UINT32_MAX; //!< no circuit, or no light on it

    /// Where the light of a port goes.
    struct Light
    {
        uint32_t peer{DARK}; //!< port it goes out by
        SimTick since{0};    //!< lit since
    };

    /// @param change what happened to the graph
    void Follow(const GraphChange& change);
    /// @param port port @return where its light goes according to the graph
    uint32_t Look(uint32_t port) const;

    /// @param frame a frame @param in where it came in @param since lit since @param now its end
    /// @return true when all of it passed in the light
    static bool IsWhole(const Frame& frame, const MixnetPort& in, SimTick since, SimTick now);

    Ptr<FabricGraph> m_graph;                           //!< whom to follow
    VertexId m_ocs;                                     //!< which vertex
    std::unique_ptr<FabricElement> m_element;           //!< its ports' element
    std::vector<Ptr<MixnetPort>> m_ports;               //!< by port
    std::vector<Light> m_light;                         //!< by port
    uint64_t m_forwarded{0};                            //!< frames
    uint64_t m_lost{0};                                 //!< frames
    TracedCallback<const Frame&, uint32_t> m_lostTrace; //!< lost in the dark
};

} // namespace ns3

#endif // OPTICAL_SWITCH_H
