// How shells complete a program's command lines: their scripts ask `PROGRAM complete`, and know no command themselves.

import Posix
import RESP
import Texts

/// A shell that completes command lines.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    package init(named name: String) throws(UsageError) {
        guard let shell = Self(rawValue: name) else {
            throw UsageError("unknown shell '\(name.shortened)'; \(Self.allCases.map(\.rawValue).available)")
        }
        self = shell
    }

    /// The script that completes the program; `command` prints it.
    package func completionScript(of program: String, from command: String) -> String {
        let script =
            switch self {
            case .bash: Self.forBash
            case .zsh: Self.forZsh
            case .fish: Self.forFish
            }
        return script.replacing("COMMAND", with: command).replacing("PROGRAM", with: program)
    }

    /// bash splits words at colons and equals signs, too: the part before the last one is removed.
    private static let forBash = #"""
        # bash completion for PROGRAM, written by COMMAND

        _PROGRAM() {
            local line=${COMP_LINE:0:COMP_POINT} answer word known status=0
            word=${line##*[[:blank:]]}
            known=${word%"$2"}
            [ "$2" = = ] && known=$word
            answer=$("$1" complete --line "$line" 2>/dev/null) || status=$?
            COMPREPLY=()
            if [ "$status" = 1 ]; then compopt -o default; fi
            if [ -n "$answer" ]; then
                local one
                while IFS= read -r one; do
                    one=${one%%$'\t'*}
                    COMPREPLY+=("${one#"$known"}")
                done <<<"$answer"
            fi
        }
        complete -F _PROGRAM PROGRAM

        """#

    private static let forZsh = #"""
        #compdef PROGRAM
        # zsh completion for PROGRAM, written by COMMAND

        _PROGRAM() {
            local -a answer names shown
            local one code
            answer=("${(@f)$("$words[1]" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null; print $?)}")
            code=$answer[-1]
            answer[-1]=()
            for one in $answer; do
                [[ -n $one ]] || continue
                names+=("${one%%$'\t'*}")
                shown+=("${one/$'\t'/  -- }")
            done
            if (( $#names )); then compadd -l -d shown -a names; fi
            if [[ $code == 1 ]]; then
                compset -P '--*='
                _files
            fi
        }
        if [[ $funcstack[1] == _PROGRAM ]]; then _PROGRAM "$@"; else compdef _PROGRAM PROGRAM; fi

        """#

    private static let forFish = #"""
        # fish completion for PROGRAM, written by COMMAND

        function __PROGRAM_complete
            set -l words (commandline -opc)
            set -l program $words[1]
            set -e words[1]
            $program complete -- $words (commandline -ct) 2>/dev/null
            or __fish_complete_path (string replace -r '^--[a-z-]+=' '' -- (commandline -ct))
        end
        complete -c PROGRAM -f -a '(__PROGRAM_complete)'

        """#
}

// MARK: - `complete`: the answer to the scripts

extension Subcommand {
    /// Prints the words that a command line can go on with, one a line, some followed by a tab and a description. The status is 1 if a file name
    /// fits.
    package static func complete(
        details: String, _ completions: @escaping @Sendable (CommandContext, TypedWords) throws(ControlError) -> CompletedWords?
    ) -> Subcommand {
        Subcommand(
            .offline, syntax: "complete [--line TEXT] [WORD …]",
            summary: "Prints the completions of the last word of a command line.", details: details,
            examples: ["gamectl complete -- send room ''"],
            options: [Option("--line", "TEXT", "the command line as it was typed, up to the cursor")], words: 0...Int.max - 1
        ) { context, call throws(ControlError) in
            guard let typed = TypedWords(call.options["--line"], call.words), let answer = try completions(context, typed)
            else {
                return .accepted
            }
            try context.output.write(lines: answer.lines)
            return answer.takesFile ? .refused : .accepted
        }
    }
}

/// The words that a command line can go on with.
package struct CompletedWords {
    private let words: [(word: String, description: String?)]
    let takesFile: Bool

    /// `takesFile` if a file name fits as well.
    package init(_ words: [(word: String, description: String?)] = [], takesFile: Bool = false) {
        (self.words, self.takesFile) = (words, takesFile)
    }

    /// Without words that a shell would not take as they are: clients choose the names of sessions. zsh and fish show the first sentence of a
    /// description.
    var lines: [String] {
        words.filter(\.word.isPlainForShells).map { word, description in
            guard let description else { return word }
            let end = description.firstRange(of: ". ")?.lowerBound ?? description.endIndex
            return "\(word)\t\(description[..<end])"
        }
    }
}

/// The words before the cursor.
package struct TypedWords {
    package let before: [String]
    /// The one that is being typed.
    package let prefix: String

    /// Nil where nothing can be completed, as within a quote.
    package init?(_ line: String) {
        let start = line.lastIndex { $0 == " " || $0 == "\t" }.map { line.index(after: $0) } ?? line.startIndex
        guard let before = try? LineWords.split(String(line[..<start])) else { return nil }
        (self.before, prefix) = (before, String(line[start...]))
    }

    /// The words, or those of a line behind the program's name.
    init?(_ line: String?, _ words: [String]) {
        guard let line else {
            (before, prefix) = (Array(words.dropLast()), words.last ?? "")
            return
        }
        guard let typed = TypedWords(line) else { return nil }
        (before, prefix) = (Array(typed.before.dropFirst()), typed.prefix)
    }
}
