/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SCENARIO_H
#define MIXNET_SCENARIO_H

#include "compute-config.h"
#include "expert-config.h"
#include "failure-config.h"
#include "gate-config.h"
#include "recovery-config.h"
#include "routing-config.h"
#include "switch-config.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-graph.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/optical-loss-budget.h"
#include "ns3/settings-log.h"
#include "ns3/training-job.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Which world moves the bytes.
enum class Fidelity : uint8_t
{
    PACKET, //!< every RoCE packet
    FLOW    //!< max-min fair rates
};

/// @param f fidelity @return "packet", "flow"
const char* GetName(Fidelity f);

/// @param name "packet" or "flow" @param where for the message @return the fidelity
/// @throws InputError for another name
Fidelity ParseFidelity(const std::string& name, const std::string& where);

/// Servers, NICs and switches: the substrate that all fabrics share (design, decision 6).
struct ClusterConfig
{
    uint32_t servers{0};             //!< number of servers
    uint32_t gpusPerServer{8};       //!< GPUs in the scale-up domain
    uint32_t nicsPerServer{8};       //!< NICs, EPS and OCS together
    uint32_t numaNodes{2};           //!< NUMA nodes of a server
    DataRate numaLinkRate{0};        //!< between two NUMA nodes, per direction; 0: without limit
    Time numaLinkDelay;              //!< of a crossing between NUMA nodes
    std::string nicAccess{"gather"}; //!< "gather", "pcie": whose memory NICs read and write
    DataRate nicRate;                //!< per NIC and direction
    Time linkDelay;                  //!< per link or fiber
    DataRate scaleUpRate;            //!< per GPU and direction
    uint32_t switchRadix{16};        //!< ports of a packet switch
    ByteCount switchBuffer;          //!< shared buffer of a packet switch
    uint64_t gpuPeak{0};             //!< FLOP/s
    double gpuEfficiency{0.5};       //!< share of the peak that is reached
    DataRate gpuMemoryRate;          //!< HBM
};

/// Regions and their optical circuit switches.
struct OpticalConfig
{
    uint32_t alpha{6};                     //!< NICs of a server on the OCS
    uint32_t serversPerRegion{0};          //!< 0: the block that holds an EP group
    uint32_t switchesPerRegion{1};         //!< optical switches that share the fibers of a region
    std::string technology{"abstract"};    //!< "abstract" or a name of the technology table
    uint32_t switchPorts{0};               //!< of an abstract switch; 0: as many as asked for
    Time switchingDelay{MilliSeconds(25)}; //!< mirrors: constant, or what decisions expect
    std::string switchingVariable;    //!< a random variable in seconds, "ns3::...[...]"; or empty
    std::string switchingTable;       //!< measured delays by pairs; or empty
    Time activationTime;              //!< transceivers
    Time controlLatency;              //!< demand and command
    Time drainTimeout;                //!< 0: without limit
    std::string drainPolicy{"drain"}; //!< "drain", "immediate", "make-before-break", "bounded"
    std::string heldTraffic{"wait"};  //!< "wait" or "move"
    std::string newTraffic{"lit"};    //!< "lit" or "wait"
    std::string darkScope{"changed"}; //!< "changed" or "region"
    std::string circuits{"duplex"};   //!< "duplex" or "simplex"
    std::string planner{"greedy"};    //!< "greedy", "finish-time", "matching", "birkhoff",
                                      //!< "exhaustive", "uniform", "rotor", or a class
    std::string greedyRule{"skip"};   //!< "skip", "break", "artifact"
    bool keepUseful{false};           //!< keep circuits that are as good as new ones
    Time planningTime;                //!< simulated time that a plan takes
    std::string nicMapping{"numa"};   //!< "numa" or "lowest": NICs of parallel circuits
    std::optional<OpticalLossBudget> lossBudget; //!< none: light is received without error
    /// "last-iteration", "last-layer", "average", "copilot", "uniform", or a class
    std::string predictor{"last-iteration"};
};

