#compdef dpcalc
_dpcalc() {
    local list= at= word previous="${words[CURRENT-1]}"
    local -a answers given
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "$at/$word" in {paths}) at="$at/$word" ;; esac
    done
    if [[ "${words[CURRENT]}" == --*=* ]]; then
        previous="${words[CURRENT]%%=*}"
        compset -P '*='
    fi
    case "${at}:$previous" in
{cases}    esac
    if [[ -n "$list" ]]; then
        compset -P '*,'
        given=("${(@s:,:)${IPREFIX##*=}}")
        answers=("${(@)answers:|given}")
        compadd -q -S ',' -a answers
    else
        compadd -a answers || _files
    fi
}
if [[ "${funcstack[1]}" == _dpcalc ]]; then
    _dpcalc "$@"
else
    compdef _dpcalc dpcalc
fi
