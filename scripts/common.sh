# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
#
# Paths, messages, settings, locks and steps with progress, for ./mixnet.
# shellcheck shell=bash disable=SC2034,SC2154

commands="setup run test bench import trace export report diff compare cost study ns3"
python=/usr/bin/python3
build=$root/build
settings=$build/settings
logs=$build/log
step_total=1
step_number=0

# Messages go to standard error: standard output belongs to the command.
say() { printf 'mixnet: %s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# Remembers KEY VALUE for later calls in this checkout.
remember() {
    local text
    text=$(grep -v "^$1=" "$settings" 2>/dev/null)
    printf '%s\n' "$text" "$1=$2" | sed '/^$/d' 2>/dev/null >"$settings.new" && mv "$settings.new" "$settings" ||
        die "cannot write $settings$(disk_hint "$build")"
}

recall() { sed -n "s/^$1=//p" "$settings" 2>/dev/null | tail -n 1; }

free_mib() {
    local dir=$1
    while [ ! -d "$dir" ]; do dir=$(dirname "$dir"); done
    df -Pm "$dir" 2>/dev/null | awk 'NR == 2 && $2 > 0 { print $4 }'
}

disk_hint() {
    local free
    free=$(free_mib "$1")
    if [ -n "$free" ] && [ "$free" -lt 5 ]; then printf ' (disk full: %s MiB free)' "$free"; fi
}

need_space() { # DIR MIB WHAT
    local free
    free=$(free_mib "$1")
    [ -z "$free" ] || [ "$free" -ge "$2" ] ||
        die "disk full: $3 needs about $2 MiB in $1, only $free MiB are free"
}

# True where no tool of ns-3's build trips over the characters of a path.
plain_path() { [[ $1 =~ ^[A-Za-z0-9_./+@-]+$ ]]; }

make_dirs() {
    mkdir -p "$build" "$logs" 2>/dev/null && [ -w "$build" ] ||
        die "cannot write to $build$(disk_hint "$root"): the checkout must be writable"
}

# Chooses the cache folder: option, what this checkout used before, XDG, home.
choose_cache() {
    local from
    if [ -n "${option_cache:-}" ]; then
        cache=$(realpath -m -- "$option_cache") from="--cache"
    elif [ -n "$(recall cache)" ]; then
        cache=$(recall cache) from="an earlier --cache"
    elif [ -n "${XDG_CACHE_HOME:-}" ]; then
        cache=$XDG_CACHE_HOME/ns3-mixnet from="XDG_CACHE_HOME"
    else
        cache=${HOME:-/nonexistent}/.cache/ns3-mixnet from="HOME"
    fi
    case $cache in /*) ;; *) die "the cache folder '$cache' (from $from) is not an absolute path" ;; esac
    mkdir -p "$cache" "$cache/ccache" 2>/dev/null && touch "$cache/.writable" 2>/dev/null ||
        die "cache folder $cache (from $from) is not writable$(disk_hint "$cache"): name another with ./mixnet setup --cache DIR"
    rm -f "$cache/.writable"
    [ -z "${option_cache:-}" ] || remember cache "$cache"
}

# Holds the file lock NAME on descriptor FD until it is closed.
lock() { # FD FILE WHAT
    eval "exec $1>\"\$2\"" || die "cannot write $2$(disk_hint "$(dirname "$2")")"
    flock -n "$1" && return
    say "waiting: another ./mixnet $3"
    flock "$1"
}

unlock() { eval "exec $1>&-"; }

interrupt() {
    [ -n "${step_pid:-}" ] && kill -INT -- "-$step_pid" 2>/dev/null && wait "$step_pid" 2>/dev/null
    printf '\n' >&2
    say "interrupted"
    exit 130
}

# Runs a command in the background, its output in a log, and shows that it lives: one line redrawn
# on a terminal, otherwise a line at the start, every 15 s, and at the end. Quick ones stay silent.
step() { # LABEL LOG COMMAND...
    local label=$1 log=$logs/$2.log started=$SECONDS shown=0 next=0 state rc
    shift 2
    : >"$log" || die "cannot write $log$(disk_hint "$build")"
    trap interrupt INT TERM
    set -m
    "$@" </dev/null >"$log" 2>&1 7>&- 8>&- 9>&- &
    step_pid=$!
    set +m
    while kill -0 "$step_pid" 2>/dev/null; do
        sleep 0.1
        [ $((SECONDS - started)) -lt 1 ] && continue
        [ "$SECONDS" -ge "$next" ] || continue
        state=$(tail -c 500 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1 | tr -d '[]')
        state="[$step_number/$step_total] $label${state:+, $state}, $((SECONDS - started)) s"
        if [ -t 2 ]; then printf '\r\033[Kmixnet: %s' "$state" >&2; else say "$state"; fi
        shown=1
        next=$((SECONDS + $([ -t 2 ] && echo 1 || echo 15)))
    done
    wait "$step_pid"
    rc=$?
    step_pid=
    trap - INT TERM
    if [ "$shown" = 1 ]; then
        state=failed
        [ $rc = 0 ] && state=finished
        state="[$step_number/$step_total] $label: $state in $((SECONDS - started)) s"
        if [ -t 2 ]; then printf '\r\033[Kmixnet: %s\n' "$state" >&2; else say "$state"; fi
    fi
    return $rc
}

begin() { step_number=$((step_number + 1)); }

# The most telling line of apt's or our own output in the logs named.
network_reason() { # LOGS...
    local log files=()
    for log in "$@"; do [ -s "$logs/$log.log" ] && files+=("$logs/$log.log"); done
    [ ${#files[@]} -gt 0 ] || return
    { grep -hE '^[EW]: Failed to fetch' "${files[@]}"; grep -hE '^(E|W|Err)' "${files[@]}"; } |
        head -n 1 | sed 's/^[EW]: *//' | cut -c 1-200
}

# Says in one line why the step behind LOG failed, and stops.
fail() { # WHAT LOG
    local log=$logs/$2.log reason place
    # The log may lie on the full disk itself and end before it says so.
    for place in "$build" "${tree:-}" "${cache:-}" "${TMPDIR:-/tmp}"; do
        [ -z "$place" ] || [ -z "$(disk_hint "$place")" ] || die "$1 failed: $place$(disk_hint "$place")"
    done
    if grep -q 'No space left on device' "$log"; then
        die "disk full while $1 (see $log)"
    fi
    reason=$(strip_colors <"$log" | grep -m 1 -iE '^(E:|CMake Error|ninja: error|FAILED:|error:|fatal:|tar:)|error:' |
        cut -c 1-200)
    sed -n '/FAILED: /,/^\[[0-9]*\/[0-9]*\]/p' "$log" | grep -v '^\[[0-9]*/' | cut -c 1-600 | head -n 60 >&2
    die "$1 failed${reason:+: $reason} (all of it: $log)"
}

strip_colors() { sed 's/\x1b\[[0-9;]*[mK]//g'; }

# Compile jobs: all cores, but no more than memory holds (a compiler takes up to 0.7 GiB).
default_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 716800) }' /proc/meminfo)
    [ -n "$memory" ] && [ "$memory" -lt "$cores" ] && cores=$memory
    [ "$cores" -ge 1 ] || cores=1
    echo "$cores"
}

need_value() { [ $# -ge 2 ] && [ -n "$2" ] || die "option $1 needs a value (see ./mixnet ${command} --help)"; }

no_such_option() { die "unknown option '$1' of '$command' (see ./mixnet $command --help)"; }
