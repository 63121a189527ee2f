# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
#
# The prepared ns-3 tree of this checkout: made, configured and built.
# shellcheck shell=bash disable=SC2154

# ns-3's scripts and CMake macros trip over blanks in the path of the tree. A checkout with such a
# path gets its tree in the cache; build/ns-3 is then a link to it.
locate_tree() {
    local hash
    if plain_path "$build"; then
        tree=$build/ns-3
        return
    fi
    # The place of an earlier call, wherever the cache was then.
    tree=$(readlink "$build/ns-3" 2>/dev/null)
    if [ -z "${option_cache:-}" ] && [ -f "${tree:-/}/.mixnet-source" ] &&
        [ "$(cat "$(dirname "$tree")/checkout" 2>/dev/null)" = "$root" ]; then
        return
    fi
    hash=$(printf '%s' "$root" | sha256sum | cut -c 1-16)
    if plain_path "$cache"; then
        tree=$cache/trees/$hash/ns-3
    else
        tree=/var/tmp/ns3-mixnet-$(id -u)/trees/$hash/ns-3
    fi
}

prepare_place() {
    local home
    home=$(dirname "$tree")
    [ "$home" = "$build" ] && return
    (umask 077 && mkdir -p "$home") 2>/dev/null && [ -O "$home" ] && [ -w "$home" ] ||
        die "cannot write to $home$(disk_hint "$home")"
    printf '%s\n' "$root" >"$home/checkout"
    forget_lost_trees "$(dirname "$home")"
    if [ ! -L "$build/ns-3" ]; then rm -rf "$build/ns-3"; fi
    ln -sfn "$tree" "$build/ns-3"
}

