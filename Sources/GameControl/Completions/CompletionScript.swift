// The scripts with which shells complete gamectl: they ask `gamectl complete`, and know no command themselves.

enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.forBash
        case .zsh: Self.forZsh
        case .fish: Self.forFish
        }
    }

    /// bash splits words at colons, too: the part before the last colon is removed.
    private static let forBash = #"""
        # bash completion for gamectl, written by gamectl completions bash

        _gamectl() {
            local line=${COMP_LINE:0:COMP_POINT} answer word known status=0
            word=${line##*[[:blank:]]}
            known=${word%"$2"}
            answer=$("$1" complete --line "$line" 2>/dev/null) || status=$?
            COMPREPLY=()
            if [ "$status" = 1 ]; then
                compopt -o default
            elif [ -n "$answer" ]; then
                local one
                while IFS= read -r one; do
                    one=${one%%$'\t'*}
                    COMPREPLY+=("${one#"$known"}")
                done <<<"$answer"
            fi
        }
        complete -F _gamectl gamectl

        """#

    private static let forZsh = #"""
        #compdef gamectl
        # zsh completion for gamectl, written by gamectl completions zsh

        _gamectl() {
            local -a answer names shown
            local one code
            answer=("${(@f)$("$words[1]" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null; print $?)}")
            code=$answer[-1]
            answer[-1]=()
            if [[ $code == 1 ]]; then
                _files
                return
            fi
            for one in $answer; do
                [[ -n $one ]] || continue
                names+=("${one%%$'\t'*}")
                shown+=("${one/$'\t'/  -- }")
            done
            (( $#names )) && compadd -l -d shown -a names
        }
        if [[ $funcstack[1] == _gamectl ]]; then _gamectl "$@"; else compdef _gamectl gamectl; fi

        """#

    private static let forFish = #"""
        # fish completion for gamectl, written by gamectl completions fish

        function __gamectl_complete
            set -l words (commandline -opc)
            set -l program $words[1]
            set -e words[1]
            $program complete -- $words (commandline -ct) 2>/dev/null
            or __fish_complete_path (commandline -ct)
        end
        complete -c gamectl -f -a '(__gamectl_complete)'

        """#
}
