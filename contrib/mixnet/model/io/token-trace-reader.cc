/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "token-trace-reader.h"

#include "hdf5-reader.h"

#include "ns3/hash.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// @param path file @param trace trace @param row a row of it @return its name in messages
std::string
NameRow(const std::string& path, const TokenTrace& trace, std::size_t row)
{
    std::ostringstream where;
    where << path << ": /tokens[" << row / trace.ranks / trace.layers << ", "
          << row / trace.ranks % trace.layers << ", " << row % trace.ranks << "]";
    return where.str();
}

/// A token is once on a rank, on top-k of them at most. @param reader open file @param trace trace
void
CheckDifferentTokens(const Hdf5Reader& reader, const TokenTrace& trace)
{
    for (std::size_t row = 0; row < trace.tokensIn.size(); ++row)
    {
        const uint32_t* counts = trace.tokens.data() + row * trace.destinations;
        const uint64_t sum = std::accumulate(counts, counts + trace.destinations, uint64_t(0));
        const uint32_t most = *std::max_element(counts, counts + trace.destinations);
        const uint64_t in = trace.tokensIn[row];
        if (most > in || sum > in * trace.topK)
        {
            throw InputError(
                NameRow(reader.GetPath(), trace, row),
                "has up to " + std::to_string(most) + " of " + std::to_string(in) +
                    " different tokens on a rank, " + std::to_string(sum) + " in all",
                "at most the row's /tokens_in on each, and top_k times as many in all");
        }
    }
}

/// Fill tokensIn, and check it. @param reader open file @param trace trace, shape and top-k known
void
ReadTokensIn(const Hdf5Reader& reader, TokenTrace& trace)
{
    if (!reader.Has("/tokens_in"))
    {
        return;
    }
    const std::vector<uint64_t> expected{trace.iterations, trace.layers, trace.ranks};
    if (reader.GetShape("/tokens_in") != expected)
    {
        throw InputError(reader.GetPath() + ": /tokens_in",
                         "has another shape than /tokens",
                         "[iteration, layer, source rank]");
    }
    trace.tokensIn = reader.ReadUint32("/tokens_in");
    if (reader.HasAttribute("/tokens", "dropped"))
    {
        return;
    }
    if (trace.deduplicated)
    {
        CheckDifferentTokens(reader, trace);
        return;
    }
    const std::vector<uint32_t>& in = trace.tokensIn;
    for (std::size_t row = 0; row < in.size(); ++row)
    {
        const uint32_t* counts = trace.tokens.data() + row * trace.destinations;
        const uint64_t sum = std::accumulate(counts, counts + trace.destinations, uint64_t(0));
        if (sum != uint64_t(in[row]) * trace.topK)
        {
            throw InputError(NameRow(reader.GetPath(), trace, row),
                             "sums to " + std::to_string(sum) + " copies",
                             std::to_string(in[row]) + " tokens x top_k " +
                                 std::to_string(trace.topK) +
                                 " (or an attribute 'dropped' or 'deduplicated')");
        }
    }
}

} // namespace

TokenTrace
ReadTokenTrace(const std::string& path)
{
    const Hdf5Reader reader(path);
    const std::string name = "/tokens";
    if (!reader.Has(name))
    {
        throw InputError(path,
                         "has no dataset /tokens",
                         "a trace with /tokens [iteration, layer, source rank, destination]");
    }
    const std::vector<uint64_t> shape = reader.GetShape(name);
    constexpr uint64_t most = 2000000000; // 8 GB of counts
    uint64_t product = 1;
    for (const uint64_t extent : shape)
    {
        if (extent != 0 && product > most / extent)
        {
            throw InputError(path + ": " + name,
                             "declares too many counts",
                             "at most " + std::to_string(most));
        }
        product *= extent;
    }
    if (shape.size() != 4 || product == 0)
    {
        throw InputError(path + ": " + name,
                         "has " + std::to_string(shape.size()) + " dimensions or is empty",
                         "[iteration, layer, source rank, destination], none of them zero");
    }
    TokenTrace trace;
    trace.path = path;
    trace.iterations = static_cast<uint32_t>(shape[0]);
    trace.layers = static_cast<uint32_t>(shape[1]);
    trace.ranks = static_cast<uint32_t>(shape[2]);
    trace.destinations = static_cast<uint32_t>(shape[3]);
    const std::string kind = reader.ReadText(name, "destination");
    if (kind != "expert" && kind != "rank")
    {
        throw InputError(path + ": " + name,
                         "attribute 'destination' is '" + kind + "'",
                         "expert, rank");
    }
    trace.destinationIsExpert = kind == "expert";
    trace.deduplicated = reader.HasAttribute(name, "deduplicated");
    trace.model = reader.ReadText(name, "model");
    const uint64_t topK = reader.ReadCount(name, "top_k");
    const uint64_t experts = reader.ReadCount(name, "experts");
    if (topK > experts || experts > UINT32_MAX)
    {
        throw InputError(path + ": " + name,
                         "attribute top_k is " + std::to_string(topK) + " of " +
                             std::to_string(experts) + " experts",
                         "1 to experts, or 0 when it is not known");
    }
    trace.topK = static_cast<uint32_t>(topK);
    trace.hiddenSize = static_cast<uint32_t>(reader.ReadCount(name, "hidden_size"));
    trace.bytesPerElement = static_cast<uint32_t>(reader.ReadCount(name, "bytes_per_element"));
    trace.experts = static_cast<uint32_t>(experts);
    if (reader.ReadCount(name, "layers") != trace.layers)
    {
        throw InputError(path + ": " + name,
                         "attribute 'layers' differs from the second extent",
                         std::to_string(trace.layers));
    }
    if (trace.experts == 0 || (trace.destinationIsExpert && trace.experts != trace.destinations))
    {
        throw InputError(path + ": " + name,
                         "attribute experts does not fit the last extent",
                         "experts = " + std::to_string(trace.destinations));
    }
    if (trace.topK == 0 && reader.Has("/tokens_in"))
    {
        throw InputError(path + ": " + name,
                         "attribute top_k is 0 (not known), but there is /tokens_in",
                         "top_k above zero, or a trace without /tokens_in");
    }
    trace.source = reader.ReadText(name, "source");
    trace.licence = reader.ReadText(name, "licence");
    trace.tokens = reader.ReadUint32(name);
    ReadTokensIn(reader, trace);
    trace.contentHash = HashFile(path);
    return trace;
}

std::string
HashFile(const std::string& path)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    const bool empty = file && file.peek() == std::ifstream::traits_type::eof();
    if (!file.is_open() || (!empty && !(bytes << file.rdbuf())))
    {
        throw InputError(path, std::string("cannot be read: ") + strerror(errno));
    }
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << Hash64(bytes.str());
    return text.str();
}

} // namespace ns3
