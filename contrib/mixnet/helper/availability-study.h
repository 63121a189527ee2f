/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_AVAILABILITY_STUDY_H
#define MIXNET_AVAILABILITY_STUDY_H

#include "training-run.h"

#include "ns3/availability-walk.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/run-result.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Days of training under drawn failures (the object "availability" of a scenario): the time of an
 * iteration is simulated healthy and with the first element of each failing kind lost, then a walk
 * (AvailabilityWalk) draws failures and repairs.
 *
 * When several elements are away, an iteration takes between the time with the worst of them alone
 * (stages that are slower do not add up unless they are the same one) and as if what each costs
 * came on top: the walk is made for both, with the same failures.
 */
class AvailabilityStudy
{
  public:
    /// @param scenario its availability is active
    explicit AvailabilityStudy(const Scenario& scenario);

    /// @return the scenario of every run that it needs: healthy, then one for each kind
    const std::vector<Scenario>& GetScenarios() const
    {
        return m_scenarios;
    }

    /**
     * @param variant whose runs these are
     * @param runs results of GetScenarios()
     * @param name of the variant, for notes
     * @param result in and out: of the variant; gets /availability, /availability_states and notes
     */
    void Add(const RunVariant& variant,
             const std::vector<RunResult>& runs,
             const std::string& name,
             RunResult& result) const;

  private:
    /// @param variant variant @param runs results @return what fails, with its downtime
    std::vector<FailingKind> MakeKinds(const RunVariant& variant,
                                       const std::vector<RunResult>& runs) const;

    Scenario m_scenario;               //!< the user's
    std::vector<Scenario> m_scenarios; //!< to run
    std::vector<FailureKind> m_kinds;  //!< that fail, by run from 1 on
};

} // namespace ns3

#endif // MIXNET_AVAILABILITY_STUDY_H
