_dpcalc() {
    local words= list= head= word left=
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    if [ "$current" = "=" ]; then
        current=
    elif [ "$previous" = "=" ]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${COMP_WORDS[1]} $previous" in
{cases}        esac
    fi
    if [ -n "$list" ]; then
        case "$current" in *,*) head="${current%,*}," ;; esac
        for word in $words; do
            case ",$head" in *",$word,"*) ;; *) left="$left $word" ;; esac
        done
        words="$left" current="${current##*,}"
        compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=($(compgen -P "$head" -W "$words" -- "$current"))
}
complete -o default -F _dpcalc dpcalc
