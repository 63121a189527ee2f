/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "table-spill.h"

#include "ns3/mixnet-error.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <string>

namespace ns3
{

namespace
{

/// @param out file @param bytes written behind their number @return true when they are all there
bool
Put(std::FILE* out, const std::string& bytes)
{
    const uint64_t size = bytes.size();
    return std::fwrite(&size, sizeof(size), 1, out) == 1 &&
           std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
}

/// @param in file @return what Put() wrote
std::string
Take(std::FILE* in)
{
    uint64_t size = 0;
    MIXNET_CHECK(std::fread(&size, sizeof(size), 1, in) == 1, "a block of a table is missing");
    std::string bytes(size, '\0');
    MIXNET_CHECK(std::fread(bytes.data(), 1, size, in) == size, "a block of a table ends early");
    return bytes;
}

} // namespace

void
TableSpill::Append(const ResultTable& block)
{
    if (!m_file)
    {
        m_file = std::shared_ptr<std::FILE>(std::tmpfile(), [](std::FILE* f) {
            if (f != nullptr)
            {
                std::fclose(f);
            }
        });
    }
    std::ostringstream out(std::ios::binary);
    block.Save(out);
    if (!m_file || std::fseek(m_file.get(), 0, SEEK_END) != 0 || !Put(m_file.get(), out.str()) ||
        std::fflush(m_file.get()) != 0)
    {
        throw InputError("temporary space", std::string("cannot be used: ") + strerror(errno));
    }
    ++m_blocks;
}

void
TableSpill::ForEach(const Visitor& visit) const
{
    if (m_blocks > 0)
    {
        MIXNET_CHECK(std::fseek(m_file.get(), m_first, SEEK_SET) == 0, "a table is gone");
    }
    for (uint64_t b = 0; b < m_blocks; ++b)
    {
        std::istringstream in(Take(m_file.get()), std::ios::binary);
        visit(ResultTable::Load(in));
    }
}

bool
TableSpill::Save(std::FILE* out) const
{
    bool good = std::fwrite(&m_blocks, sizeof(m_blocks), 1, out) == 1;
    if (m_blocks > 0)
    {
        MIXNET_CHECK(std::fseek(m_file.get(), m_first, SEEK_SET) == 0, "a table is gone");
    }
    for (uint64_t b = 0; b < m_blocks && good; ++b)
    {
        good = Put(out, Take(m_file.get()));
    }
    return good;
}

TableSpill
TableSpill::Load(const std::shared_ptr<std::FILE>& in)
{
    TableSpill spill;
    MIXNET_CHECK(std::fread(&spill.m_blocks, sizeof(spill.m_blocks), 1, in.get()) == 1,
                 "a table ends too early");
    if (spill.m_blocks > 0)
    {
        spill.m_file = in;
        spill.m_first = std::ftell(in.get());
    }
    return spill;
}

} // namespace ns3
