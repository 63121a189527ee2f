/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DISTINCT_TOKENS_H
#define DISTINCT_TOKENS_H

#include "top-k-choice.h"

#include "ns3/expert-placement.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What is known of all tokens of a job.
struct TokenShape
{
    uint32_t experts{1};    //!< experts of a layer
    uint32_t topK{1};       //!< experts of a token
    uint32_t groups{1};     //!< groups of consecutive experts, all of one size
    uint32_t groupLimit{0}; //!< most groups that have experts of one token; 0: any
    uint64_t tokens{0};     //!< of an EP rank in a micro-batch
};

/**
 * @ingroup mixnet
 * How many different tokens an EP rank sends to every EP rank and to every server, when counts of
 * copies by expert are all that is known: a token with several experts there counts once. What is
 * not known (which copies are of one token) is taken as the distribution of largest entropy with
 * these counts, top-k and group limit (TopKChoice); replicas of an expert have their shares of its
 * copies, dropped copies go nowhere, both whatever else the token has.
 *
 * Whole numbers: rounded so that the ranks, and the servers, add up to the rounded sum; then held
 * to what any tokens obey:
 *
 *     copies / min(topK, experts there) <= tokens there <= min(copies, tokens of the source)
 *     a rank of the server <= a server <= all its ranks together
 */
class DistinctTokens
{
  public:
    /// @param shape what is known of all tokens
    explicit DistinctTokens(const TokenShape& shape);

    /**
     * Where experts and ranks are; before Count().
     *
     * @param placement where the experts are
     * @param layer MoE layer
     * @param serverOfRank by EP rank: its server
     * @param servers number of servers
     */
    void SetPlacement(const ExpertPlacement& placement,
                      uint32_t layer,
                      const std::vector<uint32_t>& serverOfRank,
                      uint32_t servers);

    /**
     * @param chosen by expert: copies that the tokens chose
     * @param delivered by expert: copies of these that are not dropped
     * @param source EP rank that sends them
     */
    void Count(const uint32_t* chosen, const uint32_t* delivered, uint32_t source);

    /// @return by EP rank: different tokens of the last Count()
    const std::vector<uint64_t>& GetByRank() const
    {
        return m_byRank;
    }

    /// @return by server: different tokens of the last Count()
    const std::vector<uint64_t>& GetByServer() const
    {
        return m_byServer;
    }

  private:
    /// A copy of an expert.
    struct Slot
    {
        uint32_t expert{0};  //!< which
        uint32_t replica{0}; //!< which of its replicas
    };

    /// Experts of a rank, or of a server.
    struct Part
    {
        uint32_t group{0};   //!< their group
        uint32_t first{0};   //!< position of the first
        uint32_t last{0};    //!< behind the last
        bool inOrder{false}; //!< these positions are all it has, and no one else has them
    };

    /// Sort the experts: by group, then those of one rank by server and rank.
    void SortExperts();
    /// @param place by rank: which part it belongs to @param parts out
    void FindParts(const std::vector<uint32_t>& place, std::vector<Part>& parts) const;
    /// @param delivered by expert @param source EP rank; m_copies is the answer
    void CountCopies(const uint32_t* delivered, uint32_t source);
    /// Fill m_byRank.
    void CountRanks();
    /// Fill m_byServer.
    void CountServers();
    /// @param part experts @param ranks EP ranks that hold them @param n how many
    /// @return expected different tokens
    double Expect(const Part& part, const uint32_t* ranks, uint32_t n);

    TokenShape m_shape;                    //!< all tokens
    TopKChoice m_choice;                   //!< their experts
    std::vector<Slot> m_slots;             //!< by slot
    std::vector<uint32_t> m_firstSlot;     //!< by rank, and the end
    std::vector<uint32_t> m_replicas;      //!< by expert
    std::vector<uint32_t> m_serverOfRank;  //!< by rank
    std::vector<uint32_t> m_ranks;         //!< ranks sorted by server
    std::vector<uint32_t> m_firstRank;     //!< by server, and the end: index into m_ranks
    std::vector<uint32_t> m_identity;      //!< by rank: itself
    std::vector<uint32_t> m_rankOfExpert;  //!< by expert: its only rank, or NONE
    std::vector<uint32_t> m_order;         //!< experts by position
    std::vector<uint32_t> m_position;      //!< by expert
    std::vector<Part> m_rankParts;         //!< by rank
    std::vector<Part> m_serverParts;       //!< by server
    std::vector<uint32_t> m_groupOfExpert; //!< by expert
    std::vector<uint32_t> m_chosen;        //!< by expert, of the last Count()
    bool m_known{false};                   //!< m_choice has the odds of m_chosen
    bool m_possible{false};                //!< there are such odds
    bool m_dropped{false};                 //!< some copies are dropped
    std::vector<double> m_inclusion;       //!< scratch: by position
    std::vector<double> m_kept;            //!< scratch: by position
    std::vector<uint64_t> m_copiesOfSlot;  //!< by slot
    std::vector<uint64_t> m_copies;        //!< by rank
    std::vector<uint64_t> m_byRank;        //!< result
    std::vector<uint64_t> m_byServer;      //!< result
};

} // namespace ns3

#endif // DISTINCT_TOKENS_H
