function __dpcalc_at
    set -l at
    for word in (commandline -opc)
        contains -- "$at/$word" {paths}; and set at "$at/$word"
    end
    test "$at" = "$argv"
end
function __dpcalc_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l head (string match -r '^.*,' -- $typed)
    for word in $argv
        string match -q -- "*,$word,*" ",$head"; or echo "$head$word"
    end
end
complete -c dpcalc -e
{cases}