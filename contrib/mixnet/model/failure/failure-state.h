/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_STATE_H
#define FAILURE_STATE_H

#include "failure-event.h"
#include "failure-target.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What one event changed.
struct FailureEffect
{
    std::vector<EdgeId> broken; //!< links that carry nothing from now on
    std::vector<EdgeId> mended; //!< links that could carry again
    std::vector<EdgeId> rated;  //!< links of another rate: FailureState::GetRate()
    std::vector<EdgeId> erring; //!< links of other bit errors: FailureState::GetBitErrors()
    std::vector<GpuId> gpus;    //!< GPUs of another state: IsDead(), GetFactor()
    bool controller{false};     //!< the controller died or lives again
    std::string why;            //!< of an event without effect: the reason

    /// @return true when nothing changed
    bool IsEmpty() const
    {
        return broken.empty() && mended.empty() && rated.empty() && erring.empty() &&
               gpus.empty() && !controller;
    }
};

/**
 * @ingroup mixnet
 * What is wrong with every element, and what follows for links and GPUs. Pure: no simulator.
 *
 * An element has faults, each with a cause: those without a duration share cause 0 (a later one of
 * the same kind replaces the earlier), one with a duration has a cause of its own and goes by
 * itself. "Up" clears all of an element. A link is broken while any element that it belongs to is
 * down (its NIC, its switch, its server, the OCS port), its rate is the least of all faults, its
 * bit errors add up; a GPU is dead while it or its server is down, and as slow as its worst fault
 * says.
 *
 * Law: when every fault is cleared, everything is as it was built.
 */
class FailureState
{
  public:
    /// @param graph a complete graph; must outlive this. What is down in it for a failure stays
    /// so
    explicit FailureState(const FabricGraph& graph);

    /// @param target an element @return its number; the same for the same element
    std::size_t AddElement(const FailureTarget& target);
    /// @param element its number @return it
    const FailureTarget& GetTarget(std::size_t element) const;

    /// @param element its number @param event down, slow, rate or ber @param cause 0, or unique to
    /// a fault that ends by itself @return what changed
    FailureEffect Strike(std::size_t element, const FailureEvent& event, uint64_t cause);
    /// @param element its number @return what changed: all its faults are over
    FailureEffect Repair(std::size_t element);
    /// @param element its number @param cause of a fault that ends by itself @return what changed
    FailureEffect Expire(std::size_t element, uint64_t cause);

    /// @param element its number @return true while it is down
    bool IsDown(std::size_t element) const;
    /// @param element its number @param action down, slow, rate or ber @return true while a fault
    /// of it does that
    bool Has(std::size_t element, FailureAction action) const;
    /// @param e edge @return true while it carries nothing
    bool IsBroken(EdgeId e) const;
    /// @param e edge @return its rate now
    DataRate GetRate(EdgeId e) const;
    /// @param e edge @return share of bits received wrongly
    double GetBitErrors(EdgeId e) const;
    /// @param g GPU @return true while it is dead
    bool IsDead(GpuId g) const;
    /// @param g GPU @return its times are longer by this
    double GetFactor(GpuId g) const;

  private:
    /// Something wrong with an element.
    struct Fault
    {
        uint64_t cause{0};                         //!< cause
        FailureAction action{FailureAction::DOWN}; //!< what
        double value{0};                           //!< factor, bit/s, share
    };

    /// An element and its faults.
    struct Element
    {
        FailureTarget target;      //!< as the fabric has it
        std::vector<Fault> faults; //!< what is wrong now
    };

    /// @param element element @param faults its new ones @return what changed
    FailureEffect Replace(std::size_t element, std::vector<Fault> faults);
    /// @param faults faults @param action action @return true when one does that
    static bool Has(const std::vector<Fault>& faults, FailureAction action);
    /// Take faults of an element away from (or add them to) its links and GPUs.
    /// @param element element @param faults faults @param add which of the two
    void Apply(const Element& element, const std::vector<Fault>& faults, bool add);

    /// Values that faults put on a link or GPU.
    using Values = std::vector<double>;

    const FabricGraph& m_graph;                                       //!< graph
    std::vector<Element> m_elements;                                  //!< by number
    std::map<std::pair<FailureKind, std::string>, std::size_t> m_ids; //!< by kind and name
    std::vector<uint32_t> m_down;                                     //!< by edge: elements down
    std::vector<uint32_t> m_dead;                                     //!< by GPU: elements down
    std::map<EdgeId, Values> m_rates;                                 //!< by edge: bit/s
    std::map<EdgeId, Values> m_errors;                                //!< by edge: share of bits
    std::map<GpuId, Values> m_factors;                                //!< by GPU: factors
};

} // namespace ns3

#endif // FAILURE_STATE_H
