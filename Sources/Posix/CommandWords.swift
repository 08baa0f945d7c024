/// The words of the process's own command line, as bytes.
package enum CommandWords {
    /// The first that is no text, counted as people count; nil if all are. Swift repairs what it cannot read: then another file would be
    /// opened than was named, and another session dropped.
    package static var firstUnreadable: Int? {
        let words = CommandLine.unsafeArgv
        return (1..<max(1, Int(CommandLine.argc))).first { number in
            words[number].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}
