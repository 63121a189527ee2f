# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands of ./mixnet.
# shellcheck shell=bash disable=SC2154

show_help() { # COMMAND
    local file=$root/scripts/help/${1:-mixnet}.txt
    [ -f "$file" ] || die "no help on '$1' (known: $commands)"
    cat "$file"
}

wants_help() {
    local word
    for word in "$@"; do
        case $word in -h | --help) return 0 ;; esac
    done
    return 1
}

# Programs and tests find presets, traces and scenarios by these.
export_places() {
    export MIXNET_HOME=$root MIXNET_WORKLOADS=$root/workloads CLICOLOR=1
    export PYTHONPATH=$root/workloads:$root/analysis${PYTHONPATH:+:$PYTHONPATH}
}

command_setup() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help) show_help setup; exit ;;
            --ns3) need_value "$@"; option_ns3=$2; shift ;;
            --ns3=*) option_ns3=${1#*=} ;;
            --jobs) need_value "$@"; option_jobs=$2; shift ;;
            --jobs=*) option_jobs=${1#*=} ;;
            --cache) need_value "$@"; option_cache=$2; shift ;;
            --cache=*) option_cache=${1#*=} ;;
            *) no_such_option "$1" ;;
        esac
        shift
    done
    case ${option_jobs-1} in '' | *[!0-9]* | 0) die "--jobs $option_jobs: expected a whole number from 1" ;; esac
    if [ "${option_ns3-x}" = "" ] || [ "${option_cache-x}" = "" ]; then die "--ns3 and --cache need a folder"; fi
    ensure_ready all
    say "ready in $SECONDS s: $(cat "$tree/.mixnet-source"), in $build/ns-3; next: ./mixnet run"
}

command_run() {
    local program
    if wants_help "$@"; then
        show_help run
        exit
    fi
    ensure_ready mixnet-run
    program=$(built_program mixnet-run) || die "ns-3 built no program mixnet-run (see $logs/build-tree.log)"
    export_places
    # The program appends every folder that it has written to this file; a figure goes into each.
    local folders code folder
    folders=$(mktemp) || die "no temporary file"
    trap 'true' INT TERM
    MIXNET_REVISION=$(git -C "$root" describe --always --dirty 2>/dev/null) \
        MIXNET_RESULT_LIST=$folders "$program" "$@"
    code=$?
    while IFS= read -r folder; do
        "$python" -m mixnet_analysis "$folder/result.h5" || say "no figure for $folder"
    done <"$folders"
    rm -f "$folders"
    exit "$code"
}

command_ns3() {
    ensure_ready configured
    # ./ns3 leaves one core idle: the long first build is better done before it.
    if ! ls "$tree"/build/lib/libns*-mixnet* >/dev/null 2>&1; then
        case ${1:-} in run | build) ensure_ready ns3 ;; esac
    fi
    export_places
    cd "$tree" && exec "$python" ./ns3 "$@"
}

command_test() {
    local quick=0
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help) show_help test; exit ;;
            --quick) quick=1 ;;
            *) no_such_option "$1" ;;
        esac
        shift
    done
    ensure_ready tests
    export_places
    run_all_tests "$quick"
}

run_all_tests() { # QUICK
    local folder=$build/test-results slow='ns3' fullness=EXTENSIVE
    [ "$1" = 0 ] || { slow='ns3|slow'; fullness=QUICK; }
    rm -rf "$folder"
    mkdir -p "$folder" || die "cannot write to $folder"
    trap 'say interrupted; exit 130' INT
    ctest --test-dir "$build/cmake" -j "$jobs" --output-on-failure --no-tests=error -LE "$slow" \
        --output-junit "$folder/ctest.xml"
    (
        cd "$tree" || exit 1
        "$python" ./test.py --no-build --nocolor -f "$fullness" -s 'mixnet*'
    ) 2>&1 | tee "$folder/suites.txt"
    (
        cd "$tree" || exit 1
        "$python" ./test.py --no-build --nocolor -c example
    ) 2>&1 | tee "$folder/examples.txt"
    "$python" "$root/scripts/test_summary.py" "$folder"
}

command_bench() {
    local words=() file=
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help) show_help bench; exit ;;
            --json) need_value "$@"; file=$2; shift ;;
            --json=*) file=${1#*=} ;;
            -*) no_such_option "$1" ;;
            *) words+=("$1") ;;
        esac
        shift
    done
    ensure_ready bench
    export_places
    exec "$python" "$root/scripts/bench.py" --programs "$build/cmake/tests/bench" ${file:+--json "$file"} -- "${words[@]}"
}

command_trace() {
    wants_help "$@" && { show_help trace; exit; }
    [ $# -ge 1 ] || die "trace needs a file (see ./mixnet trace --help)"
    run_python mixnet_workloads.stats "h5py numpy" "$@"
}

command_import() {
    case ${1:-} in '' | -h | --help) ;; *) run_python mixnet_workloads.importers "h5py numpy" "$@" ;; esac
    wants_help "$@" || die "import needs a format and files (see ./mixnet import --help)"
    show_help import
}

command_export() {
    case ${1:-} in '' | -h | --help) ;; *) run_python mixnet_workloads.exporters "h5py numpy" "$@" ;; esac
    wants_help "$@" || die "export needs what, a file and -o (see ./mixnet export --help)"
    show_help export
}

command_report() {
    wants_help "$@" && { show_help report; exit; }
    [ $# -ge 1 ] || die "report needs a result (see ./mixnet report --help)"
    run_python mixnet_analysis "h5py numpy matplotlib" "$@"
}

command_diff() {
    wants_help "$@" && { show_help diff; exit; }
    [ $# -ge 2 ] || die "diff needs two results (see ./mixnet diff --help)"
    run_python mixnet_analysis.diff "h5py numpy" "$@"
}

command_compare() {
    local collectives exchange
    wants_help "$@" && { show_help compare; exit; }
    [ $# -ge 1 ] || die "compare needs a table (see ./mixnet compare --help)"
    ensure_ready mixnet-collectives mixnet-expert-exchange
    collectives=$(built_program mixnet-collectives) && exchange=$(built_program mixnet-expert-exchange) ||
        die "ns-3 built no program mixnet-expert-exchange (see $logs/build-tree.log)"
    export_places
    exec "$python" -m mixnet_analysis.compare --collectives "$collectives" --exchange "$exchange" "$@"
}

command_study() {
    local word program
    if wants_help "$@"; then
        show_help study
        exit
    fi
    # What needs no program is answered before anything is built.
    if [ -x "$python" ]; then
        export_places
        for word in "$@"; do
            case $word in --list | --dry-run) exec "$python" -m mixnet_studies "$@" ;; esac
        done
        "$python" -m mixnet_studies --check "$@" || exit
    fi
    ensure_ready mixnet-run
    program=$(built_program mixnet-run) || die "ns-3 built no program mixnet-run (see $logs/build-tree.log)"
    export_places
    exec "$python" -m mixnet_studies --program "$program" "$@"
}

run_python() { # MODULE NEEDS ARGS...
    local module=$1 need missing=
    for need in $2; do
        "$python" -c "import $need" 2>/dev/null || missing+=" python3-$need"
    done
    [ -z "$missing" ] || die "missing Debian packages:$missing (./mixnet setup installs them)"
    shift 2
    export_places
    exec "$python" -m "$module" "$@"
}

command_planned() { # COMMAND ARGS...
    if wants_help "$@"; then
        show_help "$1"
        exit
    fi
    die "'$1' is not there yet: a later release brings it (see ./mixnet $1 --help)"
}
