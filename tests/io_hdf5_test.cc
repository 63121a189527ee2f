/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hdf5-reader.h"
#include "ns3/hdf5-writer.h"
#include "ns3/mixnet-error.h"
#include "ns3/token-trace-reader.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <iostream>
#include <sstream>
#include <sys/resource.h>

using namespace ns3;
namespace fs = std::filesystem;

namespace
{

class Hdf5 : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "mixnet-h5-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
    }

    void TearDown() override
    {
        fs::remove_all(m_dir);
    }

    /// @param path file @return its bytes
    static std::string Bytes(const fs::path& path)
    {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }

    /// What a test trace holds.
    struct TraceSpec
    {
        std::vector<hsize_t> shape{2, 1, 2, 4};
        std::vector<int64_t> tokens{1, 2, 3, 0, 2, 2, 1, 1, 0, 6, 0, 0, 3, 1, 1, 1};
        std::vector<int64_t> in{3, 3, 3, 3};
        std::string destination{"expert"};
        int64_t experts{4};
        int64_t topK{2};
        bool withIn{true};
        bool dropped{false};
        bool deduplicated{false};
    };

    /// @param spec content @return path of a trace written with the HDF5 library alone
    fs::path WriteTrace(const TraceSpec& spec)
    {
        const fs::path path = m_dir / "trace.h5";
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t data = WriteInts(file, "/tokens", spec.shape, spec.tokens);
        for (const auto& [name, text] : {std::pair<const char*, std::string>{"model", "test"},
                                         {"source", "written by a test"},
                                         {"licence", "none"},
                                         {"destination", spec.destination}})
        {
            WriteText(data, name, text);
        }
        for (const auto& [name, value] : {std::pair<const char*, int64_t>{"top_k", spec.topK},
                                          {"hidden_size", 64},
                                          {"bytes_per_element", 2},
                                          {"experts", spec.experts},
                                          {"layers", static_cast<int64_t>(spec.shape[1])}})
        {
            WriteCount(data, name, value);
        }
        if (spec.dropped)
        {
            WriteCount(data, "dropped", 1);
        }
        if (spec.deduplicated)
        {
            WriteCount(data, "deduplicated", 1);
        }
        H5Dclose(data);
        if (spec.withIn)
        {
            H5Dclose(WriteInts(file,
                               "/tokens_in",
                               {spec.shape[0], spec.shape[1], spec.shape[2]},
                               spec.in));
        }
        H5Fclose(file);
        return path;
    }

    static hid_t WriteInts(hid_t file,
                           const char* name,
                           const std::vector<hsize_t>& shape,
                           const std::vector<int64_t>& values)
    {
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t data =
            H5Dcreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Sclose(space);
        return data;
    }

    static void WriteText(hid_t object, const char* name, const std::string& text)
    {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, text.size());
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, text.data());
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }

    static void WriteCount(hid_t object, const char* name, int64_t value)
    {
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute =
            H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT64, &value);
        H5Aclose(attribute);
        H5Sclose(space);
    }

    fs::path m_dir;
};

/// @return a small table with every type of column
ResultTable
MakeTable()
{
    ResultTable table("/demo");
    table.Add("time", "s", std::vector<double>{0.5, 1.25});
    table.Add("signed", "1", std::vector<int64_t>{-1, 2});
    table.Add("bytes", "B", std::vector<uint64_t>{1ULL << 40, 7});
    table.Add("name", "text", std::vector<std::string>{"a", "longer"});
    return table;
}

