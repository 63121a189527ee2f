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
 *
 * With kvLoraRank, attention is multi-head latent attention (MLA; DeepSeek-V2, arXiv 2405.04434,
 * section 2.1): queries come from a latent of qLoraRank (or straight from the input), keys and
 * values from one of kvLoraRank; a head's query and key have headDim elements without and
 * ropeHeadDim with a rotary position, its value has valueHeadDim.
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
    uint32_t qLoraRank{0};          //!< MLA: size of the query latent; 0: none
    uint32_t kvLoraRank{0};         //!< MLA: size of the key and value latent; 0: no MLA
    uint32_t ropeHeadDim{0};        //!< MLA: rotary elements of a head's query and key
    uint32_t valueHeadDim{0};       //!< MLA: elements of a head's value; 0: headDim
    uint32_t experts{0};            //!< routed experts of a layer
    uint32_t topK{0};               //!< experts per token
    uint32_t sharedFfnHidden{0};    //!< hidden size of a layer's shared experts together; 0: none
    uint32_t vocabulary{0};         //!< tokens of the vocabulary; 0: no embedding and no head
    bool gatedMlp{true};            //!< three matrices per MLP (SwiGLU) instead of two
    uint32_t bytesPerActivation{2}; //!< bf16
    uint32_t bytesPerGradient{4};   //!< fp32
    uint32_t bytesPerParameter{2};  //!< bf16, as saved and as all-gathered by a sharded optimizer
    uint32_t bytesPerDispatch{0};   //!< of an element on its way to experts; 0: bytesPerActivation
    uint32_t bytesPerCombine{0};    //!< of an element on its way back; 0: bytesPerActivation
    uint32_t dispatchScale{0};      //!< elements that share a 4-byte scale in a dispatch; 0: none
    uint32_t expertGroups{1};       //!< groups of consecutive experts (node-limited routing)
    uint32_t groupLimit{0};         //!< most groups with experts of one token; 0: any

    /**
     * @param where file or preset, for messages
     * @throws InputError naming the key, the value and what is accepted
     */
    void Validate(const std::string& where) const;

    /// @return bytes of a token that go to an expert: elements, and their scales
    uint64_t GetDispatchBytes() const
    {
        const uint64_t scales =
            dispatchScale > 0 ? (hidden + dispatchScale - 1) / dispatchScale : 0;
        return uint64_t(hidden) * (bytesPerDispatch > 0 ? bytesPerDispatch : bytesPerActivation) +
               4 * scales;
    }

    /// @return bytes of a token that come back from an expert
    uint64_t GetCombineBytes() const
    {
        return uint64_t(hidden) * (bytesPerCombine > 0 ? bytesPerCombine : bytesPerActivation);
    }

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

    /// @return true for multi-head latent attention
    bool IsLatent() const
    {
        return kvLoraRank > 0;
    }

    /// @return size of all query heads
    uint64_t GetQuerySize() const
    {
        return uint64_t(heads) * (GetHeadDim() + ropeHeadDim);
    }

    /// @return size of all key heads
    uint64_t GetKeySize() const
    {
        return IsLatent() ? GetQuerySize() : uint64_t(kvHeads > 0 ? kvHeads : heads) * GetHeadDim();
    }

    /// @return size of all value heads
    uint64_t GetValueSize() const
    {
        return IsLatent() ? GetOutputSize() : GetKeySize();
    }

    /// @return size of what all heads put out together
    uint64_t GetOutputSize() const
    {
        return uint64_t(heads) * (valueHeadDim > 0 ? valueHeadDim : GetHeadDim());
    }

    /// @return size of the latents of a token, 0 without MLA
    uint64_t GetLatentSize() const
    {
        return IsLatent() ? uint64_t(qLoraRank) + kvLoraRank + ropeHeadDim : 0;
    }

    /**
     * @return weights of a layer's attention: hidden x (query + key + value) + output x hidden;
     * MLA: hidden x (qLoraRank + kvLoraRank + ropeHeadDim) + qLoraRank x query + kvLoraRank x heads
     * x (headDim + valueHeadDim) + output x hidden
     */
    uint64_t GetAttentionParameters() const;

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

    /// @return weights of a layer's shared experts
    uint64_t GetSharedParameters() const
    {
        return (gatedMlp ? 3 : 2) * uint64_t(hidden) * sharedFfnHidden;
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

    /// @return weights that one token uses: topK of the experts
    uint64_t GetActiveParameters() const;

  private:
    /// @param routed routed experts that count @return weights with so many of them per layer
    uint64_t CountParameters(uint32_t routed) const;
};

} // namespace ns3

#endif // MODEL_SPEC_H
