# Lets doxygen read the public headers as they are: plain comments become those that it takes.
# A block above a declaration is its description, and that of the declarations below it up to the
# next blank line or comment; a comment behind a member is the member's; the first of a file is the
# file's. Comments with a blank line behind them belong to the file too, but for those of one line, headings
# for who reads the source.
function escape(text) {
    if (text ~ /^    /)
        return text # set by hand: a formula
    gsub(/[@\\]/, "\\\\&", text)
    gsub(/[<>#%&~*]/, "\\\\&", text)
    sub(/ \.\.$/, " \\\\.\\\\.", text) # doxygen ends a list there
    return text
}
# Takes the text of a comment from `line` on; true once it ends. What stood behind it is dropped.
function take(line) {
    closed = sub(/ *\*\/.*/, "", line)
    sub(/^ *\*? ?/, "", line)
    if (mode == "behind")
        sub(/^ +/, "", line)
    comment = comment (comment == "" ? "" : "\n") escape(line)
    return closed
}
function show(text) {
    gsub(/\n/, "\n * ", text)
    print "/** " text "\n */"
}
# "double low, high;" as a line for each, so that each has the description.
function split_members(text, line,    n, k, name, type) {
    if (text == "" || line !~ /^ +[A-Za-z_0-9 ]+[ *]+[a-z_0-9]+(, \**[a-z_0-9]+)+;$/)
        return 0
    n = split(line, name, /, /)
    type = name[1]
    sub(/[*]*[a-z_0-9]+$/, "", type)
    sub(/;$/, "", name[n])
    sub(/^.*[ ]/, "", name[1])
    for (k = 1; k <= n; k++) {
        show(text)
        print type name[k] ";"
    }
    return 1
}
function start_of(line) { return depth == 0 && (last == "" || last ~ /[;,{}]$|^#/ || last ~ /^NETDP_BEGIN/) }
function code(line,    bare) {
    bare = line
    if (start_of(line) && split_members(text_of_line != "" ? text_of_line : group, line)) {
        last = ";"
        text_of_line = ""
        return
    }
    if (line !~ /^ *$/) {
        if (line ~ /^ *}/)
            group = ""
        else if (start_of(line) && text_of_line != "")
            show(text_of_line)
        else if (start_of(line) && group != "" && line !~ /^#(include|if|else|endif)|^NETDP_(BEGIN|END)/)
            show(group)
        last = line
        sub(/ +$/, "", last)
        depth += gsub(/\(/, "(", bare) - gsub(/\)/, ")", bare)
        if (line ~ /{ *$/ && line !~ /^#/)
            group = ""
    } else
        group = ""
    text_of_line = ""
    print line
}
NR == 1 && /^\/\*/ {
    line = $0
    sub(/^\/\*/, "", line)
    mode = "file"
    if (!take(line))
        next
    mode = ""
    print "/** @file\n * " comment "\n */"
    comment = ""
    next
}
mode != "" {
    if (!take($0))
        next
    if (mode == "file") {
        gsub(/\n/, "\n * ", comment)
        print "/** @file\n * " comment "\n */"
    } else if (mode == "above")
        waiting = comment
    else {
        text_of_line = comment
        code(held)
    }
    mode = comment = ""
    next
}
{
    if (waiting != "") { # a comment has just ended
        if ($0 ~ /^ *$/ && waiting ~ /\n/ && depth == 0)
            show("@file\n" waiting)
        group = $0 ~ /^ *$/ ? "" : waiting
        waiting = ""
    }
}
/^ *\/\*/ {
    line = $0
    sub(/^ *\/\*/, "", line)
    group = ""
    if (take(line)) {
        waiting = comment
        comment = ""
    } else
        mode = "above"
    next
}
depth == 0 && /\/\*/ {
    at = index($0, "/*")
    held = substr($0, 1, at - 1)
    sub(/ +$/, "", held)
    if (take(substr($0, at + 2))) {
        text_of_line = comment
        comment = ""
        code(held)
    } else
        mode = "behind"
    next
}
{ code($0) }
