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

/// @throws InputError when experts, groups and top-k do not go together
void
CheckExperts(const ModelSpec& m, const std::string& where)
{
    if (m.moeLayers > 0 && m.experts == 0)
    {
        throw InputError(where + ": model.experts",
                         "0 experts in " + std::to_string(m.moeLayers) + " MoE layers",
                         "a number above zero");
    }
    if (m.moeLayers > 0 && (m.topK == 0 || m.topK > m.experts))
    {
        throw InputError(where + ": model.topK",
                         std::to_string(m.topK) + " of " + std::to_string(m.experts) + " experts",
                         "1 to " + std::to_string(m.experts));
    }
    if (m.moeLayers > 0 && (m.expertGroups == 0 || m.experts % m.expertGroups != 0))
    {
        throw InputError(where + ": model.expertGroups",
                         std::to_string(m.experts) + " experts / " +
                             std::to_string(m.expertGroups) + " groups is no whole number",
                         "groups that divide the experts");
    }
    if (m.moeLayers > 0 && m.groupLimit > 0 &&
        (m.groupLimit > m.expertGroups ||
         uint64_t(m.groupLimit) * (m.experts / m.expertGroups) < m.topK))
    {
        throw InputError(where + ": model.groupLimit",
                         std::to_string(m.groupLimit) + " of " + std::to_string(m.expertGroups) +
                             " groups of " + std::to_string(m.experts / m.expertGroups) +
                             " experts, top-" + std::to_string(m.topK),
                         "0, or groups that there are and that hold the experts of a token");
    }
    if (m.moeLayers == 0 && m.sharedFfnHidden > 0)
    {
        throw InputError(where + ": model.sharedFfnHiddenSize",
                         std::to_string(m.sharedFfnHidden) + " in a model without MoE layers",
                         "0");
    }
}

/// @throws InputError when sizes and numbers of heads do not go together
void
CheckHeads(const ModelSpec& m, const std::string& where)
{
    if (!m.IsLatent() && (m.qLoraRank > 0 || m.ropeHeadDim > 0 || m.valueHeadDim > 0))
    {
        throw InputError(where + ": model.kvLoraRank",
                         "0 with qLoraRank " + std::to_string(m.qLoraRank) + ", ropeHeadDim " +
                             std::to_string(m.ropeHeadDim) + ", valueHeadDim " +
                             std::to_string(m.valueHeadDim),
                         "a kvLoraRank above zero, or none of these keys");
    }
    if (m.IsLatent() && m.kvHeads > 0 && m.kvHeads != m.heads)
    {
        throw InputError(where + ": model.kvHeads",
                         std::to_string(m.kvHeads) + " with kvLoraRank",
                         "0 or heads: latent attention has a key and a value for every head");
    }
    if (m.headDim == 0 && m.hidden % m.heads != 0)
    {
        throw InputError(where + ": model.heads",
                         "hiddenSize " + std::to_string(m.hidden) + " / heads " +
                             std::to_string(m.heads) + " is no whole number",
                         "heads that divide hiddenSize, or headDim");
    }
    if (m.kvHeads > 0 && m.heads % m.kvHeads != 0)
    {
        throw InputError(where + ": model.kvHeads",
                         "heads " + std::to_string(m.heads) + " / kvHeads " +
                             std::to_string(m.kvHeads) + " is no whole number",
                         "kvHeads that divide heads");
    }
}

} // namespace

void
ModelSpec::Validate(const std::string& where) const
{
    RequireCount(where, "layers", layers);
    RequireCount(where, "hiddenSize", hidden);
    RequireCount(where, "ffnHiddenSize", ffnHidden);
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
    CheckExperts(*this, where);
    CheckHeads(*this, where);
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
