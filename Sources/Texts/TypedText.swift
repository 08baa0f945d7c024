// Text that people type: without blanks around it, completed, and as a word of a shell.

extension Collection<UInt8> {
    /// Text in UTF-8 without the byte order mark that some editors begin a file with.
    package var withoutByteOrderMark: SubSequence { starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...] }
}

extension StringProtocol {
    /// The text without white space around it.
    package var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
            return ""
        }
        return String(self[first...last])
    }
}

extension Array<String> {
    /// As far as all of them agree; nil if there are none.
    package var commonPrefix: String? {
        guard let first else { return nil }
        return dropFirst().reduce(first) { common, word in String(zip(common, word).prefix { $0 == $1 }.map(\.0)) }
    }
}

extension String {
    /// Whether every shell takes it for a word as it is.
    package var isPlainForShells: Bool {
        utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
                || "0123456789-_./:,%+@=".utf8.contains(byte)
        }
    }

    /// A word of a shell, in quotes if it needs them.
    package var shellWord: String { isPlainForShells ? self : "'" + replacing("'", with: #"'\''"#) + "'" }
}
