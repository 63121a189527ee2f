/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-config.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/times-file.h"

#include <optional>

namespace ns3
{

namespace
{

constexpr const char* TWICE = "2 x forward"; //!< default of a backward time
constexpr const char* BY_FLOPS = "by FLOPs"; //!< default of the weights' part of it

/// @param kind kind of work @return its key
std::string
GetKey(WorkKind kind)
{
    return kind == WorkKind::SHARED           ? "sharedExperts"
           : kind == WorkKind::ATTENTION_CORE ? "attentionCore"
                                              : GetName(kind);
}

/// Reads the object "computeTimes".
class ComputeTimesReader
{
  public:
    /// @param t the object @param file imported measurements, or empty
    ComputeTimesReader(const JsonReader& t, const std::string& file)
        : m_object(t)
    {
        if (!file.empty())
        {
            m_file = ReadTimesFile(file);
        }
    }

    /// @param kind kind of work @return its times, empty when not given
    ComputeTimes::Pass Read(WorkKind kind) const;

  private:
    /// @param text a time or names of measurements @param where for the message @return the time
    Time ParseTime(const std::string& text, const std::string& where) const;
    /// @param o object that holds it @return its "forward"
    Time ReadForward(const JsonReader& o) const;
    /// @param o object that holds it @param forward forward time @return its "backward"
    Time ReadBackward(const JsonReader& o, Time forward) const;
    /// @param o object that holds it @param backward backward time
    /// @return its "weight", unless left to FLOPs
    std::optional<Time> ReadWeight(const JsonReader& o, Time backward) const;
    /// @param o the object "expert" @return its times
    ComputeTimes::Pass ReadExpert(const JsonReader& o) const;

