/// Why a file for the Bluetooth source cannot be used.
package struct BluetoothFileError: Error, CustomStringConvertible {
    /// One line, and one more per problem if there are several. Quotes the file, so it is untrusted text.
    package let lines: [String]
    private let things: [String]

    package init(description: String) {
        (lines, things) = ([description], [])
    }

    package init(_ head: String, _ things: [String]) {
        (lines, self.things) = ([head] + things.map { "  \($0)" }, things)
    }

    package var description: String { lines.joined(separator: "\n") }

    /// The same on one line.
    package var inOneLine: String {
        lines[0] + things.enumerated().map { " (\($0 + 1)) \($1)" }.joined(separator: ";")
    }
}