/// RDMA and the packet world.
struct TransportConfig
{
    ByteCount payload{4096}; //!< per packet
    /// "dcqcn", "hpcc", "swift", "timely", "dctcp", "none"
    std::string congestionControl{"dcqcn"};
    std::string congestionType{"ns3::DcqcnCongestionControl"}; //!< its TypeId name
    /// Its attributes by name, all of them.
    std::vector<std::pair<std::string, std::string>> congestion;
    std::string lossRecovery{"go-back-n"};    //!< "go-back-n", "selective-repeat"
    std::string recoveryType{"ns3::GoBackN"}; //!< its TypeId name
    /// Its attributes by name, all but the packets per acknowledgement.
    std::vector<std::pair<std::string, std::string>> recovery;
    std::string window{"none"};         //!< "none", "bdp", "variable"
    ByteCount ecnKmin{100000};          //!< at 25 Gb/s
    ByteCount ecnKmax{400000};          //!< at 25 Gb/s
    double ecnPmax{0.2};                //!< largest probability of a mark below ecnKmax
    uint32_t ackInterval{4};            //!< packets per acknowledgement
    uint32_t stripePackets{1};          //!< lot of a circuit that is shared by packet
    std::string loadBalance{"default"}; //!< "default", "ideal", "per-flow", "flowlet",
                                        //!< "spray", "random-spray"
    Time flowletGap{MicroSeconds(100)}; //!< with "flowlet"
};

/// What a result holds beside its figures.
struct RecordConfig
{
    bool controllerDemand{true}; //!< demand matrices that controllers saw
    std::string tasks{"auto"};   //!< of task graphs: "auto" (up to a million), "all", "none"
};

class JsonReader;

/// @param m the object "model", its preset under it @return what it says
/// @throws InputError when a key is missing or not accepted
ModelSpec ReadModelSpec(const JsonReader& m);

/**
 * A strategy: a short name, or a class with attributes, "ns3::X[Name=value]", such as one's own.
 *
 * @param o object that holds it
 * @param key its key
 * @param names short names, the default first
 * @param contract class that it must derive from
 * @param what how messages call it
 * @return it, as written
 * @throws InputError when it is not accepted
 */
std::string ReadStrategy(const JsonReader& o,
                         const std::string& key,
                         const std::vector<std::string>& names,
                         TypeId contract,
                         const std::string& what);

/// @param c object "cluster" @param cluster out: its keys about the insides of servers
/// @throws InputError when one is not accepted
void ReadServers(const JsonReader& c, ClusterConfig& cluster);

/// @param cluster servers @return what each has
ServerSpec MakeServerSpec(const ClusterConfig& cluster);

/**
 * @param o object "optical", or a fabric
 * @param base values that a fabric does not give; null for the object "optical", which logs all
 * @return what it says
 * @throws InputError when it is not accepted
 */
OpticalConfig ReadOptical(const JsonReader& o, const OpticalConfig* base);

/// @param t the object "transport" @return what it says @throws InputError when it is not accepted
TransportConfig ReadTransport(const JsonReader& t);

/// One fabric to simulate.
struct FabricConfig
{
    std::string type;             //!< "fat-tree", "rail-optimized", "topoopt", "mixnet"
    std::string name;             //!< row in the table
    std::string oversubscription; //!< fat-tree only, "1:1"
    uint32_t panelPorts{0};       //!< topoopt only: ports of a patch panel; 0: one takes all NICs
    std::string policy;           //!< mixnet only, of GetPolicies() or a class
    OpticalConfig optical;        //!< the scenario's, with this fabric's own values
    RoutingConfig routing;        //!< likewise
};

/// @return accepted types of fabrics
std::vector<std::string> GetFabricTypes();
/// @return accepted reconfiguration policies, the default first
std::vector<std::string> GetPolicies();

/**
 * @param fabric a fabric
 * @param cluster its servers
 * @param where file and key, for the message
 * @throws InputError when its type, policy or alpha is not known or does not fit
 */
void CheckFabric(const FabricConfig& fabric,
                 const ClusterConfig& cluster,
                 const std::string& where);

/**
 * @ingroup mixnet
 * A scenario: plain data, read and checked. Every combination of fabrics and compute models is a
 * run.
 */
