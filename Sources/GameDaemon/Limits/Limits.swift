// Everything that a client could make grow, and how far it may. What each is called and means is in `Limit.all`.

public struct Limits: Equatable, Sendable {
    public var sessions = 10_000_000
    public var nameLength = 255
    public var historyLines = 262_144
    public var sessionHistory = 50
    public var historyBytes = 32 << 20
    public var waitingBytes = 64 << 20
    public var connections = 10_000
    public var strangers = 64
    public var strangerMilliseconds = 10_000
    public var requestBytes = 64 << 20
    public var arguments = 1 << 16
    public var argumentBytes = 32 << 20
    public var payloadBytes = 1 << 20
    public var pauseBytes = 1 << 20
    public var outputBytes = 64 << 20
    public var clientBytes = 128 << 20
    public var subscriptions = 10_000
    public var patternPieces = 1 << 16
    public var turnRequests = 1_000
    public var advanceFirings = 1_000_000
    public var stopMilliseconds = 2_000
    public var journalBacklog = 64 << 20

    public init() {}

    /// Sets the limit that is named, if there is one and the value is within its range.
    mutating func set(_ name: String, to value: String) throws(UsageError) {
        guard let limit = Limit.named(name) else {
            throw UsageError(description: "there is no limit '\(name.shortened)'; there are \(Limit.names)")
        }
        self[keyPath: limit.path] = try limit.read(value)
    }

    /// How much of what has happened is kept.
    var history: History.Limits { History.Limits(lines: historyLines, perSession: sessionHistory, bytes: historyBytes) }

    /// Those that are not as they would be if nobody had said anything.
    var changed: [(limit: Limit, value: Int)] {
        Limit.all.map { ($0, self[keyPath: $0.path]) }.filter { $0.1 != $0.0.standard }
    }
}

extension CommandError {
    /// Something has come up against the limit of that name.
    static func limit(_ path: KeyPath<Limits, Int>, _ sentence: String) -> CommandError {
        CommandError("LIMIT", sentence + Limit.advice(path))
    }
}
