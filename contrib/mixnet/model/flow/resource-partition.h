/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RESOURCE_PARTITION_H
#define RESOURCE_PARTITION_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// What a resource of the fluid world is.
enum class ResourceKind : uint8_t
{
    PORT,    //!< channel at a server: carries wire bytes, always a constraint of its own
    INNER,   //!< channel between switches: carries wire bytes, often implied by the ports
    SCALE_UP //!< GPU's scale-up port: carries payload only, often implied by the ports
};

/// Use of one resource by a route.
struct ResourceUse
{
    uint32_t resource{0}; //!< the resource
    double share{0};      //!< share of the flow's bytes that cross it, above zero
};

/**
 * @ingroup mixnet
 * Resources in classes, and routes as short lists of (class, share).
 *
 * With ideal load balancing a transfer crosses 8 NICs and 64 uplinks, each with the same share, and
 * so does every other transfer between the same servers. Their 72 constraints are two.
 *
 * **Classes.** Invariant: resources of one class have one kind and one capacity, and every
 * registered route uses all of them with one share, or none. A route that would use a part of a
 * class cuts it in two, and the routes that use the class are rewritten (partition refinement:
 * Paige and Tarjan, SIAM J. Comput. 16(6), 1987). This is exact: the constraint of a resource is
 * sum over routes of share x rate <= capacity; two resources of a class have the same shares and
 * the same capacity, hence the same constraint, and one of them stands for all. Classes are never
 * joined again, so that a passing oddity (a broken link) costs speed later, never exactness.
 * Cost: registering a route of u uses is O(u log u), a cut O(members + routes of the class).
 *
 * **Implied classes.** Ports aside, a class may never bind whatever flows exist: 64 uplinks behind
 * the 64 NICs of a non-blocking tree, or a scale-up port faster than all NICs of its server. Such
 * a class neither costs time nor ties regions together that do not compete. It has a *cover*:
 * factors l_i >= 0 for classes i that are constraints, so that for every route r through class c
 * share(c, r) <= sum_i l_i share(i, r). When sum_i l_i capacity_i <= capacity_c, then for all rates
 * that respect the classes i
 *     load(c) = sum_r share(c, r) x_r <= sum_i l_i sum_r share(i, r) x_r
 *             = sum_i l_i load(i) <= sum_i l_i capacity_i <= capacity_c,
 * so c is respected as well (a linear program's dual solution). A new route that the cover misses
 * extends it by the cheapest class; if that gets too dear, a greedy cover is sought over all
 * routes; if that fails too, c becomes a constraint for good. Scale-up ports carry at most the
 * flow's wire bytes, so the same test holds for them; they cover nothing themselves but each other.
 * Example: two servers with one NIC each behind a switch pair joined by two links. Route A to B
 * uses NIC A (share 1), the links (1/2 each), NIC B (1): the links form one class, covered by NIC A
 * with l = 1/2 at cost 1/2 NIC <= 1 link.
 *
 * Alternatives set aside: all resources as constraints (50 times slower on a three-tier tree);
 * merging by position in the graph (wrong as soon as a link fails, or for policies not foreseen);
 * testing the load of unlikely constraints after each solution (correct, but every change of a
 * rate then touches every resource).
 *
 * Routes are interned: equal uses give the same id. A route that nobody holds stays for a while in
 * case it returns (circuits do), the oldest goes when more than a limit are idle.
 */
