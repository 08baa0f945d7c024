// A command line that is being typed: its words before the cursor, with gamectl's own options taken out.

import Client
import RESP

/// The words before the cursor.
struct TypedWords {
    let before: [String]
    /// The one that is being typed.
    let prefix: String

    /// Nil where nothing can be completed, as within a quote.
    init?(_ line: String?, _ words: [String]) {
        guard let line else {
            (before, prefix) = (Array(words.dropLast()), words.last ?? "")
            return
        }
        let start = line.lastIndex { $0 == " " || $0 == "\t" }.map { line.index(after: $0) } ?? line.startIndex
        guard let before = try? LineWords.split(String(line[..<start])) else { return nil }
        (self.before, prefix) = (Array(before.dropFirst()), String(line[start...]))
    }
}

/// gamectl's own options taken out of the words before the cursor, and the daemon that they name.
struct GlobalWords {
    let daemon: DaemonClient
    let rest: [String]
    /// An option that the word at the cursor is the value of.
    let waiting: GlobalOption?

    init(of words: [String], of usual: DaemonClient) throws(ControlError) {
        var (globals, rest, waiting): ([String], [String], GlobalOption?) = ([], [], nil)
        for word in words {
            let name = String(word.prefix { $0 != "=" })
            if waiting != nil {
                globals.append(word)
                waiting = nil
            } else if let option = GlobalOption(rawValue: name) {
                globals.append(word)
                waiting = option.option.label == nil || name != word ? nil : option
            } else {
                rest.append(word)
            }
        }
        if waiting != nil { globals.removeLast() }
        var call = Invocation(address: usual.address, token: usual.token)
        try call.parse(globals, with: SubcommandTable(of: usual.program, []))
        daemon = DaemonClient(at: call.address, token: call.token, program: usual.program)
        (self.rest, self.waiting) = (rest, waiting)
    }
}