    const JsonReader& m_object;      //!< "computeTimes"
    std::optional<TimesFile> m_file; //!< imported measurements
};

Time
ComputeTimesReader::ParseTime(const std::string& text, const std::string& where) const
{
    if (text.rfind("class ", 0) != 0 && text.rfind("range ", 0) != 0)
    {
        const Time time = ns3::ParseTime(text, where);
        if (time.IsStrictlyNegative())
        {
            throw InputError(where, "'" + text + "' is below zero", "a time from 0 on");
        }
        return time;
    }
    if (!m_file)
    {
        throw InputError(where,
                         "'" + text + "' without measurements",
                         "a time, or a computeTimes.file of ./mixnet import");
    }
    return m_file->Find(text, where);
}

Time
ComputeTimesReader::ReadForward(const JsonReader& o) const
{
    return ParseTime(o.GetString("forward", JsonReader::required), o.Where("forward"));
}

Time
ComputeTimesReader::ReadBackward(const JsonReader& o, Time forward) const
{
    const std::string text = o.GetString("backward", TWICE);
    return text == TWICE ? forward * ComputeModel::BACKWARD_FACTOR
                         : ParseTime(text, o.Where("backward"));
}

std::optional<Time>
ComputeTimesReader::ReadWeight(const JsonReader& o, Time backward) const
{
    const std::string text = o.GetString("weight", BY_FLOPS);
    if (text == BY_FLOPS)
    {
        return std::nullopt;
    }
    const Time time = ParseTime(text, o.Where("weight"));
    if (time > backward)
    {
        throw InputError(o.Where("weight"),
                         "'" + text + "' is longer than the backward pass that it is part of",
                         "the part of it that gradients of weights take");
    }
    return time;
}

ComputeTimes::Pass
ComputeTimesReader::ReadExpert(const JsonReader& o) const
{
    ComputeTimes::Pass pass;
    if (!o.Accepts("table"))
    {
        const uint64_t copies = o.GetCount("copies", "1", 1);
        const Time forward = ReadForward(o);
        pass.forward = TimeCurve::Proportional(forward, copies);
        const Time backward = ReadBackward(o, forward);
        pass.backward = TimeCurve::Proportional(backward, copies);
        if (const auto weight = ReadWeight(o, backward))
        {
            pass.weight = TimeCurve::Proportional(*weight, copies);
        }
        return pass;
    }
    std::vector<TimeCurve::Point> forward;
    std::vector<TimeCurve::Point> backward;
    std::vector<TimeCurve::Point> weight;
    for (const JsonReader& row : o.GetObjects("table", "copies"))
    {
        const uint64_t copies = row.GetCount("copies", JsonReader::required);
        const Time time = ReadForward(row);
        forward.push_back({copies, time});
        backward.push_back({copies, ReadBackward(row, time)});
        if (const auto part = ReadWeight(row, backward.back().time))
        {
            weight.push_back({copies, *part});
        }
    }
    const std::string where = o.Where("table");
    if (forward.size() < 2)
    {
        throw InputError(where, "has " + std::to_string(forward.size()) + " rows", "2 or more");
    }
    if (!weight.empty() && weight.size() < backward.size())
    {
        throw InputError(where,
                         "has a weight in " + std::to_string(weight.size()) + " of " +
                             std::to_string(backward.size()) + " rows",
                         "one in every row, or in none");
    }
    const CurveEnds ends = o.GetChoice("outside", "refuse", {"refuse", "extend"}) == "extend"
                               ? CurveEnds::EXTEND
                               : CurveEnds::REFUSE;
    pass.forward = TimeCurve(forward, ends, where);
    pass.backward = TimeCurve(backward, ends, where);
    if (!weight.empty())
    {
        pass.weight = TimeCurve(weight, ends, where);
    }
    return pass;
}

ComputeTimes::Pass
ComputeTimesReader::Read(WorkKind kind) const
{
    const std::string key = GetKey(kind);
    ComputeTimes::Pass pass;
    if (!m_object.Accepts(key))
    {
        return pass;
    }
    const JsonReader o = m_object.GetObject(key);
    if (kind == WorkKind::EXPERT)
    {
        return ReadExpert(o);
    }
    const Time forward = ReadForward(o);
    pass.forward = TimeCurve::Constant(forward);
    if (kind == WorkKind::ATTENTION_CORE)
    {
        return pass; // its backward time is part of attention's
    }
    const Time backward = ReadBackward(o, forward);
    pass.backward = TimeCurve::Constant(backward);
    if (const auto weight = ReadWeight(o, backward))
    {
        pass.weight = TimeCurve::Constant(*weight);
    }
    return pass;
}

} // namespace

void
ReadComputeTimes(const JsonReader& t,
                 const TrainingJob& job,
                 const std::string& file,
                 ComputeConfig& config)
{
    config.base = t.GetChoice("base", "none", {"none", "roofline"});
    const uint64_t tokens = t.GetCount("tokens", std::to_string(job.GetTokens()).c_str(), 1);
    if (tokens != job.GetTokens())
    {
        throw InputError(
            t.Where("tokens"),
            "times of " + std::to_string(tokens) + " tokens are not those of a micro-batch of " +
                std::to_string(job.microBatchSequences) + " x " +
                std::to_string(job.sequenceLength) + " = " + std::to_string(job.GetTokens()),
            "a batch of as many tokens");
    }
    const ComputeTimesReader reader(t, file);
    for (const WorkKind kind : GetWorkKinds(job))
    {
        config.times.At(kind) = reader.Read(kind);
        if (config.times.At(kind).forward.IsEmpty() && config.base == "none")
        {
            throw InputError(t.Where(GetKey(kind)),
                             std::string("is missing: no measured time of ") + GetName(kind),
                             "its times, or \"base\": \"roofline\" for what was not measured");
        }
    }
}

ComputeVariation
ReadComputeVariation(const JsonReader& v, uint64_t gpus)
{
    ComputeVariation variation;
    const std::string jitter = v.GetString("jitter", "none");
    variation.jitter = jitter == "none" ? "" : jitter;
    variation.CheckJitter(v.Where("jitter"));
    const JsonReader slow = v.GetObject("slowGpus");
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        const std::string key = std::to_string(gpu);
        if (slow.Has(key))
        {
            variation.slowGpus[gpu] = slow.GetNumber(key, JsonReader::required, 1, 1000);
        }
    }
    return variation;
}

} // namespace ns3
