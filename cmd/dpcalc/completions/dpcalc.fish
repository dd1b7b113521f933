function __dpcalc_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l head (string match -r '^.*,' -- $typed)
    for word in $argv
        string match -q -- "*,$word,*" ",$head"; or echo "$head$word"
    end
end
complete -c dpcalc -e
{commands}{cases}