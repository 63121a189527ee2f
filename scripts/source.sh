# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
#
# Where the ns-3 sources come from: a tree the user names, or one download per user (Debian's source
# package, else the release tarball), checked by SHA-256.
# shellcheck shell=bash disable=SC2154

ns3_version=3.37
ns3_sha256=dfa5ca1994ff3dbe1d4b23cef54e05e6079f5707a2ed6055f717bdd5b458c38d
ns3_release=https://www.nsnam.org/releases/ns-allinone-$ns3_version.tar.bz2

# Sets `archive` to a checked tarball of ns-3, downloading it where the cache has none.
fetch_archive() {
    local folder=$cache/download
    mkdir -p "$folder" 2>/dev/null || die "cache folder $cache is not writable$(disk_hint "$cache")"
    lock 8 "$folder/lock" "downloads ns-3 to the same cache"
    archive=$folder/ns3_$ns3_version.orig.tar.bz2
    if ! archive_is_good; then
        rm -f "$archive" "$logs"/source-*.log
        need_space "$folder" 120 "the ns-3 download"
        fetch_from_debian "$folder/apt" || fetch_release || no_source
        archive_is_good || die "$archive is not ns-3 $ns3_version: its SHA-256 differs from $ns3_sha256"
    fi
    unlock 8
}

archive_is_good() { [ -f "$archive" ] && [ "$(sha256sum <"$archive")" = "$ns3_sha256  -" ]; }

fetch_from_debian() { # FOLDER
    local folder=$1 rc=1
    command -v apt-get >/dev/null && debian_entries deb-src "$folder" || return 1
    if step "source lists" source-update private_apt "$folder" apt-get update; then
        step "downloading ns-3 $ns3_version (Debian source package, 40 MB)" source-fetch \
            download_source "$folder" && mv "$folder/$(basename "$archive")" "$archive" && rc=0
    fi
    rm -rf "$folder"
    return $rc
}

download_source() { # FOLDER
    local folder=$1 version
    version=$(private_apt "$folder" apt-cache showsrc ns3 | sed -n "s/^Version: \($ns3_version-.*\)/\1/p" | sort -V | tail -n 1)
    [ -n "$version" ] || { echo "E: the Debian sources of this machine have no ns3 $ns3_version"; return 1; }
    cd "$folder" && private_apt "$folder" apt-get source --download-only --tar-only "ns3=$version"
}

fetch_release() {
    step "downloading ns-3 $ns3_version (release tarball, 40 MB)" source-release \
        "$python" "$root/scripts/download.py" "$ns3_release" "$archive"
}

no_source() {
    local log reason
    for log in source-update source-fetch source-release; do
        ! grep -qs 'No space left on device' "$logs/$log.log" || fail "downloading ns-3" "$log"
    done
    reason=$(network_reason source-update source-fetch source-release)
    die "ns-3 cannot be downloaded, neither from Debian nor from its site (${reason:-see $logs}): ./mixnet setup --ns3 DIR takes a tree you have"
}

# Dies unless DIR is an ns-3 tree that the module supports.
check_named_tree() { # DIR
    local dir=$1 version
    [ -d "$dir" ] || die "--ns3 $dir: no such folder"
    [ -f "$dir/VERSION" ] && [ -f "$dir/ns3" ] && [ -d "$dir/src/core" ] ||
        die "--ns3 $dir: no ns-3 tree (VERSION, ns3 and src/core are expected there)"
    version=$(head -n 1 "$dir/VERSION")
    case $version in
        3-dev) ;;
        3.*) version=${version#3.}
            [ "${version%%[!0-9]*}" -ge 37 ] || die "--ns3 $dir: ns-3.$version is too old (3.37 is the oldest)" ;;
        *) die "--ns3 $dir: VERSION says '$version', expected 3.37 or newer" ;;
    esac
}

# Copies the sources of the tree DIR into TO. Times are kept, so only changed files are built again.
copy_tree() { # DIR TO
    tar -C "$1" --exclude=./build --exclude=./cmake-cache --exclude=./.git --exclude='./.lock-ns3*' \
        --exclude=./contrib/mixnet --exclude=./scratch/mixnet -cf - . | tar -xf - -C "$2"
}

unpack_archive() { # TO
    tar -xjf "$archive" -C "$1" --strip-components=2 "ns-allinone-$ns3_version/ns-$ns3_version"
}