# Removes trees in the cache whose checkout is gone.
forget_lost_trees() { # FOLDER
    local file
    for file in "$1"/*/checkout; do
        [ -f "$file" ] && [ ! -d "$(cat "$file")" ] && rm -rf "$(dirname "$file")"
    done
}

# Makes or renews the sources of the tree.
ensure_tree() {
    local part=$tree.part
    begin
    prepare_place
    if [ -n "${option_ns3:-}" ]; then
        check_named_tree "$option_ns3"
        [ "$(realpath "$option_ns3")" != "$(realpath -m "$tree")" ] || die "--ns3 $option_ns3: this is the prepared tree itself"
    elif [ -f "$tree/.mixnet-source" ]; then
        return
    fi
    need_space "$(dirname "$tree")" 300 "the ns-3 tree and its build"
    rm -rf "$part"
    if [ -n "${option_ns3:-}" ]; then
        local version
        version=$(head -n 1 "$option_ns3/VERSION")
        [ "$(head -n 1 "$tree/VERSION" 2>/dev/null)" = "$version" ] || rm -rf "$tree"
        mkdir -p "$tree" || die "cannot write to $tree"
        step "copying ns-3 $version from $option_ns3" tree copy_tree "$option_ns3" "$tree" ||
            fail "copying $option_ns3" tree
        printf '%s\n' "ns-3 $version, copied from $(realpath "$option_ns3")" >"$tree/.mixnet-source"
        return
    fi
    fetch_archive
    mkdir -p "$part" || die "cannot write to $part"
    step "unpacking ns-3 $ns3_version" tree unpack_archive "$part" || { rm -rf "$part"; fail "unpacking ns-3" tree; }
    rm -rf "$tree"
    mv "$part" "$tree" || die "cannot write to $tree"
    printf '%s\n' "ns-3 $ns3_version, SHA-256 $ns3_sha256" >"$tree/.mixnet-source"
}

link_into_tree() { # TARGET LINK
    [ "$(readlink "$2" 2>/dev/null)" = "$1" ] && return
    [ ! -e "$2" ] || [ -L "$2" ] || die "$2 is in the way: it should be a link to $1"
    ln -sfn "$1" "$2" || die "cannot write to $(dirname "$2")"
}

# ccache with settings of our own: whoever compiles in the tree, by whatever script, leaves the
# user's ccache alone. CMake of ns-3 calls it as CCACHE, also to change its settings. The ignored
# option is a macro that no source of ns-3 uses; its value is the path of the tree.
write_compiler_cache() {
    local file=$tree/.mixnet-ccache folder text
    printf -v folder '%q' "$cache/ccache"
    text="#!/bin/sh
export CCACHE_DIR=$folder CCACHE_CONFIGPATH=$folder/ccache.conf
export CCACHE_BASEDIR='$tree' CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS='-DPROJECT_SOURCE_PATH=*'
command -v ccache >/dev/null && exec ccache \"\$@\"
case \$1 in --*) ;; *) exec \"\$@\" ;; esac"
    [ "$(cat "$file" 2>/dev/null)" = "$text" ] && return
    printf '%s\n' "$text" >"$file" && chmod +x "$file" || die "cannot write to $tree$(disk_hint "$tree")"
}

# What ns-3 is configured with: the `optimized` profile without -march=native: results must not depend on the machine.
# Colors are fixed here, because ./ns3 and plain ninja set them differently and would rebuild all.
# Without the tree's path in __FILE__, objects are the same in every checkout and ccache finds them.
tree_settings=(
    -G Ninja
    -DCMAKE_BUILD_TYPE=release -DNS3_ASSERT=OFF -DNS3_LOG=OFF -DNS3_WARNINGS_AS_ERRORS=OFF
    -DNS3_NATIVE_OPTIMIZATIONS=OFF -DNS3_PRECOMPILE_HEADERS=OFF
    -DNS3_EXAMPLES=ON -DNS3_TESTS=ON "-DNS3_ENABLED_MODULES=mixnet;applications"
    -DNS3_FILTER_MODULE_EXAMPLES_AND_TESTS=mixnet
    -DNS3_EMU=OFF -DNS3_TAP=OFF -DNS3_GSL=OFF -DNS3_GTK3=OFF -DNS3_SQLITE=OFF -DNS3_VISUALIZER=OFF
    -DNS3_COLORED_OUTPUT=ON -DPython3_EXECUTABLE=/usr/bin/python3
)

configure_tree() {
    local stamp wanted flags
    begin
    link_into_tree "$root/contrib/mixnet" "$tree/contrib/mixnet"
    link_into_tree "$root/scratch" "$tree/scratch/mixnet"
    write_compiler_cache
    stamp=$tree/.mixnet-configured
    flags=("${tree_settings[@]}" "-DCMAKE_CXX_FLAGS=-ffp-contract=off -fmacro-prefix-map=$tree/=")
    wanted=$(printf '%s\n' "$tree" "${flags[@]}")
    drop_stale_headers
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && [ -f "$tree/cmake-cache/build.ninja" ] && return
    # Objects of another place are of no use; ccache gives them back.
    grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" "$tree/cmake-cache/CMakeCache.txt" ||
        rm -rf "$tree/cmake-cache" "$tree/build"
    rm -f "$stamp"
    step "configuring ns-3" configure cmake -S "$tree" -B "$tree/cmake-cache" "${flags[@]}" \
        "-DCCACHE=$tree/.mixnet-ccache" || fail "configuring ns-3" configure
    check_configured
    unify_headers
    list_scratch
    printf '%s\n' "$wanted" >"$stamp"
}

# ns-3 ends its configuration with success even where modules drop out.
check_configured() {
    local text
    text=$(strip_colors <"$logs/configure.log")
    if grep -q 'module skipped, missing' <<<"$text"; then
        die "$(grep -m 1 'module skipped, missing' <<<"$text" | sed 's/^ *//')"
    fi
    if grep -q '^Modules that cannot be built' <<<"$text"; then
        die "ns-3 cannot build: $(sed -n '/^Modules that cannot be built/,/^$/p' <<<"$text" | sed 1d | xargs) (see $logs/configure.log)"
    fi
    sed -n '/^Modules configured to be built/,/^-- /p' <<<"$text" | grep -qw mixnet ||
        die "ns-3 did not take the mixnet module (see $logs/configure.log)"
}

