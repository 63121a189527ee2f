/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-spec.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

/// @throws InputError when a count is zero
void
RequireCount(const std::string& where, const char* key, uint32_t value)
{
    if (value == 0)
    {
        throw InputError(where + ": model." + key, "0", "a number above zero");
    }
}

} // namespace

void
ModelSpec::Validate(const std::string& where) const
{
    RequireCount(where, "layers", layers);
    RequireCount(where, "hidden", hidden);
    RequireCount(where, "ffnHidden", ffnHidden);
    RequireCount(where, "heads", heads);
    RequireCount(where, "bytesPerActivation", bytesPerActivation);
    RequireCount(where, "bytesPerGradient", bytesPerGradient);
    RequireCount(where, "bytesPerParameter", bytesPerParameter);
    if (moeLayers > layers)
    {
        throw InputError(where + ": model.moeLayers",
                         std::to_string(moeLayers) + " of " + std::to_string(layers) + " layers",
                         "0 to " + std::to_string(layers));
    }
    if (moeLayers > 0 && experts == 0)
    {
        throw InputError(where + ": model.experts",
                         "0 experts in " + std::to_string(moeLayers) + " MoE layers",
                         "a number above zero");
    }
    if (moeLayers > 0 && (topK == 0 || topK > experts))
    {
        throw InputError(where + ": model.topK",
                         std::to_string(topK) + " of " + std::to_string(experts) + " experts",
                         "1 to " + std::to_string(experts));
    }
    if (moeLayers > 0 && (expertGroups == 0 || experts % expertGroups != 0))
    {
        throw InputError(where + ": model.expertGroups",
                         std::to_string(experts) + " experts / " + std::to_string(expertGroups) +
                             " groups is no whole number",
                         "groups that divide the experts");
    }
    if (moeLayers > 0 && groupLimit > 0 &&
        (groupLimit > expertGroups || uint64_t(groupLimit) * (experts / expertGroups) < topK))
    {
        throw InputError(where + ": model.groupLimit",
                         std::to_string(groupLimit) + " of " + std::to_string(expertGroups) +
                             " groups of " + std::to_string(experts / expertGroups) +
                             " experts, top-" + std::to_string(topK),
                         "0, or groups that there are and that hold the experts of a token");
    }
    if (!IsLatent() && (qLoraRank > 0 || ropeHeadDim > 0 || valueHeadDim > 0))
    {
        throw InputError(where + ": model.kvLoraRank",
                         "0 with qLoraRank " + std::to_string(qLoraRank) + ", ropeHeadDim " +
                             std::to_string(ropeHeadDim) + ", valueHeadDim " +
                             std::to_string(valueHeadDim),
                         "a kvLoraRank above zero, or none of these keys");
    }
    if (IsLatent() && kvHeads > 0 && kvHeads != heads)
    {
        throw InputError(where + ": model.kvHeads",
                         std::to_string(kvHeads) + " with kvLoraRank",
                         "0 or heads: latent attention has a key and a value for every head");
    }
    if (moeLayers == 0 && sharedFfnHidden > 0)
    {
        throw InputError(where + ": model.sharedFfnHidden",
                         std::to_string(sharedFfnHidden) + " in a model without MoE layers",
                         "0");
    }
    if (headDim == 0 && hidden % heads != 0)
    {
        throw InputError(where + ": model.heads",
                         "hidden " + std::to_string(hidden) + " / heads " + std::to_string(heads) +
                             " is no whole number",
                         "heads that divide hidden, or headDim");
    }
    if (kvHeads > 0 && heads % kvHeads != 0)
    {
        throw InputError(where + ": model.kvHeads",
                         "heads " + std::to_string(heads) + " / kvHeads " +
                             std::to_string(kvHeads) + " is no whole number",
                         "kvHeads that divide heads");
    }
}

uint64_t
ModelSpec::GetAttentionParameters() const
{
    const uint64_t output = GetOutputSize() * hidden;
    if (!IsLatent())
    {
        return hidden * (GetQuerySize() + GetKeySize() + GetValueSize()) + output;
    }
    const uint64_t queries =
        qLoraRank > 0 ? qLoraRank * (hidden + GetQuerySize()) : hidden * GetQuerySize();
    const uint64_t latent = hidden * (uint64_t(kvLoraRank) + ropeHeadDim);
    const uint64_t expanded = kvLoraRank * (uint64_t(heads) * GetHeadDim() + GetValueSize());
    return queries + latent + expanded + output;
}

uint64_t
ModelSpec::CountParameters(uint32_t routed) const
{
    return uint64_t(layers) * GetAttentionParameters() +
           uint64_t(moeLayers) *
               (GetGateParameters() + GetSharedParameters() + routed * GetExpertParameters()) +
           uint64_t(GetDenseLayers()) * GetDenseParameters() + 2 * GetVocabularyParameters();
}

uint64_t
ModelSpec::GetParameters() const
{
    return CountParameters(experts);
}

uint64_t
ModelSpec::GetActiveParameters() const
{
    return CountParameters(topK);
}

} // namespace ns3
