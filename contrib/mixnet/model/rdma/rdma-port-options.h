/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_OPTIONS_H
#define RDMA_PORT_OPTIONS_H

#include "class-chooser.h"
#include "qp-scheduler.h"
#include "qp-scheduling.h"
#include "rdma-host-bus.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup mixnet
 * What a NIC port has beyond one class, turns of one packet and an unlimited host: a port without
 * it (the default) pays one test of a pointer per packet.
 */
class RdmaPortOptions
{
  public:
    ClassChooser chooser;              //!< between classes
    QpScheduling* scheduling{nullptr}; //!< between queue pairs of a class; null: round robin
    std::unique_ptr<RdmaHostBus> bus;  //!< null: unlimited

    /// @param priority class @param scheduler what waits there
    void SetScheduler(uint8_t priority, QpScheduler&& scheduler)
    {
        m_used |= static_cast<uint8_t>(1U << priority);
        m_schedulers[priority] = std::move(scheduler);
    }

    /// @param qp may send, not queued
    void Add(QpSender& qp)
    {
        m_used |= static_cast<uint8_t>(1U << qp.trafficClass);
        m_schedulers[qp.trafficClass].Add(qp);
    }

    /**
     * @param table the queue pairs @param open classes that are not paused @param now the present
     * @param retry out, when null is returned: when to ask again
     * @return whose turn it is
     */
    QpSender* Take(QpTable& table, uint8_t open, SimTick now, SimTick& retry);

    /// @param qp that was taken, has sent @param wireBytes of its packet @param payload of it
    /// @param now the present
    void OnSent(QpSender& qp, uint32_t wireBytes, uint32_t payload, SimTick now);

  private:
    std::array<QpScheduler, N_PRIORITIES> m_schedulers; //!< by class
    uint8_t m_used{0};                                  //!< classes that ever had something
};

} // namespace ns3

#endif // RDMA_PORT_OPTIONS_H
