/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-test-case.h"

#include "ns3/greedy-circuit-planner.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/reconfiguration-policies.h"

using namespace ns3;

namespace
{

/**
 * One EP group of 8 servers at alpha 6 runs L layers forward, then backward, for M micro-batches;
 * each (layer, micro-batch) has a demand of its own, so that every new demand needs a new plan.
 *
 * Rule: per micro-batch the plans asked for are L (forward, layers up) and L (backward, layers
 * down); the last forward and the first backward layer are the same, hence kept: 2 L - 1
 * reconfigurations, for `paper` and `previous` alike. They differ in who waits. With dark time S,
 * attention A and experts E:
 *   paper     dispatch S, combine 0;               backward combine max(0, S - A)
 *   previous  dispatch 0, combine max(0, S - E);   backward combine max(0, S - A)
 *   predicted first iteration as previous; then dispatch max(0, S - A), combine 0, since the same
 *             demand comes again in every iteration; backward combine max(0, S - A)
 * `per-iteration` reconfigures twice per iteration: the first dispatch waits S for the sum of the
 * last iteration, the first backward combine max(0, S - A) for the sum so far (one micro-batch).
 * With recomputation the first all-to-all of a layer's backward pass is the recomputed dispatch: it
 * waits in place of the backward combine, and the other three of the layer find their circuits.
 * `never` has 0 and waits for nobody; `gain` is `paper` if S is nothing and `never` if S is large.
 */
class PolicyCase : public OpticalCase
{
  public:
    /// @param policy which @param dark planning and switching in microseconds @param planning of
    /// these
    /// @param recomputes the forward pass comes again before the backward pass of a layer
    PolicyCase(const std::string& policy, int64_t dark, int64_t planning, bool recomputes)
        : OpticalCase("policy " + policy + ", dark time " + std::to_string(dark) +
                      " us, of these " + std::to_string(planning) + " us planning" +
                      (recomputes ? ", recomputed" : "")),
          m_policy(policy),
          m_dark(MicroSeconds(dark)),
          m_planning(MicroSeconds(planning)),
          m_recomputes(recomputes)
    {
    }

  private:
    static constexpr uint32_t L = 3; //!< layers
    static constexpr uint32_t M = 2; //!< micro-batches
    static constexpr uint32_t I = 2; //!< iterations

    /// Four pairs that share no server, others for each layer and micro-batch (a round of a
    /// tournament): 100 MB take 2 ms over the EPS and a sixth of it over the six circuits that the
    /// greedy planner gives them.
    DemandMatrix Demand(uint32_t layer, uint32_t microBatch) const
    {
        const uint32_t round = layer + L * microBatch;
        DemandMatrix demand(8, 8, 0);
        for (uint32_t k = 0; k < 4; ++k)
        {
            const uint32_t a = k == 0 ? 7 : (round + k) % 7;
            demand(a, (round + 7 - k) % 7) = 100000000;
        }
        return demand;
    }

    /// The steps of one micro-batch: attention, dispatch, experts, combine; backward mirrored.
    void Next()
    {
        const uint32_t forward = 2 * L;
        const uint32_t perLayer = m_recomputes ? 4 : 2; // of the backward pass
        const uint32_t perBatch = forward + perLayer * L;
        if (m_step == perBatch * M * I)
        {
            return;
        }
        const uint32_t microBatch = m_step / perBatch % M;
        const uint32_t within = m_step % perBatch;
        const uint32_t back = within - forward;
        const bool backward = within >= forward;
        m_id = AllToAllId{
            m_step / (perBatch * M),
            backward ? L - 1 - back / perLayer : within / 2,
            microBatch,
            static_cast<AllToAllPhase>(backward ? 6 - perLayer + back % perLayer : within % 2)};
        m_demand = Demand(m_id.layer, microBatch);
        if (IsTransposed(m_id.phase))
        {
            m_demand = Transpose(m_demand);
        }
        if (m_recomputes && m_id.phase == AllToAllPhase::BACKWARD_COMBINE)
        {
            Ready(); // at once after the recomputed combine
            return;
        }
        // Operation before: attention before the first all-to-all of a pass, experts before the
        // second one.
        const Time compute = IsTransposed(m_id.phase) ? m_experts : m_attention;
        controller->Announce(m_id, m_demand);
        Simulator::Schedule(compute, &PolicyCase::Ready, this);
    }

    void Ready()
    {
        m_ready = Simulator::Now();
        controller->Request(m_id, m_demand, MakeCallback(&PolicyCase::Start, this));
        NS_TEST_EXPECT_MSG_EQ((m_id.layer < L), true, "start is not called inside Request");
    }

    void Start()
    {
        m_waits[m_id.phase].push_back(Simulator::Now() - m_ready);
        Simulator::Schedule(MicroSeconds(10), &PolicyCase::Over, this);
    }

    void Over()
    {
        controller->Finish(m_id);
        ++m_step;
        Next();
    }

    static DemandMatrix Transpose(const DemandMatrix& d)
    {
        DemandMatrix t(d.Columns(), d.Rows());
        for (std::size_t i = 0; i < d.Rows(); ++i)
        {
            for (std::size_t j = 0; j < d.Columns(); ++j)
            {
                t(j, i) = d(i, j);
            }
        }
        return t;
    }