struct Scenario
{
    std::string file;                  //!< where it was read from, for messages
    std::string name;                  //!< name
    TrainingJob job;                   //!< model, layout, batch, iterations
    std::string schedule;              //!< "1f1b", "gpipe", "interleaved", "1f1b-overlap", "zb-h1"
    GateConfig gate;                   //!< token routing
    ExpertConfig experts;              //!< where the experts are
    std::vector<std::string> compute;  //!< "roofline", "paper", "measured"
    ComputeConfig computing;           //!< measured times
    ClusterConfig cluster;             //!< substrate
    OpticalConfig optical;             //!< circuits
    RoutingConfig routing;             //!< which way
    TransportConfig transport;         //!< endpoints
    SwitchConfig switches;             //!< packet switches
    FailureConfig failures;            //!< what fails
    RecoveryConfig recovery;           //!< what the job does then
    AvailabilityConfig availability;   //!< a long walk
    RecordConfig record;               //!< what to keep
    bool twin{false};                  //!< run everything again without failures, to compare
    std::vector<FabricConfig> fabrics; //!< what to compare
    Fidelity fidelity{Fidelity::FLOW}; //!< which world
    uint64_t seed{1};                  //!< ns-3 run number
    Time stopTime;                     //!< 0: until the work is done
    SettingsLog settings;              //!< everything effective
    std::vector<std::pair<std::string, std::string>> inputs; //!< what was read and its hash
};

/// @param name of a scenario, part of a path @param where for the message
/// @throws InputError when it is empty or would leave its folder
void CheckName(const std::string& name, const std::string& where);

/// @param cluster rates and sizes @param where file and key, for the message
/// @throws InputError when a value is outside of what the models can hold
void CheckCluster(const ClusterConfig& cluster, const std::string& where);

/// @param scenario whose fidelity and fabrics are known @param where for the message
/// @throws InputError when it has a loss budget that its fidelity does not know
void CheckLossBudget(const Scenario& scenario, const std::string& where);

/// @param scenario whose job and fabrics are known @param where for the message
/// @throws InputError when a fabric's all-to-all cannot send one copy per server
void CheckDeduplication(const Scenario& scenario, const std::string& where);

/// @param scenario whose layout, batch and schedule are known @param where for the message
/// @throws InputError when the schedule cannot run so many chunks or micro-batches
void CheckSchedule(const Scenario& scenario, const std::string& where);

/// @param scenario whose fidelity and load balancing are known @param where for the message
/// @throws InputError when they do not go together
void CheckLoadBalance(const Scenario& scenario, const std::string& where);

/// @param scenario a scenario @param fabric one of its fabrics @return where its spares are
SparePlan GetSparePlan(const Scenario& scenario, const FabricConfig& fabric);

/// @param scenario whose recovery and fabrics are known @param where for the message
/// @throws InputError when a fabric has spares that nothing reaches
void CheckRecovery(const Scenario& scenario, const std::string& where);

/// @param scenario a scenario @param fabric one of its fabrics, with regions
/// @return servers of a region: as set, or those of one EP group
uint32_t GetServersPerRegion(const Scenario& scenario, const FabricConfig& fabric);

/// Overrides from the command line: dotted key and value.
using ScenarioOverrides = std::vector<std::pair<std::string, std::string>>;

/**
 * @ingroup mixnet
 * Read a scenario.
 *
 * @param path JSON file
 * @param workloads folder of presets and traces; relative paths are tried there when they are not
 * beside the scenario
 * @param overrides command line
 * @return checked scenario
 * @throws InputError naming file, key, value and what is accepted
 */
Scenario ReadScenario(const std::string& path,
                      const std::string& workloads,
                      const ScenarioOverrides& overrides);

/// What is replayed in place of a training job, and what it needs.
struct ReplayKind
{
    std::string file;          //!< flow list or task graph, for messages
    std::string name;          //!< of the result, unless the settings give one
    std::string what;          //!< what needs GPUs, e.g. "12 ranks"
    uint64_t gpus{0};          //!< GPUs that it needs
    bool serversWillDo{false}; //!< as many servers are enough, whatever GPUs they have
    bool wholeServers{false};  //!< idle GPUs only where the number of servers is given
    bool imported{false};      //!< the fabric comes from a topology file
    std::string fabric;        //!< its name then
};

/**
 * @ingroup mixnet
 * Read the settings of a replay: cluster, fabrics (default: a fat-tree), optical, routing,
 * transport, switch, fidelity, seed, stopTime; on an imported topology only transport, switch and
 * cluster.switchBuffer of these. Circuits are planned once: the policy is "never".
 *
 * @param path JSON file with these keys, or empty
 * @param workloads folder of presets
 * @param overrides command line
 * @param kind what is replayed
 * @return checked settings; the number of servers is known
 * @throws InputError naming file, key, value and what is accepted
 */
Scenario ReadReplayScenario(const std::string& path,
                            const std::string& workloads,
                            const ScenarioOverrides& overrides,
                            const ReplayKind& kind);

} // namespace ns3

#endif // MIXNET_SCENARIO_H