TEST_F(Hdf5, SameTablesSameBytes)
{
    for (const char* name : {"a.h5", "b.h5"})
    {
        Hdf5Writer writer((m_dir / name).string());
        writer.WriteAttribute("schema", "test/1");
        writer.Write(MakeTable());
        writer.WriteArray("/cube", {2, 2}, {1, 2, 3, 4}, "B");
        writer.Commit();
    }
    ASSERT_GT(fs::file_size(m_dir / "a.h5"), 1000U);
    EXPECT_EQ(Bytes(m_dir / "a.h5"), Bytes(m_dir / "b.h5"));
    const Hdf5Reader reader((m_dir / "a.h5").string());
    EXPECT_EQ(reader.GetShape("/demo/time"), std::vector<uint64_t>{2});
    EXPECT_EQ(reader.ReadText("/demo/bytes", "unit"), "B");
    EXPECT_EQ(reader.ReadUint32("/cube"), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST_F(Hdf5, NothingIsLeftWithoutCommit)
{
    {
        Hdf5Writer writer((m_dir / "a.h5").string());
        writer.Write(MakeTable());
    }
    EXPECT_TRUE(fs::is_empty(m_dir));
    EXPECT_THROW(Hdf5Writer((m_dir / "no" / "dir" / "a.h5").string()), InputError);
}

/// @param dir removed at the end @param limit bytes that a file may have, as on a disk that fills
/// up
[[noreturn]] void
WriteUnderLimit(const fs::path& dir, rlim_t limit)
{
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit low{limit, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
    std::string said;
    try
    {
        std::vector<uint64_t> noise(100000, 1);
        for (std::size_t i = 1; i < noise.size(); ++i)
        {
            noise[i] = noise[i - 1] * 6364136223846793005U + 1442695040888963407U;
        }
        ResultTable table("/noise");
        table.Add("value", "1", noise);
        Hdf5Writer writer((dir / "a.h5").string());
        writer.Write(table);
        writer.Commit();
    }
    catch (const InputError& error)
    {
        said = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    const bool clean = fs::is_empty(dir);
    fs::remove_all(dir);
    std::cerr << said << (clean ? "" : " and a file is left") << std::endl;
    std::exit(said.empty() ? 0 : 1); // with what the library does at the end of a process
}

TEST_F(Hdf5, FullDisksAreSaid)
{
    // A process of its own for each: the library is prepared before its first use only.
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    for (const rlim_t limit : {0, 100, 3000, 300000})
    {
        EXPECT_EXIT(WriteUnderLimit(m_dir, limit),
                    ::testing::ExitedWithCode(1),
                    "cannot be written: File too large\n");
    }
    EXPECT_EXIT(WriteUnderLimit(m_dir, RLIM_INFINITY), ::testing::ExitedWithCode(0), "left");
}

TEST_F(Hdf5, TablesTravelBetweenProcesses)
{
    std::stringstream stream;
    MakeTable().Save(stream);
    ResultTable copy = ResultTable::Load(stream);
    copy.Append(MakeTable());
    EXPECT_EQ(copy.GetNRows(), 4U);
    EXPECT_EQ(std::get<std::vector<std::string>>(copy.GetColumns()[3].values)[3], "longer");
    EXPECT_EQ(std::get<std::vector<uint64_t>>(copy.GetColumns()[2].values)[2], 1ULL << 40);
}

TEST_F(Hdf5, ReadsATrace)
{
    const TokenTrace trace = ReadTokenTrace(WriteTrace(TraceSpec()).string());
    EXPECT_EQ(trace.iterations, 2U);
    EXPECT_EQ(trace.ranks, 2U);
    EXPECT_EQ(trace.At(0, 0, 1, 0), 2U);
    EXPECT_EQ(trace.At(1, 0, 0, 1), 6U);
    EXPECT_EQ(trace.model, "test");
    EXPECT_EQ(trace.contentHash.size(), 16U);
}

TEST_F(Hdf5, RefusesBadTraces)
{
    const auto refused = [&](const TraceSpec& spec) {
        try
        {
            ReadTokenTrace(WriteTrace(spec).string());
        }
        catch (const InputError& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    TraceSpec sums;
    sums.in[2] = 4;
    EXPECT_NE(refused(sums).find("/tokens[1, 0, 0]"), std::string::npos) << refused(sums);
    sums.dropped = true;
    EXPECT_EQ(refused(sums), "") << "dropped tokens make row sums free";
    TraceSpec different; // of 3 tokens, 6 are on one destination
    different.deduplicated = true;
    EXPECT_NE(refused(different).find("6 of 3 different tokens"), std::string::npos);
    different.tokens[9] = 3;
    EXPECT_EQ(refused(different), "");
    different.tokens[10] = different.tokens[11] = 2; // 7 of 3 x top-2
    EXPECT_NE(refused(different).find("7 in all"), std::string::npos);
    TraceSpec negative;
    negative.tokens[3] = -1;
    EXPECT_NE(refused(negative).find("element 3"), std::string::npos) << refused(negative);
    TraceSpec kind;
    kind.destination = "planet";
    EXPECT_NE(refused(kind).find("planet"), std::string::npos) << refused(kind);
    TraceSpec experts;
    experts.experts = 8;
    EXPECT_NE(refused(experts), "");
    TraceSpec few;
    few.destination = "rank";
    few.experts = 1;
    EXPECT_NE(refused(few).find("top_k is 2 of 1"), std::string::npos) << refused(few);
    TraceSpec unknown;
    unknown.topK = 0;
    EXPECT_NE(refused(unknown).find("top_k is 0"), std::string::npos) << refused(unknown);
    unknown.withIn = false;
    EXPECT_EQ(refused(unknown), "") << "without tokens nothing depends on it";
    TraceSpec flat;
    flat.shape = {16, 1, 1};
    flat.withIn = false;
    EXPECT_NE(refused(flat), "");
}

TEST_F(Hdf5, RefusesFilesThatAreNoTrace)
{
    EXPECT_THROW(ReadTokenTrace((m_dir / "absent.h5").string()), InputError);
    EXPECT_THROW(ReadTokenTrace(m_dir.string()), InputError);
    std::ofstream(m_dir / "empty.h5").close();
    EXPECT_THROW(ReadTokenTrace((m_dir / "empty.h5").string()), InputError);
    std::ofstream(m_dir / "text.h5") << "not a trace";
    EXPECT_THROW(ReadTokenTrace((m_dir / "text.h5").string()), InputError);
    const fs::path good = WriteTrace(TraceSpec());
    const std::string bytes = Bytes(good);
    std::ofstream(m_dir / "cut.h5", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    EXPECT_THROW(ReadTokenTrace((m_dir / "cut.h5").string()), InputError);
}

} // namespace
