# Filters one-line apt sources: prints Debian's own entries with their type set to `type`.
/^[ \t]*deb[ \t]/ {
    sub(/[ \t]*#.*$/, "")
    line = $0
    sub(/^[ \t]*deb[ \t]+/, "", line)
    options = ""
    if (line ~ /^\[/) {
        options = substr(line, 1, index(line, "]")) " "
        line = substr(line, index(line, "]") + 1)
        sub(/^[ \t]+/, "", line)
    }
    if (options ~ /signed-by=\// && options !~ /debian-archive/) next
    count = split(line, word, /[ \t]+/)
    if (word[1] !~ /\/debian(-security)?(\.list)?\/?$/ && word[1] !~ /\/debian(-security)?\/[0-9]+T[0-9]+Z\/?$/) next
    if (word[2] ~ /backports|proposed/) next
    found = 0
    for (i = 3; i <= count; i++) if (word[i] == "main") found = 1
    if (found) print type " " options word[1] " " word[2] " main"
}
