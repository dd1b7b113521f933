_dpcalc() {
    local words= list= head= word left= at=
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    if [ "$current" = "=" ]; then
        current=
    elif [ "$previous" = "=" ]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$at/$word" in {paths}) at="$at/$word" ;; esac
    done
    case "$at:$previous" in
{cases}    esac
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
