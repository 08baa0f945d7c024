// Finds the end of a request and of its body, as strictly as RFC 9112 defines it. libevent is lenient, and a proxy between a client and the daemon
// may read the same bytes as two requests. Compares bytes in place, since it runs for every request.

import CEvent
import Glibc

/// Reads the bytes of a connection as they come, before libevent does.
struct FramingCheck {
    private enum Part {
        /// The request line, then headers, until an empty line.
        case head(isFirstLine: Bool)
        /// This many bytes of a body.
        case body(left: Int)
        /// The line with the size of a chunk.
        case size
        case chunk(left: Int)
        /// The line break behind a chunk.
        case chunkEnd
        /// Lines behind the last chunk.
        case trailer
    }

    /// Whether the body of the current request has a length, or comes in chunks.
    private enum Length {
        case known(Int)
        case chunked
    }

    /// The error; nil without one. Reading stops after an error.
    private(set) var fault: String?
    /// The number of requests that have ended, which is also the index of the request that has the error.
    private(set) var endedRequests = 0
    private var part = Part.head(isFirstLine: true)
    private var length: Length?
    /// Bytes of the request line, the headers and the trailers of the current request, with their line breaks.
    private var headerBytes = 0
    /// The beginning of a line that is not complete.
    private var line: [UInt8] = []
    /// More bytes of a line are not kept: libevent refuses the request, or the line is of no interest.
    private static let maxLine = 256
    /// Digits of a length: more would not fit.
    private static let maxDigits = 15

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, fault == nil {
            switch part {
            case .body(let left):
                let rest = skip(left, bytes.count, &index)
                if rest == 0 { endRequest() } else { part = .body(left: rest) }
            case .chunk(let left):
                let rest = skip(left, bytes.count, &index)
                part = rest == 0 ? .chunkEnd : .chunk(left: rest)
            case .head, .size, .chunkEnd, .trailer: readLine(bytes, &index)
            }
        }
    }

    /// Returns how many of the bytes come later.
    private func skip(_ left: Int, _ end: Int, _ index: inout Int) -> Int {
        let count = min(left, end - index)
        index += count
        return left - count
    }

    private mutating func endRequest() {
        endedRequests += 1
        headerBytes = 0
        part = .head(isFirstLine: true)
    }

    private mutating func readLine(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) {
        // Nearly every line is short, and comes in one piece.
        let rest = UnsafeRawBufferPointer(rebasing: bytes[index...].prefix(Self.maxLine))
        if line.isEmpty, let end = rest.index(of: "\n") {
            index += end + 1
            countHeaderBytes(end + 1)
            return endLine(UnsafeRawBufferPointer(rebasing: rest[..<end]))
        }
        while index < bytes.count, fault == nil {
            let byte = bytes[index]
            index += 1
            countHeaderBytes(1)
            if byte == UInt8(ascii: "\n") {
                let whole = line
                line = []
                return whole.withUnsafeBytes { endLine($0) }
            }
            // The two last bytes of a long line are kept as well, since they tell how it ends.
            if line.count > Self.maxLine, line.remove(at: Self.maxLine - 1) == UInt8(ascii: "\r") {
                return fail("a line contains a carriage return")
            }
            line.append(byte)
        }
    }

    /// libevent answers long headers correctly, but calls long trailers a long body.
    private mutating func countHeaderBytes(_ count: Int) {
        switch part {
        case .head: headerBytes += count
        case .trailer:
            headerBytes += count
            guard headerBytes > HTTPLimits.headerBytes else { return }
            fail("the request line, the headers and the trailers have more than \(HTTPLimits.headerBytes) bytes")
        case .body, .size, .chunk, .chunkEnd: break
        }
    }

    private mutating func endLine(_ line: UnsafeRawBufferPointer) {
        guard fault == nil else { return }
        let hasReturn = line.last == UInt8(ascii: "\r")
        let text = UnsafeRawBufferPointer(rebasing: hasReturn ? line.dropLast() : line[...])
        if text.index(of: "\r") != nil { return fail("a line contains a carriage return") }
        switch part {
        case .head(let isFirstLine): readHead(text, isFirstLine)
        case .size, .chunkEnd, .trailer:
            guard hasReturn else { return fail("a line of a chunked body ends without a carriage return") }
            readChunks(text)
        case .body, .chunk: break
        }
    }

    private mutating func fail(_ text: String) { fault = text }

    // MARK: Heads

    private mutating func readHead(_ text: UnsafeRawBufferPointer, _ isFirstLine: Bool) {
        if text.isEmpty, !isFirstLine { return beginBody() }
        part = .head(isFirstLine: false)
        guard !isFirstLine else { return }
        guard let first = text.first, first != UInt8(ascii: " "), first != UInt8(ascii: "\t") else {
            return fail("folded headers are not supported")
        }
        // Content-Length or Transfer-Encoding; no other header is of interest.
        guard first | 0x20 == UInt8(ascii: "c") || first | 0x20 == UInt8(ascii: "t") else { return }
        guard let colon = text.index(of: ":") else { return }
        let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
        let isLength = name.equalsIgnoringCase("content-length")
        guard isLength || name.equalsIgnoringCase("transfer-encoding") else { return }
        // The middle of a longer line is not kept.
        guard text.count < Self.maxLine else {
            return fail("the line of Content-Length or Transfer-Encoding has more than 255 bytes")
        }
        guard length == nil else { return fail("the length of the body is given twice") }
        let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]).trimmed
        guard isLength else {
            guard value.equalsIgnoringCase("chunked") else { return fail("the only supported Transfer-Encoding is chunked") }
            return length = .chunked
        }
        guard let count = Self.number(value, radix: 10) else { return fail("Content-Length is not a number") }
        length = .known(count)
    }

    private mutating func beginBody() {
        defer { length = nil }
        switch length {
        case .chunked: part = .size
        case .known(let count) where count > 0: part = .body(left: count)
        case .known, nil: endRequest()
        }
    }

    // MARK: Chunks

    private mutating func readChunks(_ text: UnsafeRawBufferPointer) {
        switch part {
        case .size:
            // libevent refuses them.
            if text.index(of: ";") != nil { return fail("chunk extensions are not supported") }
            guard let count = Self.number(text, radix: 16) else {
                return fail("the size of a chunk is not hexadecimal")
            }
            part = count == 0 ? .trailer : .chunk(left: count)
        case .chunkEnd:
            guard text.isEmpty else { return fail("a chunk is longer than its size") }
            part = .size
        case .trailer:
            if text.isEmpty { return endRequest() }
            let isFolded = text.first == UInt8(ascii: " ") || text.first == UInt8(ascii: "\t")
            if isFolded { return fail("folded headers are not supported") }
            // The middle of a longer line is not kept.
            if text.index(of: ":") == nil { fail("a trailer has no colon in its first 255 bytes") }
        case .head, .body, .chunk: break
        }
    }

    /// Digits, without a sign, a prefix or a blank.
    private static func number(_ text: UnsafeRawBufferPointer, radix: Int) -> Int? {
        guard (1...maxDigits).contains(text.count) else { return nil }
        var number = 0
        for byte in text {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
            number = number * radix + digit
        }
        return number
    }
}

