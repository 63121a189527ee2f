/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FAILURE_HELPER_H
#define MIXNET_FAILURE_HELPER_H

#include "mixnet-fabric-helper.h"

#include "ns3/failure-config.h"
#include "ns3/failure-injector.h"
#include "ns3/regional-controller.h"
#include "ns3/run-result.h"

#include <string>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * Failures of a run: from the settings to the injector, and from its log to the result.
 */

namespace ns3
{

/**
 * @param config what fails
 * @param fabric where
 * @param controllers by region; may be fewer
 * @return what makes it happen, not yet started; null when nothing ever fails
 * @throws InputError when the fabric or its world has no such element, or cannot do it
 */
Ptr<FailureInjector> InstallFailures(const FailureConfig& config,
                                     const MixnetFabric& fabric,
                                     const std::vector<Ptr<RegionalController>>& controllers);

/**
 * After the run.
 *
 * @param run its number
 * @param name of its fabric, for notes
 * @param injector of the run; null: nothing is added
 * @param result out: /failures, and notes
 */
void ReportFailures(uint32_t run,
                    const std::string& name,
                    const Ptr<FailureInjector>& injector,
                    RunResult& result);

} // namespace ns3

#endif // MIXNET_FAILURE_HELPER_H
