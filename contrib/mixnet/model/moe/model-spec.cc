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
ModelSpec::GetParameters() const
{
    return uint64_t(layers) * GetAttentionParameters() +
           uint64_t(moeLayers) * (GetGateParameters() + experts * GetExpertParameters()) +
           uint64_t(GetDenseLayers()) * GetDenseParameters() + 2 * GetVocabularyParameters();
}

} // namespace ns3