// MARK: - Looks at what a client sends before libevent does

final class InputGuard {
    private let stream: OpaquePointer
    /// The most bytes that may wait to be looked at.
    var maxBytes: Int
    private var hasHungUp = false
    private var framing = FramingCheck()
    /// Bytes of a request until it is answered, and of its response until it is sent. Zero for a stream, whose reader bounds them.
    private(set) var held = 0
    private var isCounting = true
    private let all: HeldBytes
    /// Called when the first bytes of a response are written.
    private let onResponse: () -> Void

    init(of stream: OpaquePointer, maxBytes: Int, countingIn all: HeldBytes, onResponse: @escaping () -> Void) {
        (self.stream, self.maxBytes, self.all, self.onResponse) = (stream, maxBytes, all, onResponse)
        evbuffer_add_cb(bufferevent_get_input(stream), Self.hasCome, me)
        evbuffer_add_cb(bufferevent_get_output(stream), Self.hasWritten, me)
    }

    /// The stream may live on without it.
    func stop() {
        evbuffer_remove_cb(bufferevent_get_input(stream), Self.hasCome, me)
        evbuffer_remove_cb(bufferevent_get_output(stream), Self.hasWritten, me)
        stopCounting()
    }

    func stopCounting() {
        count(-held)
        isCounting = false
    }

    /// Its request is answered: it holds only what has come since.
    func countAgain() {
        let output = Self.counted(evbuffer_get_length(bufferevent_get_output(stream)))
        count(evbuffer_get_length(bufferevent_get_input(stream)) + output - held)
    }

    private func count(_ bytes: Int) {
        guard bytes != 0, isCounting else { return }
        held += bytes
        all.count += bytes
    }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static let hasCome: evbuffer_cb_func = { _, change, me in
        // libevent takes a head out in many pieces.
        guard let change, let me, change.pointee.n_added > 0 else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().checkSize(change.pointee.orig_size, change.pointee.n_added)
    }

    private static let hasWritten: evbuffer_cb_func = { _, change, me in
        guard let change, let me else { return }
        Unmanaged<InputGuard>.fromOpaque(me).takeUnretainedValue().countOutput(change.pointee)
    }

    /// Less output is not counted: a head is written in many pieces, and to count each would cost more than to write it.
    private static let minOutput = 4_096

    private static func counted(_ output: Int) -> Int { output < minOutput ? 0 : output }

    private func countOutput(_ change: evbuffer_cb_info) {
        count(Self.counted(change.orig_size + change.n_added - change.n_deleted) - Self.counted(change.orig_size))
        if change.orig_size == 0, change.n_added > 0 { onResponse() }
    }

    /// The framing error of the request with this index, or of one before it; nil without one.
    func fault(ofRequest index: Int) -> String? { framing.endedRequests <= index ? framing.fault : nil }

    private func checkSize(_ before: Int, _ added: Int) {
        let size = before + added
        count(added)
        if framing.fault == nil { checkFraming(before, added) }
        guard size > maxBytes, !hasHungUp else { return }
        hasHungUp = true
        shutdown(bufferevent_getfd(stream), Int32(SHUT_RDWR))
    }

    private func checkFraming(_ before: Int, _ added: Int) {
        let buffer = bufferevent_get_input(stream)
        var place = evbuffer_ptr()
        guard evbuffer_ptr_set(buffer, &place, before, EVBUFFER_PTR_SET) == 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: added, alignment: 1) { bytes in
            let count = evbuffer_copyout_from(buffer, &place, bytes.baseAddress, added)
            framing.read(UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)]))
        }
    }
}

/// The bytes that all connections hold together.
final class HeldBytes { var count = 0 }

// MARK: - Bytes of a head

extension UnsafeRawBufferPointer {
    /// Returns the index of the first such byte, or nil.
    func index(of byte: Unicode.Scalar) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte.value), count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Whether the bytes equal the text, which is in lower case, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
        return evutil_ascii_strncasecmp(
            start.assumingMemoryBound(to: CChar.self), UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self),
            count) == 0
    }

    /// The bytes without leading and trailing spaces and tabs.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return UnsafeRawBufferPointer(rebasing: rest)
    }
}
