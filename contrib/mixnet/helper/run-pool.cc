/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-pool.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Set by the signal handler: the one process-wide flag there is, because a signal has no object.
volatile std::sig_atomic_t g_interrupted = 0;

/// @param signal unused
void
OnSignal(int /* signal */)
{
    g_interrupted = g_interrupted + 1;
    if (g_interrupted >= 3)
    {
        _exit(130); // whoever asks three times does not want to wait
    }
}

/// Sets the handlers and puts the old ones back.
class SignalGuard
{
  public:
    SignalGuard()
    {
        struct sigaction action = {};
        action.sa_handler = OnSignal;
        sigaction(SIGINT, &action, &m_interrupt);
        sigaction(SIGTERM, &action, &m_terminate);
    }

    ~SignalGuard()
    {
        sigaction(SIGINT, &m_interrupt, nullptr);
        sigaction(SIGTERM, &m_terminate, nullptr);
    }

    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

  private:
    struct sigaction m_interrupt = {}; //!< before
    struct sigaction m_terminate = {}; //!< before
};

/// A child process and the file without a name through which its result comes back.
struct Child
{
    std::size_t index{0};            //!< variant
    std::shared_ptr<std::FILE> file; //!< its result
};

/// @param job work @param index variant @param slot counters @return result, whatever happens
RunResult
Guarded(const RunPool::Job& job, std::size_t index, SharedProgress::Slot& slot)
{
    RunResult result;
    try
    {
        result = job(index, slot);
    }
    catch (const InputError& e)
    {
        result.status = RunStatus::BAD_INPUT;
        result.message = e.what();
    }
    catch (const std::exception& e)
    {
        result.status = RunStatus::INTERNAL;
        result.message = e.what();
    }
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    result.cpuSeconds = static_cast<double>(usage.ru_utime.tv_sec) +
                        static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
    result.peakBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    return result;
}

/// @param file file of the child @param result what to write @return true when it is all there
bool
WriteResult(std::FILE* file, const RunResult& result)
{
    std::ostringstream out(std::ios::binary);
    result.Save(out);
    const std::string bytes = out.str();
    const uint64_t size = bytes.size();
    return std::fwrite(&size, sizeof(size), 1, file) == 1 &&
           std::fwrite(bytes.data(), 1, size, file) == size && result.spill.Save(file) &&
           std::fflush(file) == 0;
}

/// @param file file of an ended child @param status as waitpid gave it @return its result
RunResult
ReadResult(const std::shared_ptr<std::FILE>& file, int status)
{
    RunResult result;
    result.status = RunStatus::INTERNAL;
    if (WIFSIGNALED(status))
    {
        result.message = std::string("died of signal ") + strsignal(WTERMSIG(status));
        return result;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        result.message = "could not hand over its result (temporary space full?)";
        return result;
    }
    std::rewind(file.get());
    uint64_t size = 0;
    MIXNET_CHECK(std::fread(&size, sizeof(size), 1, file.get()) == 1, "a result is missing");
    std::string bytes(size, '\0');
    MIXNET_CHECK(std::fread(bytes.data(), 1, size, file.get()) == size, "a result ends too early");
    std::istringstream in(bytes, std::ios::binary);
    result = RunResult::Load(in);
    result.spill = TableSpill::Load(file);
    return result;
}

/// @param index variant @param job work @param progress counters @return pid and child
std::pair<pid_t, Child>
Start(std::size_t index, const RunPool::Job& job, SharedProgress& progress)
{
    Child child;
    child.index = index;
    std::FILE* const file = std::tmpfile();
    if (file == nullptr)
    {
        throw InputError("temporary space", std::string("cannot be used: ") + strerror(errno));
    }
    child.file = std::shared_ptr<std::FILE>(file, std::fclose);
    std::fflush(stdout);
    std::fflush(stderr);
    const pid_t pid = fork();
    MIXNET_CHECK(pid >= 0, "fork: " << strerror(errno));
    if (pid == 0)
    {
        const RunResult result = Guarded(job, index, progress.At(index));
        _exit(WriteResult(child.file.get(), result) ? 0 : 1);
    }
    return {pid, std::move(child)};
}

} // namespace

RunPool::RunPool(unsigned jobs, bool progress)
    : m_jobs(jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency())),
      m_progress(progress)
{
}

bool
RunPool::IsInterrupted()
{
    return g_interrupted != 0;
}

std::vector<RunResult>
RunPool::Run(std::size_t runs, const Job& job)
{
    const SignalGuard guard;
    SharedProgress progress(runs);
    ProgressLine line(progress, m_progress);
    std::map<pid_t, Child> children;
    std::vector<RunResult> results(runs);
    std::size_t next = 0;
    bool forwarded = false;
    while (next < runs || !children.empty())
    {
        while (next < runs && children.size() < m_jobs && !IsInterrupted())
        {
            children.insert(Start(next, job, progress));
            ++next;
        }
        if (children.empty())
        {
            break;
        }
        if (IsInterrupted() && !forwarded)
        {
            // A signal from a terminal reaches the children as well, one from a program does not.
            forwarded = true;
            for (const auto& [child, ignored] : children)
            {
                kill(child, SIGINT);
            }
        }
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        const auto it = children.find(pid);
        if (it != children.end())
        {
            results[it->second.index] = ReadResult(it->second.file, status);
            auto& slot = progress.At(it->second.index);
            slot.done.store(std::max<uint64_t>(slot.total.load(), 1));
            slot.total.store(slot.done.load());
            children.erase(it);
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        line.Update();
    }
    results.resize(next);
    return results;
}

} // namespace ns3
