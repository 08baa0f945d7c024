// A limit: its name, range and purpose. Help, manual, `--limit` and `CONFIG` read this list.

import Posix
import Sessions
import Texts

package struct Limit: Sendable {
    package let name: String
    package let path: any WritableKeyPath<Limits, Int> & Sendable
    package let range: ClosedRange<Int>
    /// The resource it limits, to be read after its name.
    package let sentence: String
    /// Whether it can only be set at start.
    package let isSetAtStart: Bool

    package var standard: Int { Limits()[keyPath: path] }

    package static let all = [
        Limit("sessions", \.sessions, 1...100_000_000, "sessions"),
        Limit("history", \.historyLines, 1...100_000_000, "history entries kept for all sessions together", isSetAtStart: true),
        Limit(
            "session-history", \.sessionHistory, 1...10_000, "history entries kept per session",
            isSetAtStart: true),
        Limit(
            "history-bytes", \.historyBytes, 128 << 10...64 << 30, "bytes of payloads and refusals in the history",
            isSetAtStart: true),
        Limit(
            "waiting-bytes", \.waitingBytes, 4_096...1 << 40,
            "bytes in payloads of events that wait for another state or a hook, for all sessions together"),
        Limit("connections", \.connections, 1...1_000_000, "open connections"),
        Limit(
            "share-percent", \.sharePercent, 1...100,
            "percent of each shared limit that one token or address may use"),
        Limit(
            "reserve-percent", \.reservePercent, 0...50,
            "percent of each shared limit kept for the UNIX socket, administrators and health checks"),
        Limit(
            "strangers", \.strangers, 1...100_000, "connections that have not sent a token; above, the oldest is closed"),
        Limit(
            "stranger-ms", \.strangerMilliseconds, 10...3_600_000,
            "milliseconds for a connection to send its token, or to read its last replies"),
        Limit("request-bytes", \.requestBytes, 1_024...1 << 30, "bytes per request"),
        Limit("payload-bytes", \.payloadBytes, 16...512 << 20, "bytes per payload of SEND, NEW and FORCE"),
        Limit("output-bytes", \.outputBytes, 4_096...4 << 30, "unread reply bytes above which gamed disconnects a client"),
        Limit(
            "client-bytes", \.clientBytes, 65_536...1 << 40,
            "bytes buffered for all clients together; above, gamed disconnects the client with most"),
        Limit("subscriptions", \.subscriptions, 1...10_000_000, "subscriptions per connection"),
        Limit(
            "hook-ms", \.hookMilliseconds, 1...3_600_000,
            "milliseconds that a flow's hook may take, and that SEND waits for one; then the event is withdrawn"),
        Limit("ids", \.ids, 1...1_024, "ids of SEND that a session remembers; above, it forgets the oldest"),
        Limit("transaction-bytes", \.transactionBytes, 1_024...1 << 30, "bytes of commands between MULTI and EXEC"),
        Limit(
            "journal-backlog", \.journalBacklog, 4_096...4 << 30, "bytes waiting for the disk, above which requests wait"),
        Limit(
            "record-bytes", \.recordBytes, 4_096...1 << 50,
            "bytes that --bluetooth-record writes in total"),
        Limit("undo-ms", \.undoMilliseconds, 0...600_000, "milliseconds in which UNDROP can undo a DROP; 0 disables UNDROP"),
        Limit("stop-ms", \.stopMilliseconds, 0...600_000, "milliseconds for the last replies when gamed stops"),
    ]

    /// Bounds that cannot be set, by the names that they once had, and what to do instead.
    static let notSettable = [
        "name-length": "a session's name has at most \(SessionName.maxLength) bytes",
        "arguments": "a request has at most \(Limits().arguments) words; request-bytes limits its size",
        "argument-bytes": "a word has at most \(Limits().argumentBytes) bytes; request-bytes limits the size of a request",
        "pause-bytes":
            "a client's requests wait while 1 MiB of its replies is unread; output-bytes limits its unread replies",
        "pattern-pieces": "subscriptions limits the patterns of each connection",
        "transaction-commands":
            "a transaction has at most \(Limits().transactionCommands) commands; transaction-bytes limits their size",
        "turn-requests": "connections get equal parts of each turn",
        "advance-firings": "one ADVANCE fires at most \(Limits().advanceFirings) timers; send several",
    ]

    private init(
        _ name: String, _ path: any WritableKeyPath<Limits, Int> & Sendable, _ range: ClosedRange<Int>, _ sentence: String,
        isSetAtStart: Bool = false
    ) {
        self.isSetAtStart = isSetAtStart
        self.name = name
        self.path = path
        self.range = range
        self.sentence = sentence
    }

    package static func named(_ name: String) -> Limit? {
        all.first { $0.name == name.lowercased() }
    }

    /// How to change the limit, to be added to an error about it.
    static func advice(_ path: KeyPath<Limits, Int>) -> String {
        guard let limit = all.first(where: { $0.path == path }) else { return "" }
        return "; CONFIG SET \(limit.name) N changes this limit, and so does the daemon's option --limit \(limit.name)=N"
    }

    /// A whole number, or one of KiB, MiB or GiB: `512k`, `64m`, `1g`.
    package func read(_ text: String) throws(UsageError) -> Int {
        let factors: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        let factor = text.last.flatMap { factors[Character($0.lowercased())] }
        let digits = factor == nil ? text[...] : text.dropLast()
        let (value, overflow) = (Int(digits) ?? -1).multipliedReportingOverflow(by: factor ?? 1)
        guard !overflow, range.contains(value) else {
            throw UsageError(
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text.shortened)'")
        }
        return value
    }
}
