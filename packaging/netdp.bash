# Completion of netdp for bash. What can be said is asked of the program itself, so that this file
# knows commands that were added after it was written.

# Options of a help page on standard input: name, what stands for the value, the rest of the line.
_netdp_options() {
    awk '/^(  |      )(-[A-Za-z], )?--[a-z]/ {
             if (name != "") print name "\t" value "\t" text
             match($0, /--[a-z][a-z-]*/)
             name = substr($0, RSTART, RLENGTH)
             rest = substr($0, RSTART + RLENGTH)
             at = match(rest, /  +/)
             value = at ? substr(rest, 1, at - 1) : rest
             text = at ? substr(rest, at + RLENGTH) : ""
             next
         }
         name != "" && /^        / { sub(/^ +/, " "); text = text $0; next }
         name != "" { print name "\t" value "\t" text; name = "" }
         END { if (name != "") print name "\t" value "\t" text }'
}

# Words that an option takes, where the set is fixed: "--sees=neighbours|sum|everything" has them in
# the value, "--mechanism=NAME" in the text ("... gaussian, laplace or discrete-gaussian noise").
_netdp_values() {
    awk -F '\t' -v option="$1" '
        $1 != option { next }
        $2 ~ /^=[a-z].*\|/ {
            n = split(substr($2, 2), part, "|")
            for (k = 1; k <= n; k++)
                if (part[k] ~ /^[a-z]+[a-z0-9-]*$/) print part[k]
                else if (match(part[k], /^[a-z-]+:/)) print substr(part[k], 1, RLENGTH)
        }
        $2 == "=NAME" || $2 == "=BOUND" {
            text = $3
            sub(/ *\(default.*/, "", text)
            sub(/;.*/, "", text)
            sub(/^[^:]*: /, "", text)
            gsub(/ or /, ", ", text)
            n = split(text, part, ", ")
            for (k = 1; k <= n; k++) {
                sub(/ .*/, "", part[k])
                if (part[k] ~ /^[a-z]+(-[a-z]+)*$/) print part[k]
            }
        }'
}

_netdp_families() {
    "$1" graph make '?' 2>&1 | sed -n 's/.*All: //p' | tr -d ','
}

_netdp_bounds() {
    "$1" loss --family 'ring 3' --rounds 1 --bound list 2>/dev/null | awk 'NR > 1 { print $1 }' | sort -u
}

# Commands in the tables of `netdp --help all`; of "Usage: netdp graph make|info|centrality" the three.
_netdp_commands() {
    "$1" --help all 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}

_netdp_subcommands() {
    "$1" "$2" --help 2>/dev/null | sed -n 's/^Usage: netdp [a-z]* \([a-z]*|[a-z|]*\) .*/\1/p' | tr '|' ' '
}

_netdp_offer() { # WORDS CURRENT
    local word
    COMPREPLY=()
    for word in $1; do
        [[ $word == "$2"* ]] && COMPREPLY+=("$word")
    done
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2>/dev/null
    return 0
}

_netdp_files() { # CURRENT [ENDING]: files and folders
    local name
    COMPREPLY=()
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        if [[ -d $name || -z ${2:-} || $name == *"$2" ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$1")
}

_netdp_value() { # PROGRAM PAGE OPTION CURRENT
    local kind words
    kind=$(awk -F '\t' -v option="$3" '$1 == option { print $2 }' <<<"$2")
    [[ -n $kind ]] || return 1
    words=$(_netdp_values "$3" <<<"$2")
    case $3 in
        --family) words=$(_netdp_families "$1") ;;
        --bound) words=$(_netdp_bounds "$1") ;;
    esac
    if [[ -n $words ]]; then
        _netdp_offer "$words" "$4"
    elif [[ $kind == *FILE* || $kind == *DIR* ]]; then
        _netdp_files "$4"
    fi
}

_netdp_argument() { # PROGRAM COMMAND CURRENT
    case $2 in
        run | audit) _netdp_files "$3" .yaml ;;
        report | predict | recheck) _netdp_files "$3" ;;
        reproduce)
            _netdp_files "$3" .yaml
            local names files=("${COMPREPLY[@]}")
            names=$("$1" reproduce --list 2>/dev/null | awk '$1 ~ /^[A-E]-/ { print $1 }')
            _netdp_offer "$names" "$3"
            COMPREPLY+=("${files[@]}")
            ;;
        "graph make") _netdp_offer "$(_netdp_families "$1")" "$3" ;;
        claim) _netdp_offer "$("$1" claim 2>/dev/null | awk '$1 ~ /^[A-E]-/ { print $1 }')" "$3" ;;
        data) _netdp_offer check "$3" ;;
    esac
}

_netdp() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _netdp_offer "$(_netdp_commands "$program") --help --version" "$current"
        return
    fi
    local page command=${COMP_WORDS[1]} subcommands
    if [[ $command == help ]]; then
        _netdp_offer "$(_netdp_commands "$program")" "$current"
        return
    fi
    subcommands=$(_netdp_subcommands "$program" "$command")
    if [[ -n $subcommands ]]; then
        if ((COMP_CWORD == 2)); then
            _netdp_offer "$subcommands --help" "$current"
            return
        fi
        command+=" ${COMP_WORDS[2]}"
    fi
    # shellcheck disable=SC2086
    page=$("$program" $command --help all 2>/dev/null)
    page=$(_netdp_options <<<"$page")
    # --sees=nei is three words for bash: --sees, = and nei.
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $before != -o ]] || before=--output
    if [[ $before == --* ]] && _netdp_value "$program" "$page" "$before" "$current"; then
        return
    fi
    if [[ $current == -* ]]; then
        _netdp_offer "$(cut -f 1 <<<"$page")" "$current"
    else
        _netdp_argument "$program" "$command" "$current"
    fi
}

complete -F _netdp netdp
