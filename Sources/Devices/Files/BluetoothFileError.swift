/// Why a file for the Bluetooth source cannot be used, in words for whoever wrote or named it.
package struct BluetoothFileError: Error, CustomStringConvertible {
    /// A line, or one more for each of several things. What comes of the file in them may be anything.
    package let lines: [String]
    private let things: [String]

    package init(description: String) {
        (lines, things) = ([description], [])
    }

    package init(_ head: String, _ things: [String]) {
        (lines, self.things) = ([head] + things.map { "  \($0)" }, things)
    }

    package var description: String { lines.joined(separator: "\n") }

    /// Where there is no more than a line.
    package var inOneLine: String {
        lines[0] + things.enumerated().map { " (\($0 + 1)) \($1)" }.joined(separator: ";")
    }
}
