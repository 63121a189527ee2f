/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "progress-line.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace ns3
{

SharedProgress::SharedProgress(std::size_t runs)
    : m_runs(runs)
{
    void* memory = mmap(nullptr,
                        sizeof(Slot) * std::max<std::size_t>(runs, 1),
                        PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS,
                        -1,
                        0);
    MIXNET_CHECK(memory != MAP_FAILED, "no shared memory for the progress line");
    m_slots = static_cast<Slot*>(memory);
    for (std::size_t i = 0; i < runs; ++i)
    {
        new (m_slots + i) Slot;
    }
}

SharedProgress::~SharedProgress()
{
    munmap(m_slots, sizeof(Slot) * std::max<std::size_t>(m_runs, 1));
}

SharedProgress::Slot&
SharedProgress::At(std::size_t run)
{
    return m_slots[run];
}

std::size_t
SharedProgress::GetN() const
{
    return m_runs;
}

ProgressLine::ProgressLine(SharedProgress& progress, bool enabled)
    : m_progress(progress),
      m_enabled(enabled),
      m_terminal(isatty(STDERR_FILENO) != 0),
      m_start(std::chrono::steady_clock::now()),
      m_last(m_start)
{
}

ProgressLine::~ProgressLine()
{
    if (m_enabled && m_terminal && m_last != m_start)
    {
        std::fprintf(stderr, "\r\033[K");
    }
}

void
ProgressLine::Update()
{
    using namespace std::chrono;
    const auto now = steady_clock::now();
    const auto pause = m_terminal ? seconds(1) : seconds(10);
    if (!m_enabled || now - m_last < pause)
    {
        return;
    }
    m_last = now;
    double share = 0;
    double simulated = 0;
    std::size_t active = 0;
    std::size_t finished = 0;
    for (std::size_t i = 0; i < m_progress.GetN(); ++i)
    {
        const auto& slot = m_progress.At(i);
        const auto total = static_cast<double>(slot.total.load());
        const auto done = static_cast<double>(slot.done.load());
        const double part = total > 0 ? std::min(1.0, done / total) : 0;
        share += part / static_cast<double>(m_progress.GetN());
        active += part > 0 && part < 1 ? 1 : 0;
        finished += part >= 1 ? 1 : 0;
        simulated += static_cast<double>(slot.picoseconds.load()) * 1e-12;
    }
    const double elapsed = duration<double>(now - m_start).count();
    const double left = share > 0 ? elapsed * (1 - share) / share : 0;
    std::fprintf(stderr,
                 "%s%5.1f %%  runs %zu/%zu done, %zu active  simulated %.3f s  elapsed %.0f s  "
                 "left %.0f s%s",
                 m_terminal ? "\r\033[K" : "",
                 100 * share,
                 finished,
                 m_progress.GetN(),
                 active,
                 simulated,
                 elapsed,
                 left,
                 m_terminal ? "" : "\n");
    std::fflush(stderr);
}

} // namespace ns3
