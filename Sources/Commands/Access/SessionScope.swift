// The sessions that a client may see and play: names, and prefixes of names.

import Memory

/// `room-7` is a session and its children, `room-7-*` all sessions with that prefix. Names are bytes.
package struct SessionScope: Hashable, Sendable, CustomStringConvertible {
    private struct Pattern: Hashable {
        let bytes: [UInt8]
        let isBeginning: Bool

        func admits(_ name: UnsafeRawBufferPointer) -> Bool {
            guard name.starts(with: bytes) else { return false }
            return isBeginning || name.count == bytes.count || name[bytes.count] == UInt8(ascii: "/")
        }
    }

    private let patterns: [Pattern]
    /// As it was written.
    package let description: String

    /// Differs from that of other texts.
    var fingerprint: String { FNV1a(description.utf8).hexadecimal }

    static let maxPatterns = 64
    static let maxBytes = 1_024

    /// Nil for patterns that admit all sessions: their client is not restricted.
    package static func restricting(to text: String) throws(AccessError) -> SessionScope? {
        let scope = try SessionScope(text)
        return scope.patterns.contains { $0.isBeginning && $0.bytes.isEmpty } ? nil : scope
    }

    /// Patterns between commas.
    init(_ text: String) throws(AccessError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count <= Self.maxPatterns, text.utf8.count <= Self.maxBytes else {
            throw AccessError(
                "at most \(Self.maxPatterns) patterns of sessions with \(Self.maxBytes) bytes in total are allowed")
        }
        var patterns: [Pattern] = []
        for word in words {
            let isBeginning = word.hasSuffix("*")
            let name = isBeginning ? word.dropLast() : word
            guard !word.isEmpty, !name.contains("*") else {
                throw AccessError(
                    "sessions are names, or prefixes that end with a star, separated by commas, like room-7-*,lobby, not '\(text.shortened)'"
                )
            }
            patterns.append(Pattern(bytes: Array(name.utf8), isBeginning: isBeginning))
        }
        (self.patterns, description) = (patterns, text)
    }

    package func admits(_ name: UnsafeRawBufferPointer) -> Bool { patterns.contains { $0.admits(name) } }
    package func admits(_ name: ByteString) -> Bool { name.withBytes(admits) }
    package func admits(_ name: String) -> Bool { name.utf8Span.span.withUnsafeBytes(admits) }
}
