// Names, in the room that a record has for them.

import GameFlow
import Memory
import Texts

/// A session's name, in 24 bytes. Names of up to 16 bytes and UUIDs are stored inline, others on the heap. The remaining seven bytes
/// hold a number of the owner's, who also frees the name.
package struct SessionName: BitwiseCopyable {
    package static let maxLength = 255

    /// A row may have been edited.
    package static func checkLength(ofStored count: Int) throws(RestorationError) {
        guard (1...maxLength).contains(count) else {
            throw RestorationError("a session's name has 1 to \(maxLength) bytes, and not \(count)")
        }
    }

    private static let room = 16

    /// The bytes of a short name, a UUID, or the address of the bytes.
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    private var lengthAndSpare: UInt64

    /// Copies at most `maxLength` bytes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= Self.maxLength, "names are checked where they come in")
        lengthAndSpare = UInt64(bytes.count) | Self.maxSpare << 8
        if bytes.count <= Self.room {
            withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
        } else if let uuid = PackedUUID(bytes), uuid.high != 0 {
            (high, low) = (uuid.high, uuid.low)
        } else {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
            low = UInt64(UInt(bitPattern: memory))
        }
    }

    /// The largest number that fits.
    static let maxSpare = UInt64.max >> 8

    package var spare: UInt64 {
        get { lengthAndSpare >> 8 }
        set { lengthAndSpare = lengthAndSpare & 0xFF | newValue << 8 }
    }

    fileprivate var length: Int { Int(lengthAndSpare & 0xFF) }

    package func free() {
        elsewhere?.deallocate()
    }

    /// Where the bytes of a name on the heap begin, to be fetched ahead.
    package var address: UnsafeRawPointer? { elsewhere.map { UnsafeRawPointer($0) } }

    /// The UUID that is stored in place of its text; nil if the text is stored, also for a UUID with a first half of zero.
    private var uuid: PackedUUID? {
        length == PackedUUID.length && high != 0 ? PackedUUID(high: high, low: low) : nil
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let uuid { return uuid.withBytes(body) }
        if let elsewhere { return body(UnsafeRawBufferPointer(start: elsewhere, count: length)) }
        return withUnsafeBytes(of: self) { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    @inline(__always)
    package func equals(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == length else { return false }
        if let uuid { return uuid.equals(bytes.baseAddress.unsafelyUnwrapped) }
        return equalsText(bytes)
    }

    /// Not inlined: it takes the name's address, which makes a function check its stack.
    @inline(never)
    private func equalsText(_ bytes: UnsafeRawBufferPointer) -> Bool { withBytes { $0.hasSameBytes(as: bytes) } }

    fileprivate var elsewhere: UnsafeMutableRawPointer? {
        length > Self.room && high == 0 ? UnsafeMutableRawPointer(bitPattern: UInt(low)) : nil
    }
}

/// A name as it is stored: a UUID takes the 16 bytes that its digits encode. Equal names are stored alike. The bytes are borrowed.
package struct StoredName: Equatable {
    package static let uuidLength = 16

    package let bytes: UnsafeRawBufferPointer
    package let isUUID: Bool

    package init(_ bytes: UnsafeRawBufferPointer, isUUID: Bool) {
        (self.bytes, self.isUUID) = (bytes, isUUID)
    }

    package func withText<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isUUID else { return try body(bytes) }
        return try PackedUUID(
            high: bytes.loadUnaligned(as: UInt64.self), low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        ).withBytes(body)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.isUUID == other.isUUID && one.bytes.hasSameBytes(as: other.bytes)
    }
}

extension SessionName {
    package func withStored<Result>(_ body: (StoredName) -> Result) -> Result {
        if let elsewhere { return body(StoredName(UnsafeRawBufferPointer(start: elsewhere, count: length), isUUID: false)) }
        let isUUID = length == PackedUUID.length
        return withUnsafeBytes(of: self) {
            body(StoredName(UnsafeRawBufferPointer(rebasing: $0[..<(isUUID ? StoredName.uuidLength : length)]), isUUID: isUUID))
        }
    }
}

extension ByteString {
    package func withStored<Result>(_ body: (StoredName) -> Result) -> Result {
        withBytes { text in
            guard let uuid = PackedUUID(text), uuid.high != 0 else { return body(StoredName(text, isUUID: false)) }
            return withUnsafeBytes(of: (uuid.high, uuid.low)) { body(StoredName($0, isUUID: true)) }
        }
    }

    // MARK: The rule for new sessions' names

    /// Throws unless the name is UTF-8 without control characters, and can be part of a page's address.
    func checkAsNewName() throws(SessionError) {
        guard let text = withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw SessionError(.badName, "a session's name is UTF-8, and this one is not")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw SessionError(.badName, "a session's name has no control characters, and this one has")
        }
        guard text != ".", text != ".." else {
            throw SessionError(.badName, "a session is not called '\(text)', which no address of the page could name")
        }
    }
}

// MARK: - Why something could not be done to a session.

/// An error of the registry of sessions: a code for programs, a sentence for people.
package struct SessionError: Error, CustomStringConvertible {
    package let code: ErrorCode
    package let sentence: String

    /// Bytes of the longest sentence; a longer one is cut.
    private static let maxLength = 1_000

    package init(_ code: ErrorCode, _ sentence: String) {
        (self.code, self.sentence) = (code, sentence.cut(to: Self.maxLength))
    }

    package static func noFlow(_ name: String, _ flows: [FlowKind]) -> SessionError {
        SessionError(.noFlow, "there is no flow '\(name.shortened)'; \(flows.map(\.name).advice(for: name))")
    }

    package var description: String { "\(code) \(sentence)" }
}
