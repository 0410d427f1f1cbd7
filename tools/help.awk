# Reads a help page of netdp; prints a record a line, its kind first and a tab behind it:
#   what TEXT (a line of the first paragraphs), usage TEXT, group HEADING, option NAME<tab>TEXT,
#   more TEXT (the last paragraph), example COMMAND
# A page that it does not understand is an error: what is printed must not be half of the page.
function flush_option() {
    if (name != "")
        print "option\t" name "\t" text
    name = ""
}
function fail(why) {
    print "help.awk: " why > "/dev/stderr"
    failed = 1
    exit 1
}
BEGIN { state = "what" }
/^Usage:/ {
    state = "options"
    sub(/^Usage: */, "")
    print "usage\t" $0
    next
}
state == "what" { print "what\t" $0; next }
/^(Examples|Try):$/ { flush_option(); state = "examples"; next }
state == "examples" && /^  / { sub(/^ +/, ""); print "example\t" $0; next }
# An option stands at its column; a wrapped line that begins with one stands farther in.
state == "options" && (/^(  |      )(-[A-Za-z], )?--[a-z]/ || /^  [a-z][a-z-]*  /) {
    flush_option()
    sub(/^ +/, "")
    at = match($0, /  +/)
    name = at ? substr($0, 1, at - 1) : $0
    text = at ? substr($0, at + RLENGTH) : ""
    next
}
state == "options" && /^        +[^ ]/ && name != "" {
    sub(/^ +/, "")
    text = text (text == "" ? "" : " ") $0
    next
}
/^ *$/ {
    flush_option()
    if (state == "rest")
        print "more\t"
    if (state == "examples")
        state = "rest"
    next
}
# Behind the examples, or an empty line: a heading begins options again, other words are the rest.
(state == "rest" || state == "options") && /^[A-Z].*:$/ {
    state = "options"
    print "group\t" substr($0, 1, length($0) - 1)
    next
}
state == "options" && /^[^ ]/ && name == "" { state = "rest" }
state == "rest" { print "more\t" $0; next }
{ fail("a line that is no option, heading or example: " $0) }
END {
    if (failed)
        exit 1
    flush_option()
    if (state == "what")
        fail("no line that begins with Usage:")
}
