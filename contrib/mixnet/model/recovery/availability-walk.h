/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_AVAILABILITY_WALK_H
#define MIXNET_AVAILABILITY_WALK_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * One kind of element that fails and is repaired in a long walk. Times are seconds in double
 * precision: the clock of the simulator ends after 106 days.
 */
struct FailingKind
{
    std::string name;       //!< "nic", "gpu", "server"
    uint32_t elements{0};   //!< number of them that the job uses
    double mtbf{0};         //!< mean time between failures of one, exponential; 0: never
    double mttr{0};         //!< mean time to repair one, exponential
    bool stopsRanks{false}; //!< ranks are lost: state is restored, from a spare or after repair
    uint32_t pools{1};      //!< places that the elements are spread over evenly (regions)
    uint32_t spares{0};     //!< of each pool: stand in for elements of it, when ranks are lost
    bool fallsBack{false};  //!< without a spare, one of the next kind stands in (a whole server)
    double downtime{0};     //!< of the job when a spare stands in: detection, restore, restart
    double restart{0};      //!< of the job after a repair that it had to wait for
    bool losesWork{false};  //!< the job goes back to its last checkpoint
};

/// How many elements of each kind are away, by kind. Of a kind with spares: how many stand in.
using DegradedState = std::vector<uint32_t>;

/// Time of one iteration in a degraded state.
class IterationTimes
{
  public:
    virtual ~IterationTimes() = default;
    /// @param state what is away @return seconds of one iteration
    virtual double GetTime(const DegradedState& state) = 0;
};

/// What a long walk came to; times in seconds.
struct AvailabilityResult
{
    double horizon{0};                           //!< simulated time
    double up{0};                                //!< iterations made progress, kept or lost later
    double saving{0};                            //!< stood still for checkpoints
    double restoring{0};                         //!< detection, restore, restart
    double waiting{0};                           //!< no spare: waited for a repair
    double lost{0};                              //!< of `up`: work that had to be done again
    uint64_t losses{0};                          //!< how often
    double shrunk{0};                            //!< of `up`: with fewer replicas
    double usefulIterations{0};                  //!< of whole batches, not done again later
    uint64_t checkpoints{0};                     //!< written
    std::vector<uint64_t> failures;              //!< by kind
    std::map<DegradedState, double> timeByState; //!< of `up`
    double healthyIteration{0};                  //!< time of an iteration when nothing is away

    /// @return share of the horizon in which iterations made progress
    double GetAvailability() const
    {
        return up / horizon;
    }

    /// @return useful iterations over those of a horizon without any failure or checkpoint
    double GetGoodput() const
    {
        return usefulIterations * healthyIteration / horizon;
    }
};

/// When checkpoints are written in a long walk.
struct WalkCheckpoints
{
    uint32_t interval{0}; //!< iterations between two; 0: none, the job goes back to its start
    double blocking{0};   //!< seconds; training stands still for each
};

/**
 * @ingroup mixnet
 * Days of training under drawn failures, iteration by iteration in closed form between events:
 * elements fail and are repaired as independent exponential renewal processes (one aggregate rate
 * per kind: elements in service x 1 / MTBF), the job goes on in a degraded state at the iteration
 * time of that state, stands still while state is restored, waits for a repair when no spare is
 * left, and goes back to its last checkpoint when a failure loses its state.
 *
 * Spares: an element is replaced by a spare of its pool, else, where its kind falls back, by one of
 * the next kind, else it is unserved. A job that shrinks goes on without a replica for each element
 * that is unserved (as if each were in another one: never better than it is), with so much less of
 * the batch, and takes the replica back after the repair; when no replica is left it waits.
 *
 * Laws: horizon = up + saving + restoring + waiting; up = time of useful iterations + lost. One
 * element without spares: availability tends to MTBF / (MTBF + MTTR); work lost per failure tends
 * to half a checkpoint interval (renewal theory).
 *
 * Pure: no Simulator; randomness from one stream.
 */
class AvailabilityWalk
{
  public:
    /**
     * @param kinds what fails
     * @param checkpoints when state is saved
     * @param times time of an iteration by state; asked once for every state
     * @param stream of the draws: an exponential variable with mean 1
     */
    AvailabilityWalk(std::vector<FailingKind> kinds,
                     const WalkCheckpoints& checkpoints,
                     IterationTimes& times,
                     Ptr<ExponentialRandomVariable> stream);

    /// @param replicas that the job can shrink by, but for the last; 0: it waits instead
    void SetReplicas(uint32_t replicas)
    {
        m_replicas = replicas;
    }

    /// @param horizon seconds to walk @return what it came to
    AvailabilityResult Run(double horizon);

  private:
    /// A pool of a kind on its way.
    struct Course
    {
        std::size_t kind{0};  //!< kind
        uint32_t elements{0}; //!< of the pool
        uint32_t away{0};     //!< elements being repaired
        double failure{0};    //!< seconds until the next failure; infinite: never
        double repair{0};     //!< seconds until the next repair; infinite: none is away
    };

    /// What the job is doing.
    enum class Phase : uint8_t
    {
        RUNNING,   //!< iterations
        SAVING,    //!< a checkpoint
        RESTORING, //!< detection, restore, restart
        WAITING    //!< for a repair
    };

    /// Draw when a pool has its next failure and repair. @param course pool
    void Draw(Course& course);
    /// @return seconds until the job itself does something: a checkpoint is due or phase ends
    double GetJobTime() const;
    /// @param seconds let them pass @param result in and out
    void Advance(double seconds, AvailabilityResult& result);
    /// The job's own event. @param result in and out
    void StepJob(AvailabilityResult& result);
    /// @param course an element of it fails @param result in and out
    void Fail(Course& course, AvailabilityResult& result);
    /// @param course an element of it is repaired
    void Repair(Course& course);
    /// @return the pool whose failure or repair is next; null: none ever
    Course* FindNext();
    /// Take over the state of the elements.
    void UpdateState();
    /// @return elements with ranks that are away and that no spare replaces
    uint32_t CountUnserved() const;
    /// @return true when the job cannot go on
    bool LacksRanks() const;
    /// @param rollback back to the checkpoint, not to the iteration @param result in and out
    void LoseWork(bool rollback, AvailabilityResult& result);
    /// @param seconds stand still for so long, while state is restored
    void Restore(double seconds);

    std::vector<FailingKind> m_kinds;        //!< what fails
    WalkCheckpoints m_checkpoints;           //!< when state is saved
    IterationTimes& m_times;                 //!< by state
    Ptr<ExponentialRandomVariable> m_stream; //!< mean 1
    std::map<DegradedState, double> m_memo;  //!< seconds of an iteration
    std::vector<Course> m_courses;           //!< pools, by kind
    uint32_t m_replicas{0};                  //!< of a job that shrinks
    DegradedState m_state;                   //!< now
    Phase m_phase{Phase::RUNNING};           //!< now
    double m_iteration{1};                   //!< seconds of an iteration now
    double m_left{0};                        //!< seconds of the phase, unless RUNNING
    double m_done{0};                        //!< iterations since the last checkpoint
    double m_doneSeconds{0};                 //!< seconds that they took
    double m_doneUseful{0};                  //!< whole batches in them
    double m_partSeconds{0};                 //!< of these, in the iteration under way
    double m_share{1};                       //!< of a batch in an iteration now
};

} // namespace ns3

#endif // MIXNET_AVAILABILITY_WALK_H
