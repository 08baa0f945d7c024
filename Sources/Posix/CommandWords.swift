/// The words of the process's own command line, as bytes.
package enum CommandWords {
    /// The first word that is not UTF-8, counted from 1; nil if all are. Swift would repair it, and so open another file than the one
    /// named, or drop another session.
    package static var firstUnreadable: Int? {
        let words = CommandLine.unsafeArgv
        return (1..<max(1, Int(CommandLine.argc))).first { number in
            words[number].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}
