# Turns the records of help.awk into a section of commands.md (-v to=md) or a part of a man page
# (-v to=man). -v name="netdp loss"; man: a subcommand (-v level=2) is a section of its command's page.
function escape_md(text) {
    gsub(/[*<]/, "\\\\&", text)
    return text
}
function escape_man(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/^[.']/, "\\\\\\&&", text)
    return text
}
function code(text) {
    gsub(/\|/, "\\|", text)
    return "`" text "`"
}
# A paragraph in which three blanks stand together is a table that was set by hand.
function flush_paragraph(    k, plain) {
    if (lines == 0)
        return
    for (k = 1; k <= lines; k++)
        if (line[k] ~ /   |^  /)
            plain = 1
    if (to == "md") {
        if (plain)
            print "```text"
        for (k = 1; k <= lines; k++)
            print plain ? line[k] : escape_md(line[k])
        if (plain)
            print "```"
        print ""
    } else {
        if (said++)
            print ".PP"
        if (plain)
            print ".nf"
        for (k = 1; k <= lines; k++)
            print escape_man(line[k])
        if (plain)
            print ".fi"
    }
    lines = 0
}
function leave(next_state) {
    flush_paragraph()
    if (to == "md" && state == "option")
        print ""
    if (to == "md" && state == "example")
        print "```\n"
    if (to == "man" && state == "example")
        print ".fi"
    state = next_state
}
BEGIN { FS = "\t" }
{ body = substr($0, length($1) + 2) }
($1 == "what" || $1 == "more") && body == "" { flush_paragraph(); next }
$1 == "what" || $1 == "more" {
    if (state != $1)
        leave($1)
    line[++lines] = body
    next
}
$1 == "usage" {
    leave("usage")
    if (to == "md")
        print "```text\n" body "\n```\n"
    next
}
$1 == "group" {
    leave("group")
    if (to == "md")
        print "| " body " | |\n| --- | --- |"
    else
        print level == 2 ? ".PP\n" escape_man(body) ":" : ".SH \"" toupper(escape_man(body)) "\""
    state = "option"
    next
}
$1 == "option" && to == "md" {
    text = escape_md($3)
    gsub(/\|/, "\\|", text)
    print "| " code($2) " | " text " |"
    next
}
$1 == "option" { print ".TP\n\\fB" escape_man($2) "\\fR\n" escape_man($3); next }
$1 == "example" {
    if (state != "example") {
        leave("example")
        print to == "md" ? "```sh" : (level == 2 ? ".PP\nExamples:" : ".SH EXAMPLES") "\n.nf"
    }
    print to == "md" ? body : escape_man(body)
    next
}
END { leave("end") }
