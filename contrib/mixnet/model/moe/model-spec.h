/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_SPEC_H
#define MODEL_SPEC_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * A transformer whose last `moeLayers` layers are mixtures of experts (the first ones are dense,
 * as in DeepSeek). Parameter counts leave out norms and biases (below 0.1 %).
 */
struct ModelSpec
{
    std::string name;               //!< for reports
    uint32_t layers{0};             //!< transformer layers
    uint32_t moeLayers{0};          //!< of them, with experts
    uint32_t hidden{0};             //!< hidden size
    uint32_t ffnHidden{0};          //!< hidden size of one expert
    uint32_t denseFfnHidden{0};     //!< hidden size of a dense layer's MLP; 0: ffnHidden
    uint32_t heads{0};              //!< query heads
    uint32_t kvHeads{0};            //!< key and value heads; 0: as many as heads
    uint32_t headDim{0};            //!< size of a head; 0: hidden / heads
    uint32_t experts{0};            //!< routed experts of a layer
    uint32_t topK{0};               //!< experts per token
    uint32_t vocabulary{0};         //!< tokens of the vocabulary; 0: no embedding and no head
    bool gatedMlp{true};            //!< three matrices per MLP (SwiGLU) instead of two
    uint32_t bytesPerActivation{2}; //!< bf16
    uint32_t bytesPerGradient{4};   //!< fp32

    /**
     * @param where file or preset, for messages
     * @throws InputError naming the key, the value and what is accepted
     */
    void Validate(const std::string& where) const;

    /// @return number of dense layers
    uint32_t GetDenseLayers() const
    {
        return layers - moeLayers;
    }

    /// @param layer layer @return true when it has experts
    bool IsMoe(uint32_t layer) const
    {
        return layer >= GetDenseLayers();
    }

    /// @return size of a head
    uint32_t GetHeadDim() const
    {
        return headDim > 0 ? headDim : hidden / heads;
    }

    /// @return size of all query heads
    uint64_t GetQuerySize() const
    {
        return uint64_t(heads) * GetHeadDim();
    }

    /// @return size of all key heads (those of the values are as many)
    uint64_t GetKeySize() const
    {
        return uint64_t(kvHeads > 0 ? kvHeads : heads) * GetHeadDim();
    }

    /// @return weights of a layer's attention: hidden x (query + 2 key) + query x hidden
    uint64_t GetAttentionParameters() const
    {
        return hidden * (GetQuerySize() + 2 * GetKeySize()) + GetQuerySize() * hidden;
    }

    /// @return weights of one expert: 2 or 3 times hidden x ffnHidden
    uint64_t GetExpertParameters() const
    {
        return (gatedMlp ? 3 : 2) * uint64_t(hidden) * ffnHidden;
    }

    /// @return weights of a dense layer's MLP
    uint64_t GetDenseParameters() const
    {
        return (gatedMlp ? 3 : 2) * uint64_t(hidden) *
               (denseFfnHidden > 0 ? denseFfnHidden : ffnHidden);
    }

    /// @return weights of a layer's gate: hidden x experts
    uint64_t GetGateParameters() const
    {
        return uint64_t(hidden) * experts;
    }

    /// @return weights of the embedding, and again of the head: vocabulary x hidden
    uint64_t GetVocabularyParameters() const
    {
        return uint64_t(vocabulary) * hidden;
    }

    /// @return all weights
    uint64_t GetParameters() const;
};

} // namespace ns3

#endif // MODEL_SPEC_H
