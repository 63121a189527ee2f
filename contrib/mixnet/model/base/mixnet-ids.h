/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_IDS_H
#define MIXNET_IDS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>

namespace ns3
{

/**
 * @ingroup mixnet
 * Index into a parallel array that cannot be mixed up with an index into another one.
 *
 * @tparam Tag distinguishes the kinds of ids
 * @tparam Rep unsigned integer that holds the index
 */
template <class Tag, class Rep = uint32_t>
class StrongId
{
  public:
    /// The invalid id.
    constexpr StrongId() = default;

    /// @param value the index
    explicit constexpr StrongId(Rep value)
        : m_value(value)
    {
    }

    /// @return the index
    constexpr Rep Get() const
    {
        return m_value;
    }

    /// @return true unless default-constructed
    constexpr bool IsValid() const
    {
        return m_value != std::numeric_limits<Rep>::max();
    }

    friend constexpr bool operator==(StrongId a, StrongId b)
    {
        return a.m_value == b.m_value;
    }

    friend constexpr bool operator!=(StrongId a, StrongId b)
    {
        return a.m_value != b.m_value;
    }

    friend constexpr bool operator<(StrongId a, StrongId b)
    {
        return a.m_value < b.m_value;
    }

    friend std::ostream& operator<<(std::ostream& os, StrongId id)
    {
        return os << id.m_value;
    }

  private:
    Rep m_value{std::numeric_limits<Rep>::max()}; //!< the index
};

using ServerId = StrongId<struct ServerIdTag>;               //!< a server, 0 to servers - 1
using GpuId = StrongId<struct GpuIdTag>;                     //!< a GPU of the whole cluster
using VertexId = StrongId<struct VertexIdTag>;               //!< a node of the FabricGraph
using EdgeId = StrongId<struct EdgeIdTag>;                   //!< a full-duplex link of the graph
using ChannelId = StrongId<struct ChannelIdTag>;             //!< one direction of an edge
using RegionId = StrongId<struct RegionIdTag>;               //!< servers that share OCS units
using TransferId = StrongId<struct TransferIdTag, uint64_t>; //!< a transfer, in order of Send

} // namespace ns3

namespace std
{
/// Hash of a strong id.
template <class Tag, class Rep>
struct hash<ns3::StrongId<Tag, Rep>>
{
    /// @param id the id
    /// @return its hash
    size_t operator()(ns3::StrongId<Tag, Rep> id) const noexcept
    {
        return hash<Rep>()(id.Get());
    }
};
} // namespace std

#endif // MIXNET_IDS_H
