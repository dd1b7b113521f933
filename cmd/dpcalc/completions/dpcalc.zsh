#compdef dpcalc
_dpcalc() {
    local list= previous="${words[CURRENT-1]}" command="${words[2]}"
    local -a answers given
    if [[ "${words[CURRENT]}" == --*=* ]]; then
        previous="${words[CURRENT]%%=*}"
        compset -P '*='
    fi
    if (( CURRENT == 2 )); then
        answers=({commands})
    else
        case "$command $previous" in
{cases}        esac
    fi
    if [[ -n "$list" ]]; then
        compset -P '*,'
        given=("${(@s:,:)${IPREFIX##*=}}")
        answers=("${(@)answers:|given}")
        compadd -q -S ',' -a answers
    elif (( $#answers )); then
        compadd -a answers
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _dpcalc ]]; then
    _dpcalc "$@"
else
    compdef _dpcalc dpcalc
fi
