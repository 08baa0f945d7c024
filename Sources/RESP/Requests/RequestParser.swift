// Parses requests in place and incrementally: however small the pieces are, nothing is scanned twice.

/// One connection's parser. Remembers its offsets in an incomplete request; the caller keeps the bytes, anywhere, until the request is
/// complete.
public struct RequestParser: ~Copyable {
    public var limits: RequestLimits
    /// The words of the last request; always the same object.
    @inlinable public var arguments: RequestArguments { words }
    @usableFromInline var words = RequestArguments()
    private var progress = RequestProgress.untouched

    public init(limits: RequestLimits = .authenticated) {
        self.limits = limits
    }

    /// Parses the request at the start of `bytes` and returns its length; nil if it is incomplete. Requests that Redis ignores (`*0`, an empty line)
    /// have no arguments.
    ///
    /// The arguments point into `bytes`, and are valid until those move or the parser is called again.
    public mutating func next(in bytes: UnsafeRawBufferPointer) throws(RequestError) -> Int? {
        switch progress {
        case .untouched: try begin(bytes)
        case .line(let searched): try readLine(bytes, searched: searched)
        case .argumentCount(let searched): try readArgumentCount(bytes, searched: searched)
        case .bulkLength(let start, let searched, let missing):
            try readBulks(bytes, from: start, searched: searched, missing: missing)
        case .bulk(let start, let length, let missing):
            try readBulk(bytes, from: start, length: length, missing: missing)
        }
    }

    /// Parses the current request again from its first byte.
    public mutating func beginAgain() {
        progress = .untouched
    }

    /// How much memory it holds, in bytes.
    public var footprint: Int { words.footprint }

    /// Releases an idle parser's memory. No effect in the middle of a request.
    public mutating func releaseMemory() {
        if case .untouched = progress { words.releaseMemory() }
    }

    /// Swaps out the arguments of the last request; the next one fills `other`.
    @inlinable
    public mutating func exchange(with other: inout RequestArguments) {
        swap(&words, &other)
    }

    private mutating func begin(_ bytes: UnsafeRawBufferPointer) throws(RequestError) -> Int? {
        words.removeAll()
        guard let first = bytes.first else { return nil }
        guard first == .star else { return try readLine(bytes, searched: 0) }
        if let length = words.appendShort(bytes, limits) { return finish(bytes, length: length) }
        words.removeAll()
        return try readArgumentCount(bytes, searched: 0)
    }

    private mutating func pause(_ progress: RequestProgress) -> Int? {
        self.progress = progress
        return nil
    }

    private mutating func finish(_ bytes: UnsafeRawBufferPointer, length: Int) -> Int {
        progress = .untouched
        words.publish(in: bytes)
        return length
    }

    // MARK: Arrays of bulks

    private mutating func readArgumentCount(_ bytes: UnsafeRawBufferPointer, searched: Int) throws(RequestError) -> Int? {
        switch HeaderLine(.star, in: bytes, from: 0, searched: searched) {
        case .complete(let number, let next):
            let count = try limits.check(argumentCount: number)
            return try readBulks(bytes, from: next, searched: next, missing: count)
        case .incomplete(let searched): return pause(.argumentCount(searched: searched))
        case .endless: throw .endlessArgumentCount
        }
    }

    private mutating func readBulks(
        _ bytes: UnsafeRawBufferPointer, from start: Int, searched: Int, missing: Int
    ) throws(RequestError) -> Int? {
        var (start, missing) = (start, missing)
        while missing > 0 {
            guard start < bytes.count else { return pause(.bulkLength(start: start, searched: start, missing: missing)) }
            guard bytes[start] == .dollar else { throw .expectedBulk(got: bytes[start]) }
            switch HeaderLine(.dollar, in: bytes, from: start, searched: searched) {
            case .complete(let number, let bulk):
                let length = try limits.check(bulkLength: number)
                guard bytes.holdsBulk(from: bulk, length: length) else {
                    return pause(.bulk(start: bulk, length: length, missing: missing))
                }
                words.append(offset: bulk, length: length)
                start = bulk + length + 2
                missing -= 1
            case .incomplete(let searched): return pause(.bulkLength(start: start, searched: searched, missing: missing))
            case .endless: throw .endlessBulkLength
            }
        }
        return finish(bytes, length: start)
    }

    private mutating func readBulk(
        _ bytes: UnsafeRawBufferPointer, from start: Int, length: Int, missing: Int
    ) throws(RequestError) -> Int? {
        guard bytes.holdsBulk(from: start, length: length) else { return nil }
        words.append(offset: start, length: length)
        let next = start + length + 2
        return try readBulks(bytes, from: next, searched: next, missing: missing - 1)
    }

    // MARK: Inline requests

