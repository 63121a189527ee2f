/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IMPORTED_FILES_H
#define IMPORTED_FILES_H

#include "ns3/result-table.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// An imported file as a test writes it, with the HDF5 library alone: columns by path and
/// attributes of groups, so that a test can take any one of them away or spoil it.
struct ImportedFile
{
    /// Whole numbers by path, signed where one is below zero.
    std::map<std::string, std::vector<int64_t>> numbers;
    std::map<std::string, std::vector<double>> fractions;
    std::map<std::string, std::vector<std::string>> texts;
    std::map<std::pair<std::string, std::string>, std::string> words; ///< group, name
    std::map<std::pair<std::string, std::string>, int64_t> counts;    ///< group, name

    /// @param path file to write
    void Write(const std::filesystem::path& path) const
    {
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        for (const auto& [name, values] : numbers)
        {
            WriteColumn(file, name, H5T_STD_U64LE, H5T_NATIVE_INT64, values.size(), values.data());
        }
        for (const auto& [name, values] : fractions)
        {
            WriteColumn(file,
                        name,
                        H5T_IEEE_F64LE,
                        H5T_NATIVE_DOUBLE,
                        values.size(),
                        values.data());
        }
        for (const auto& [name, values] : texts)
        {
            constexpr std::size_t width = 16;
            std::string bytes;
            for (const auto& v : values)
            {
                bytes += v + std::string(width - v.size(), '\0');
            }
            const hid_t type = H5Tcopy(H5T_C_S1);
            H5Tset_size(type, width);
            WriteColumn(file, name, type, type, values.size(), bytes.data());
            H5Tclose(type);
        }
        for (const auto& [at, text] : words)
        {
            const hid_t type = H5Tcopy(H5T_C_S1);
            H5Tset_size(type, H5T_VARIABLE);
            const char* value = text.c_str();
            WriteAttribute(file, at, type, type, &value);
            H5Tclose(type);
        }
        for (const auto& [at, value] : counts)
        {
            WriteAttribute(file, at, H5T_STD_U64LE, H5T_NATIVE_INT64, &value);
        }
        H5Fclose(file);
    }

