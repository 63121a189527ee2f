/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-scenario.h"

#include "ns3/mixnet-json.h"

namespace ns3
{

ModelSpec
ReadModelSpec(const JsonReader& m)
{
    const auto count = [&](const char* key, const char* def, uint64_t least) {
        return static_cast<uint32_t>(m.GetCount(key, def, least, 100000000));
    };
    ModelSpec spec;
    spec.name = m.GetString("name", "unnamed");
    spec.layers = count("layers", JsonReader::required, 1);
    spec.moeLayers = count("moeLayers", std::to_string(spec.layers).c_str(), 0);
    spec.hidden = count("hiddenSize", JsonReader::required, 1);
    spec.ffnHidden = count("ffnHiddenSize", JsonReader::required, 1);
    spec.denseFfnHidden = count("denseFfnHiddenSize", "0", 0);
    spec.sharedFfnHidden = count("sharedFfnHiddenSize", "0", 0);
    spec.heads = count("heads", JsonReader::required, 1);
    spec.kvHeads = count("kvHeads", "0", 0);
    spec.headDim = count("headDim", "0", 0);
    spec.qLoraRank = count("qLoraRank", "0", 0);
    spec.kvLoraRank = count("kvLoraRank", "0", 0);
    spec.ropeHeadDim = count("ropeHeadDim", "0", 0);
    spec.valueHeadDim = count("valueHeadDim", "0", 0);
    spec.experts = count("experts", JsonReader::required, 1);
    spec.topK = count("topK", JsonReader::required, 1);
    spec.vocabulary = count("vocabulary", "0", 0);
    spec.gatedMlp = m.GetBool("gatedMlp", "true");
    spec.bytesPerActivation = count("bytesPerActivation", "2", 1);
    spec.bytesPerDispatch = count("bytesPerDispatch", "0", 0);
    spec.bytesPerCombine = count("bytesPerCombine", "0", 0);
    spec.dispatchScale = count("dispatchScale", "0", 0);
    spec.expertGroups = count("expertGroups", "1", 1);
    spec.groupLimit = count("groupLimit", "0", 0);
    spec.bytesPerGradient = count("bytesPerGradient", "4", 1);
    spec.bytesPerParameter = count("bytesPerParameter", "2", 1);
    return spec;
}

} // namespace ns3