    private mutating func readLine(_ bytes: UnsafeRawBufferPointer, searched: Int) throws(RequestError) -> Int? {
        switch InlineLine(in: bytes, searched: searched) {
        case .complete(let line, let next):
            try words.append(wordsOf: line)
            return finish(bytes, length: next)
        case .incomplete(let searched): return pause(.line(searched: searched))
        case .endless: throw .endlessLine
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all of a bulk is there, with the two bytes of its line end; as in Redis, those are not looked at.
    fileprivate func holdsBulk(from start: Int, length: Int) -> Bool {
        count - start - 2 >= length
    }
}

// MARK: - Errors of requests

/// The error, in Redis' own words; the caller writes `-ERR Protocol error: ` before them.
public enum RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line beyond the limit.
    case endlessLine
    case endlessArgumentCount
    case endlessBulkLength
    /// Not a number, or beyond the limit.
    case invalidArgumentCount
    case invalidBulkLength
    /// Beyond the limit for clients that have not authenticated.
    case strangersArgumentCount
    case strangersBulkLength
    /// An argument that does not begin with a dollar.
    case expectedBulk(got: UInt8)
    /// A quote that is not closed, or is closed in the middle of a word.
    case unbalancedQuotes

    public var description: String {
        switch self {
        case .endlessLine: "too big inline request"
        case .endlessArgumentCount: "too big mbulk count string"
        case .endlessBulkLength: "too big bulk count string"
        case .invalidArgumentCount: "invalid multibulk length"
        case .invalidBulkLength: "invalid bulk length"
        case .strangersArgumentCount: "unauthenticated multibulk length"
        case .strangersBulkLength: "unauthenticated bulk length"
        case .expectedBulk(let byte): "expected '$', got '\(Character(UnicodeScalar(byte)))'"
        case .unbalancedQuotes:
            "unbalanced quotes in request: close each quote, add a blank after it, and put JSON in single quotes, '{\"a\":1}'"
        }
    }
}

// MARK: - The position in an incomplete request

/// All offsets count from the first byte of the request.
enum RequestProgress {
    /// At the start of a request.
    case untouched
    /// In an inline request, which does not end before `searched`.
    case line(searched: Int)
    /// In the line that says how many arguments there are, which does not end before `searched`.
    case argumentCount(searched: Int)
    /// In the line that says how long the first of the `missing` arguments is: it begins at `start` and does not end before
    /// `searched`.
    case bulkLength(start: Int, searched: Int, missing: Int)
    /// In the first of the `missing` arguments, which begins at `start`.
    case bulk(start: Int, length: Int, missing: Int)
}

// MARK: - The limits on a request

public struct RequestLimits: Equatable, Sendable {
    /// The longest line, in bytes: an inline request, or the line of a count or a length.
    public static let line = 64 * 1024
    /// The limits before authentication.
    public static let strangersArguments = 10
    public static let strangersBulk = 16 * 1024

    /// Whether the client has authenticated, or need not.
    public var isAuthenticated: Bool
    /// The most arguments of one request.
    public var arguments: Int
    /// The longest argument, in bytes.
    public var bulk: Int

    public static let authenticated = RequestLimits(isAuthenticated: true)
    public static let unauthenticated = RequestLimits(isAuthenticated: false)

    public init(isAuthenticated: Bool, arguments: Int = 1024 * 1024, bulk: Int = 512 * 1024 * 1024) {
        self.isAuthenticated = isAuthenticated
        self.arguments = arguments
        self.bulk = bulk
    }

    func check(argumentCount count: Int?) throws(RequestError) -> Int {
        guard let count, count <= arguments else { throw .invalidArgumentCount }
        guard isAuthenticated || count <= Self.strangersArguments else { throw .strangersArgumentCount }
        return count
    }

    func check(bulkLength length: Int?) throws(RequestError) -> Int {
        guard let length, length >= 0, length <= bulk else { throw .invalidBulkLength }
        guard isAuthenticated || length <= Self.strangersBulk else { throw .strangersBulkLength }
        return length
    }
}

// MARK: - The header line of an array or a bulk: marker, number, line end.

enum HeaderLine {
    /// The number, or nil if the line has none, and the offset after the line.
    case complete(number: Int?, next: Int)
    /// The line does not end before `searched`.
    case incomplete(searched: Int)
    /// Longer than any line may be.
    case endless

    /// Reads the line with the marker at `start`; an earlier attempt found no end before `searched`. As in Redis, a carriage return ends it, and the
    /// next byte counts as a line feed.
    init(_ marker: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int, searched: Int) {
        if let (number, next) = bytes.shortHeader(marker, at: start) {
            self = .complete(number: number, next: next)
        } else {
            self = .any(in: bytes, from: start, searched: searched)
        }
    }

    private static func any(in bytes: UnsafeRawBufferPointer, from start: Int, searched: Int) -> HeaderLine {
        let limit = start + RequestLimits.line
        let visible = bytes.slice(from: 0, to: min(bytes.count, limit + 1))
        guard let lineEnd = visible.firstOffset(of: .carriageReturn, from: max(searched, start + 1)) else {
            return bytes.count > limit ? .endless : .incomplete(searched: bytes.count)
        }
        guard lineEnd + 1 < bytes.count else { return .incomplete(searched: lineEnd) }
        return .complete(number: Decimal.parse(bytes.slice(from: start + 1, to: lineEnd)), next: lineEnd + 2)
    }
}