  private:
    static void WriteColumn(hid_t file,
                            const std::string& name,
                            hid_t type,
                            hid_t memory,
                            hsize_t rows,
                            const void* data)
    {
        const hid_t links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        const hid_t space = H5Screate_simple(1, &rows, nullptr);
        // Numbers below zero show that a reader does not take them for large ones.
        bool negative = false;
        for (hsize_t i = 0; memory == H5T_NATIVE_INT64 && i < rows; ++i)
        {
            const int64_t value = static_cast<const int64_t*>(data)[i];
            negative = negative || (value < 0 && value != -1);
        }
        const bool peer = name.find("peer") != std::string::npos;
        const hid_t stored = negative || peer ? H5T_STD_I64LE : type;
        const hid_t set =
            H5Dcreate2(file, name.c_str(), stored, space, links, H5P_DEFAULT, H5P_DEFAULT);
        ASSERT_GE(set, 0) << name;
        const bool plain = memory == H5T_NATIVE_INT64 && stored == H5T_STD_U64LE;
        if (rows > 0)
        {
            // -1 stands for the largest number of 64 bits
            H5Dwrite(set, plain ? H5T_NATIVE_UINT64 : memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        }
        H5Dclose(set);
        H5Sclose(space);
        H5Pclose(links);
    }

    static void WriteAttribute(hid_t file,
                               const std::pair<std::string, std::string>& at,
                               hid_t type,
                               hid_t memory,
                               const void* value)
    {
        if (H5Lexists(file, at.first.c_str(), H5P_DEFAULT) <= 0)
        {
            H5Gclose(H5Gcreate2(file, at.first.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        }
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate_by_name(file,
                                                  at.first.c_str(),
                                                  at.second.c_str(),
                                                  type,
                                                  space,
                                                  H5P_DEFAULT,
                                                  H5P_DEFAULT,
                                                  H5P_DEFAULT);
        H5Awrite(attribute, memory, value);
        H5Aclose(attribute);
        H5Sclose(space);
    }
};

/// "None" of a column of 32 bits.
constexpr int64_t NONE32 = UINT32_MAX;

/// One flow of a test.
struct TestFlow
{
    int64_t source;
    int64_t destination;
    int64_t bytes;
    int64_t start{0};
    int64_t trigger{NONE32};
    int64_t sendDone{NONE32};
    int64_t recvDone{NONE32};
};

/// @param flows flows @param hosts hosts @return a flow list
inline ImportedFile
MakeFlowList(const std::vector<TestFlow>& flows, int64_t hosts)
{
    ImportedFile f;
    f.words[{"/flows", "schema"}] = "mixnet-flows/1";
    f.counts[{"/flows", "hosts"}] = hosts;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const TestFlow& flow = flows[i];
        const auto row = static_cast<int64_t>(i);
        for (const auto& [name, value] : {std::pair<const char*, int64_t>{"id", row + 1},
                                          {"source", flow.source},
                                          {"destination", flow.destination},
                                          {"bytes", flow.bytes},
                                          {"start", flow.start},
                                          {"priority", 0},
                                          {"port", 0},
                                          {"trigger", flow.trigger},
                                          {"send_done", flow.sendDone},
                                          {"recv_done", flow.recvDone},
                                          {"line", row + 10}})
        {
            f.numbers[std::string("/flows/") + name].push_back(value);
        }
    }
    return f;
}

/// @param f flow list @param triggers kind and count of each
inline void
AddTriggers(ImportedFile& f, const std::vector<std::pair<int64_t, int64_t>>& triggers)
{
    for (std::size_t i = 0; i < triggers.size(); ++i)
    {
        f.numbers["/triggers/id"].push_back(static_cast<int64_t>(i) + 100);
        f.numbers["/triggers/kind"].push_back(triggers[i].first);
        f.numbers["/triggers/count"].push_back(triggers[i].second);
        f.numbers["/triggers/line"].push_back(0);
    }
}

/// One link of a test.
struct TestLink
{
    int64_t a;
    int64_t b;
    int64_t rate{100000000000};
    int64_t delay{1000000};
    double errorRate{0};
};

/// @param hosts plain hosts, nodes 0 to hosts - 1 @param tiers of the switches behind them
/// @param links links @param nodeDelay ps, of every switch @return a topology
inline ImportedFile
MakeTopology(int64_t hosts,
             const std::vector<int64_t>& tiers,
             const std::vector<TestLink>& links,
             int64_t nodeDelay = 0)
{
    ImportedFile f;
    f.words[{"/topology", "schema"}] = "mixnet-topology/1";
    f.counts[{"/topology", "hosts"}] = hosts;
    f.counts[{"/topology", "servers"}] = hosts;
    auto& n = f.numbers;
    const auto nodes = hosts + static_cast<int64_t>(tiers.size());
    for (int64_t i = 0; i < nodes; ++i)
    {
        const bool host = i < hosts;
        n["/topology/nodes/id"].push_back(i);
        n["/topology/nodes/kind"].push_back(host ? 0 : 3);
        n["/topology/nodes/server"].push_back(host ? i : NONE32);
        n["/topology/nodes/host"].push_back(host ? i : NONE32);
        n["/topology/nodes/tier"].push_back(host ? 0 : tiers[static_cast<std::size_t>(i - hosts)]);
        n["/topology/nodes/delay"].push_back(host ? 0 : nodeDelay);
        if (host)
        {
            n["/topology/servers/gpus"].push_back(1);
            n["/topology/servers/first_host"].push_back(i);
            n["/topology/servers/scale_up_rate"].push_back(0);
        }
    }
    for (const TestLink& l : links)
    {
        n["/topology/links/a"].push_back(l.a);
        n["/topology/links/b"].push_back(l.b);
        n["/topology/links/rate"].push_back(l.rate);
        n["/topology/links/delay"].push_back(l.delay);
        f.fractions["/topology/links/error_rate"].push_back(l.errorRate);
        n["/topology/links/scale_up"].push_back(0);
        n["/topology/links/line"].push_back(0);
    }
    return f;
}

/// A folder of its own.
class ImportedFileTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "mixnet-imported-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_dir);
    }

    /// @param file content @param name of the file @return its path
    std::string Write(const ImportedFile& file, const std::string& name)
    {
        file.Write(m_dir / name);
        return (m_dir / name).string();
    }

    /// @param read reads a file @param file content @return message of the refusal, empty: accepted
    template <class Reader>
    std::string Refusal(const Reader& read, const ImportedFile& file)
    {
        try
        {
            read(Write(file, "spoiled.h5"));
        }
        catch (const std::runtime_error& e)
        {
            return e.what();
        }
        return "";
    }

    std::filesystem::path m_dir;
};

} // namespace ns3

#endif // IMPORTED_FILES_H