    /// @param phase phase @param kept waits that are zero, because nothing changed @param wait of
    /// all others
    void ExpectWaits(AllToAllPhase phase, uint32_t kept, Time wait)
    {
        NS_TEST_ASSERT_MSG_EQ(m_waits[phase].size(), L * M * I, ns3::GetName(phase));
        uint32_t zero = 0;
        for (const Time& t : m_waits[phase])
        {
            const bool expected = t == wait || t.IsZero();
            NS_TEST_EXPECT_MSG_EQ(expected, true, ns3::GetName(phase) << " waits " << t);
            zero += t.IsZero() ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(zero, (wait.IsZero() ? L * M * I : kept), ns3::GetName(phase));
    }

    void DoRun() override
    {
        Build(8, 6);
        ObjectFactory factory;
        factory.SetTypeId("ns3::" + m_policy + "ReconfigurationPolicy");
        controller->SetAttribute("ReconfigurationPolicy",
                                 PointerValue(factory.Create<ReconfigurationPolicy>()));
        controller->SetAttribute("SwitchingDelay", TimeValue(m_dark - m_planning));
        auto planner = CreateObject<GreedyCircuitPlanner>();
        planner->SetAttribute("PlanningTime", TimeValue(m_planning));
        controller->SetAttribute("CircuitPlanner", PointerValue(planner));
        controller->SetAverageDemand(Demand(1, 1));
        controller->Start();
        NS_TEST_EXPECT_MSG_EQ(controller->GetPlan().GetTotal(), 24, "initial plan");
        Simulator::ScheduleNow(&PolicyCase::Next, this);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_step, (m_recomputes ? 6 : 4) * L * M * I, "all all-to-alls ran");
        const AllToAllPhase back =
            m_recomputes ? AllToAllPhase::RECOMPUTED_DISPATCH : AllToAllPhase::BACKWARD_COMBINE;
        if (m_recomputes)
        {
            ExpectWaits(AllToAllPhase::RECOMPUTED_COMBINE, 0, Time(0));
            ExpectWaits(AllToAllPhase::BACKWARD_COMBINE, 0, Time(0));
        }

        const Time zero(0);
        const Time hidden = std::max(zero, m_dark - m_attention);
        if (m_policy == "PerIteration")
        {
            NS_TEST_EXPECT_MSG_EQ(reconfigurations.size(), 2 * I, "once forward, once backward");
            ExpectWaits(AllToAllPhase::FORWARD_DISPATCH, (L * M - 1) * I, m_dark);
            ExpectWaits(AllToAllPhase::FORWARD_COMBINE, 0, zero);
            ExpectWaits(back, (L * M - 1) * I, hidden);
            ExpectWaits(AllToAllPhase::BACKWARD_DISPATCH, 0, zero);
            return;
        }
        const bool predicted = m_policy == "Predicted";
        const bool active = m_policy == "Paper" || m_policy == "Previous" || predicted ||
                            (m_policy == "Gain" && m_dark < MilliSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(reconfigurations.size(),
                              (active ? I * M * (2 * L - 1) : 0),
                              "reconfigurations");
        const bool previous = m_policy == "Previous";
        const Time corrected = std::max(zero, m_dark - m_experts);
        ExpectWaits(AllToAllPhase::FORWARD_DISPATCH,
                    predicted ? L * M : 0,
                    predicted             ? hidden
                    : active && !previous ? m_dark
                                          : zero);
        ExpectWaits(AllToAllPhase::FORWARD_COMBINE,
                    predicted ? L * M : 0,
                    previous || predicted ? corrected : zero);
        ExpectWaits(back, M * I, active ? hidden : zero);
        ExpectWaits(AllToAllPhase::BACKWARD_DISPATCH, 0, zero);
    }

    std::string m_policy;                               //!< which
    Time m_dark;                                        //!< planning and switching
    Time m_planning;                                    //!< of these
    bool m_recomputes;                                  //!< six all-to-alls per layer
    Time m_attention{MilliSeconds(10)};                 //!< compute before the first all-to-all
    Time m_experts{MilliSeconds(20)};                   //!< compute before the second one
    uint32_t m_step{0};                                 //!< all-to-alls done
    AllToAllId m_id;                                    //!< present one
    DemandMatrix m_demand;                              //!< its demand
    Time m_ready;                                       //!< when it was ready
    std::map<AllToAllPhase, std::vector<Time>> m_waits; //!< from ready to start
};

/// The suite.
class OpticalPolicyTestSuite : public TestSuite
{
  public:
    OpticalPolicyTestSuite()
        : TestSuite("mixnet-optical-policy", TestSuite::Type::UNIT)
    {
        for (const char* policy :
             {"Paper", "Previous", "Predicted", "PerIteration", "Never", "Gain"})
        {
            for (const bool recomputes : {false, true})
            {
                for (const int64_t dark : {1, 25000, 10000000})
                {
                    AddTestCase(new PolicyCase(policy, dark, 0, recomputes));
                }
                AddTestCase(new PolicyCase(policy, 25000, 5000, recomputes));
            }
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalPolicyTestSuite g_opticalPolicyTestSuite; //!< registers the suite

} // namespace
