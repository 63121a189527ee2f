/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-size-report.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

void
PrintOpSizes(std::ostream& out, const ModelSpec& model, const std::vector<OpSize>& sizes)
{
    std::ostringstream text;
    text
        << std::fixed << std::setprecision(2) << "  parameters: " << model.GetParameters() / 1e9
        << " billion, " << model.GetActiveParameters() / 1e9 << " billion of them per token\n"
        << "  one micro-batch         layers   TFLOP/GPU   memory GB/GPU  TP,CP GB/rank  forward ms"
           "   backward ms\n"
        << std::setprecision(4);
    for (const OpSize& s : sizes)
    {
        text << "    " << std::left << std::setw(20) << GetName(s.kind) << std::right
             << std::setw(8) << s.layers << std::setw(12) << s.flops / 1e12 << std::setw(16)
             << s.memoryBytes / 1e9 << std::setw(15) << (s.tensorBytes + s.contextBytes).Get() / 1e9
             << std::setw(12) << s.forward.GetSeconds() * 1e3 << std::setw(14)
             << s.backward.GetSeconds() * 1e3 << "\n";
    }
    out << text.str();
}

ResultTable
MakeOpSizeTable(uint32_t run, const std::vector<OpSize>& sizes)
{
    const auto column = [&sizes](auto value) {
        std::vector<decltype(value(sizes.front()))> values;
        for (const OpSize& s : sizes)
        {
            values.push_back(value(s));
        }
        return values;
    };
    using S = const OpSize&;
    ResultTable table("/op_sizes");
    table.Add("run", "1", std::vector<uint32_t>(sizes.size(), run));
    table.Add("kind", "1", column([](S s) { return std::string(GetName(s.kind)); }));
    table.Add("layers", "1", column([](S s) { return s.layers; }));
    table.Add("flops", "FLOP", column([](S s) { return s.flops; }));
    table.Add("memory", "B", column([](S s) { return s.memoryBytes; }));
    table.Add("tensor", "B", column([](S s) { return s.tensorBytes.Get(); }));
    table.Add("context", "B", column([](S s) { return s.contextBytes.Get(); }));
    table.Add("forward", "s", column([](S s) { return s.forward.GetSeconds(); }));
    table.Add("backward", "s", column([](S s) { return s.backward.GetSeconds(); }));
    table.Add("weight_gradient", "s", column([](S s) { return s.weightGradient.GetSeconds(); }));
    table.Add("recomputed", "s", column([](S s) { return s.recomputed.GetSeconds(); }));
    return table;
}

} // namespace ns3