class ResourcePartition
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no id

    /// Use of a class by a route.
    struct Term
    {
        uint32_t cls{0}; //!< class
        double share{0}; //!< share on each of its resources
    };

    /// Who has to know before the ground moves.
    class Listener
    {
      public:
        virtual ~Listener() = default;
        /// The terms of its routes are about to change. @param cls class
        virtual void BeforeRewrite(uint32_t cls) = 0;
        /// @param cls class that keeps its routes @param part the new class, cut from it
        virtual void AfterCut(uint32_t cls, uint32_t part) = 0;
        /// @param cls class that is a constraint from now on
        virtual void AfterUncover(uint32_t cls) = 0;
        /// @param route idle route that is about to be forgotten
        virtual void BeforeForget(uint32_t route) = 0;
    };

    /// @param listener hears of changes; outlives this
    explicit ResourcePartition(Listener& listener);

    /// @param capacity bits/s, above zero @param kind what it is @return ids from 0
    uint32_t AddResource(double capacity, ResourceKind kind);
    /// @param limit number of idle routes to remember
    void SetIdleLimit(uint32_t limit);

    /**
     * @param uses resources, each once; sorted in place
     * @return the route, held once more; Release it
     */
    uint32_t AddRoute(std::vector<ResourceUse>& uses);
    /// @param route held once more
    void Hold(uint32_t route);
    /// @param route held once less
    void Release(uint32_t route);

    /// @param route a route @return its terms; the first GetNConstraints of them are constraints
    const Term* GetTerms(uint32_t route) const
    {
        return m_routes[route].terms.data();
    }

    /// @param route a route @return all its terms
    const std::vector<Term>& GetAllTerms(uint32_t route) const
    {
        return m_routes[route].terms;
    }

    /// @param route a route @return terms that are constraints
    uint32_t GetNConstraints(uint32_t route) const
    {
        return m_routes[route].constraints;
    }

    /// @param route a route @return never the same again once its terms or the route changed
    uint64_t GetEdition(uint32_t route) const
    {
        return m_routes[route].edition;
    }

    /// @param route a route @param cls a class @return true when it uses it
    bool UsesClass(uint32_t route, uint32_t cls) const;

    /// @param cls class @return bits/s of each resource
    double GetCapacity(uint32_t cls) const
    {
        return m_classes[cls].capacity;
    }

    /// @param cls class @return kind of its resources
    ResourceKind GetKind(uint32_t cls) const
    {
        return m_classes[cls].kind;
    }

    /// @param resource resource @return its class
    uint32_t GetClass(uint32_t resource) const
    {
        return m_classOf[resource];
    }

    /// @param cls class @return true when it can never bind
    bool IsImplied(uint32_t cls) const
    {
        return m_classes[cls].implied;
    }

    uint32_t GetNClasses() const;   //!< @return number of classes
    uint32_t GetNResources() const; //!< @return number of resources

    /// @param onCut told of every class that was cut: (class that keeps its id, the new one)
    void SetCutCallback(std::function<void(uint32_t, uint32_t)> onCut);

    /// @param cls class @return its resources
    const std::vector<uint32_t>& GetMembers(uint32_t cls) const
    {
        return m_classes[cls].members;
    }

    /// @param route a route @param wire bytes on channels @param payload bytes on scale-up ports
    void AddCarried(uint32_t route, double wire, double payload);
    /// @return by resource: bytes carried so far
    std::vector<double> GetCarried() const;

  private:
    /// Factor of a cover.
    struct Cover
    {
        uint32_t cls{0};  //!< class that is a constraint
        double factor{0}; //!< its factor
    };

    /// Resources that nothing distinguishes.
    struct Class
    {
        double capacity{0};                    //!< bits/s of each resource
        ResourceKind kind{ResourceKind::PORT}; //!< of each resource
        bool implied{false};                   //!< can never bind
        double coverCost{0};                   //!< sum of factor x capacity
        double carried{0};                     //!< bytes per resource, of forgotten routes
        std::vector<uint32_t> members;         //!< resources
        std::vector<uint32_t> routes;          //!< routes that use it
        std::vector<Cover> cover;              //!< when implied
    };

    /// A registered set of uses.
    struct Route
    {
        std::vector<Term> terms; //!< constraints first
        uint32_t constraints{0}; //!< number of these
        uint32_t holders{0};     //!< who needs it
        uint64_t edition{0};     //!< unique to these terms
        uint64_t hash{0};        //!< of the uses
        double wire{0};          //!< bytes carried on channels
        double payload{0};       //!< bytes carried on scale-up ports
        uint32_t older{NONE};    //!< idle list
        uint32_t newer{NONE};    //!< idle list
    };

    /// Uses of one class with one share.
    struct Part
    {
        uint32_t cls{0};   //!< class
        double share{0};   //!< share
        uint32_t first{0}; //!< first use
        uint32_t count{0}; //!< number of uses
    };

    /// @param uses sorted by class and share @return m_parts
    void FindParts(std::vector<ResourceUse>& uses);
    /// @param hash of the uses @return route with exactly m_parts, or NONE
    uint32_t FindRoute(uint64_t hash) const;
    /// @param part part of a class @param uses all uses @return class that holds just the part
    uint32_t Cut(const Part& part, const std::vector<ResourceUse>& uses);
    /// @param route in no list yet
    void Register(uint32_t route);
    /// @param route route @param cls one of its classes, to become a constraint
    void MakeConstraint(uint32_t route, uint32_t cls);
    /// @param route idle
    void Unlink(uint32_t route);
    /// @param route idle; its id is free from now on
    void Forget(uint32_t route);

    /// @param cls implied class @param route new route through it
    void CoverRoute(uint32_t cls, uint32_t route);
    /// @param cls class @param route route @return what its cover gives the route
    double GetCover(uint32_t cls, uint32_t route) const;
    /// @param cls implied class @return true when a cover of all its routes was found
    bool FindCover(uint32_t cls);
    /// @param cls implied class, from now on a constraint
    void Uncover(uint32_t cls);
    /// @param covered class @param cls class @return true when cls may cover it
    bool MayCover(uint32_t covered, uint32_t cls) const;

    Listener& m_listener;                                 //!< hears of changes
    std::function<void(uint32_t, uint32_t)> m_onCut;      //!< told of cuts, or empty
    std::vector<uint32_t> m_classOf;                      //!< by resource
    std::vector<uint32_t> m_place;                        //!< by resource: index in members
    std::vector<Class> m_classes;                         //!< classes
    std::vector<Route> m_routes;                          //!< by id
    std::vector<uint32_t> m_freeRoutes;                   //!< ids to use again
    std::unordered_multimap<uint64_t, uint32_t> m_byHash; //!< routes by hash of their uses
    std::vector<Part> m_parts;                            //!< scratch
    std::vector<double> m_need;                           //!< scratch: by route of a class
    std::vector<double> m_factor;                         //!< scratch: by class
    std::vector<uint32_t> m_hits;                         //!< scratch: by class
    uint64_t m_edition{0};                                //!< last edition given
    uint32_t m_idleLimit{8192};                           //!< idle routes to remember
    uint32_t m_idle{0};                                   //!< idle routes
    uint32_t m_oldest{NONE};                              //!< idle list
    uint32_t m_newest{NONE};                              //!< idle list
};

} // namespace ns3

#endif // RESOURCE_PARTITION_H