# ns-3 writes one stub per header, which includes the real one by its absolute path. Relative paths
# make the stubs alike in all checkouts, so that ccache needs no preprocessor to find an object.
unify_headers() {
    local include=$tree/build/include/ns3 stubs
    mapfile -t stubs < <(grep -l "^#include \"$tree/src/" "$include"/*.h)
    [ ${#stubs[@]} = 0 ] || sed -i "s|^#include \"$tree/src/|#include \"../../../src/|" "${stubs[@]}" ||
        die "cannot write to $include$(disk_hint "$tree")"
}

# ./ns3 notices a new scratch program by comparing with this list, which its own configure writes.
list_scratch() {
    "$python" -c "
import glob, sys
found = glob.glob(sys.argv[1] + '/scratch/**/*.cc', recursive=True)
open(sys.argv[1] + '/cmake-cache/ns3scratches', 'w').write('\\n'.join(found))" "$tree" ||
        die "cannot write to $tree$(disk_hint "$tree")"
}

# ns-3 never renews the stub of a header that has moved between our folders.
drop_stale_headers() {
    local include=$tree/build/include/ns3 target
    [ -d "$include" ] || return 0
    while read -r target; do
        [ -f "$target" ] || { rm -f "$include/${target##*/}"; touch "$tree/CMakeLists.txt"; }
    done < <(sed -n 's|^#include "\(.*/contrib/mixnet/.*\)"$|\1|p' "$include"/*.h 2>/dev/null)
}

build_tree() { # TARGETS...
    begin
    step "building ns-3 and mixnet" build-tree env CLICOLOR=1 \
        cmake --build "$tree/cmake-cache" -j "$jobs" ${1:+--target "$@"} || fail "building ns-3 and mixnet" build-tree
}

configure_tests() {
    begin
    local wanted
    wanted=$(printf '%s\n' "$tree" "$root")
    [ "$(cat "$build/cmake/.mixnet-configured" 2>/dev/null)" = "$wanted" ] && return
    rm -rf "$build/cmake"
    step "configuring the tests" configure-tests cmake -S "$root" -B "$build/cmake" -G Ninja \
        "-DMIXNET_NS3_DIR=$tree" || fail "configuring the tests" configure-tests
    printf '%s\n' "$wanted" >"$build/cmake/.mixnet-configured"
}

build_tests() { # TARGET
    begin
    step "building the ${1#mixnet-}" build-tests cmake --build "$build/cmake" -j "$jobs" --target "$1" ||
        fail "building the ${1#mixnet-}" build-tests
}

# The program NAME that ns-3 built, whatever version and profile its file name carries.
built_program() { # NAME
    local file
    file=$(grep -ohE "'[^']*/ns3[^/']*-$1(-[a-z]+)?'" "$tree"/.lock-ns3_*_build 2>/dev/null | tr -d "'" | head -n 1)
    [ -x "$file" ] && printf '%s\n' "$file"
}

# Brings the checkout to where WHAT can run: all, tests, bench, ns3 (everything in
# the tree), configured (nothing built), or the names of targets of ns-3.
ensure_ready() { # WHAT...
    make_dirs
    lock 9 "$build/lock" "works in this checkout"
    choose_cache
    locate_tree
    jobs=${option_jobs:-$(default_jobs)}
    step_number=0
    case $1 in all) step_total=7 ;; tests | bench) step_total=6 ;; configured) step_total=3 ;; *) step_total=4 ;; esac
    if [ "$1" = all ] || [ "$(recall packages)" != "$(package_stamp)" ]; then
        ensure_packages
        remember packages "$(package_stamp)"
    else
        begin
    fi
    ensure_tree
    configure_tree
    case $1 in
        all) build_tree; configure_tests; build_tests mixnet-tests; build_tests mixnet-bench ;;
        tests) build_tree; configure_tests; build_tests mixnet-tests ;;
        bench) build_tree; configure_tests; build_tests mixnet-bench ;;
        ns3) build_tree ;;
        configured) ;;
        *) build_tree "$@" ;;
    esac
    unlock 9
}

package_stamp() { package_list | sha256sum | cut -c 1-16; }
