# Filters deb822 apt sources: prints Debian's own stanzas with Types set to `type`.
BEGIN { RS = ""; FS = "\n" }
{
    delete value
    key = ""
    count = 0
    for (i = 1; i <= NF; i++) {
        if ($i ~ /^[^ \t:]+:/) {
            key = tolower(substr($i, 1, index($i, ":") - 1))
            value[key] = substr($i, index($i, ":") + 1)
        } else if (key != "") {
            value[key] = value[key] "\n" $i
        }
    }
    if (tolower(value["enabled"]) ~ /no|false|off/) next
    if ((" " value["types"] " ") !~ /[ \t]deb[ \t]/) next
    if ((" " value["components"] " ") !~ /[ \t]main[ \t]/) next
    if (value["signed-by"] ~ /^[ \t]*\// && value["signed-by"] !~ /debian-archive/) next
    uris = ""
    count = split(value["uris"], word, /[ \t\n]+/)
    for (i = 1; i <= count; i++)
        if (word[i] ~ /\/debian(-security)?(\.list)?\/?$/ || word[i] ~ /\/debian(-security)?\/[0-9]+T[0-9]+Z\/?$/)
            uris = uris " " word[i]
    suites = ""
    count = split(value["suites"], word, /[ \t\n]+/)
    for (i = 1; i <= count; i++)
        if (word[i] != "" && word[i] !~ /backports|proposed/) suites = suites " " word[i]
    if (uris == "" || suites == "") next
    print "Types: " type
    print "URIs:" uris
    print "Suites:" suites
    print "Components: main"
    if (value["signed-by"] != "") print "Signed-By:" value["signed-by"]
    print ""
}
