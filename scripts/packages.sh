# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
#
# The Debian packages of packages.txt: which are missing, and how they are installed.
# shellcheck shell=bash disable=SC2154

package_list() { sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$root/packages.txt"; }

missing_packages() {
    local installed name
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    for name in $(package_list); do
        grep -qxF "$name" <<<"$installed" || echo "$name"
    done
}

# Writes the Debian entries among the machine's apt sources, as TYPE (deb or deb-src), to a private
# folder, so that a broken entry of somebody else cannot stop us and nothing under /etc changes.
# An entry is Debian's when its address ends in debian or debian-security (or names a snapshot or a
# mirror list of it), its components have main, and its key, where named, is the archive's.
debian_entries() { # TYPE FOLDER
    local type=$1 folder=$2 file
    rm -rf "$folder/sources" && mkdir -p "$folder/sources" "$folder/lists/partial" "$folder/cache/archives/partial" ||
        die "cannot write $folder$(disk_hint "$folder")"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] && sed '/^#/d' "$file" && echo
    done | awk -v type="$type" -f "$root/scripts/debian-stanzas.awk" >"$folder/sources/debian.sources"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$file" ] && cat "$file"
    done | awk -v type="$type" -f "$root/scripts/debian-lines.awk" | sort -u >"$folder/sources/debian.list"
    [ -s "$folder/sources/debian.sources" ] || [ -s "$folder/sources/debian.list" ]
}

private_apt() { # FOLDER TOOL ARGS...
    local folder=$1 tool=$2
    shift 2
    LC_ALL=C DEBIAN_FRONTEND=noninteractive "$tool" \
        -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/sources" \
        -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" \
        -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=20 \
        -o APT::Sandbox::User=root -o DPkg::Lock::Timeout=300 "$@"
}

ensure_packages() {
    local missing folder=$build/apt
    begin
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        local tool
        for tool in g++ cmake ninja "$python"; do
            command -v "$tool" >/dev/null ||
                die "no $tool, and this is no Debian machine: install what $root/packages.txt lists"
        done
        return
    fi
    missing=$(missing_packages | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return
    if [ "$(id -u)" != 0 ]; then
        say "these Debian packages are missing; as root:"
        echo "apt-get install --no-install-recommends $missing"
        exit 1
    fi
    need_space /usr 750 "installing packages"
    say "[$step_number/$step_total] installing Debian packages: $missing"
    debian_entries deb "$folder" || die "no Debian entry among the apt sources of this machine: install $missing by hand"
    step "package lists" apt-update private_apt "$folder" apt-get update || registry_unreachable apt-update
    step "installing packages" apt-install \
        private_apt "$folder" apt-get install -y --no-install-recommends $missing || fail "installing packages" apt-install
    rm -rf "$folder"
}

registry_unreachable() { # LOG
    local reason
    reason=$(network_reason "$1")
    ! grep -q 'No space left on device' "$logs/$1.log" || fail "fetching packages" "$1"
    die "the package registry is out of reach: ${reason:-see $logs/$1.log}"
}
