// A limit: its name, range and purpose. Help, manual, `--limit` and `CONFIG` read this list.

import Posix
import Sessions
import Texts

package struct Limit: Sendable {
    package let name: String
    package let path: any WritableKeyPath<Limits, Int> & Sendable
    package let range: ClosedRange<Int>
    /// What it limits, to be read after its name.
    package let sentence: String
    /// Whether it can only be set at start.
    package let isFixed: Bool

    package var standard: Int { Limits()[keyPath: path] }

    package static let all = [
        Limit("sessions", \.sessions, 1...100_000_000, "sessions at most"),
        Limit("name-length", \.nameLength, 1...SessionName.longest, "bytes in a session's name"),
        Limit("history", \.historyLines, 1...100_000_000, "history lines kept, over all sessions", isFixed: true),
        Limit(
            "session-history", \.sessionHistory, 1...10_000, "history lines kept per session",
            isFixed: true),
        Limit(
            "history-bytes", \.historyBytes, 128 << 10...64 << 30, "bytes of payloads and refusals kept in the history",
            isFixed: true),
        Limit(
            "waiting-bytes", \.waitingBytes, 4_096...1 << 40,
            "bytes of payloads of events that wait for another state or for a hook, over all sessions"),
        Limit("connections", \.connections, 1...1_000_000, "open connections"),
        Limit(
            "share-percent", \.sharePercent, 1...100,
            "percent of each bound that clients share which one token, or one address, may have"),
        Limit(
            "reserve-percent", \.reservePercent, 0...50,
            "percent of each bound that clients share which the UNIX socket and administrators alone may use"),
        Limit(
            "strangers", \.strangers, 1...100_000, "connections without a token; above, the oldest is closed"),
        Limit(
            "stranger-ms", \.strangerMilliseconds, 10...3_600_000,
            "milliseconds a connection has to say its token, or to read its last answers"),
        Limit("request-bytes", \.requestBytes, 1_024...1 << 30, "bytes in a request"),
        Limit("arguments", \.arguments, 16...1 << 20, "words in a request"),
        Limit("argument-bytes", \.argumentBytes, 1_024...512 << 20, "bytes in a word of a request"),
        Limit("payload-bytes", \.payloadBytes, 16...512 << 20, "bytes in the payload of SEND, NEW and FORCE"),
        Limit("pause-bytes", \.pauseBytes, 1_024...1 << 30, "unread bytes above which a client's requests wait"),
        Limit("output-bytes", \.outputBytes, 4_096...4 << 30, "unread bytes above which a client is cut off"),
        Limit(
            "client-bytes", \.clientBytes, 65_536...1 << 40,
            "bytes held for all clients together; above, the client that holds most is cut off"),
        Limit("subscriptions", \.subscriptions, 1...10_000_000, "subscriptions per connection"),
        Limit(
            "pattern-pieces", \.patternPieces, 1...1 << 30,
            "bytes behind the stars of all subscribed patterns, each compared with every change"),
        Limit(
            "hook-ms", \.hookMilliseconds, 1...3_600_000,
            "milliseconds that SEND waits for a flow's hook; then its event is withdrawn"),
        Limit("ids", \.ids, 1...1_024, "ids of SEND that each session remembers; above, it forgets the oldest"),
        Limit("transaction-commands", \.transactionCommands, 1...1_000_000, "commands between MULTI and EXEC"),
        Limit("transaction-bytes", \.transactionBytes, 1_024...1 << 30, "bytes of the commands between MULTI and EXEC"),
        Limit("turn-requests", \.turnRequests, 1...1_000_000, "requests answered for one connection before the others' turn"),
        Limit("advance-firings", \.advanceFirings, 1...1_000_000_000, "timers that one ADVANCE fires before it stops"),
        Limit(
            "journal-backlog", \.journalBacklog, 4_096...4 << 30, "bytes waiting for the disk above which requests wait"),
        Limit(
            "record-bytes", \.recordBytes, 4_096...1 << 50,
            "bytes that --bluetooth-record writes in all before recording ends"),
        Limit("undo-ms", \.undoMilliseconds, 0...600_000, "milliseconds for which UNDROP takes a DROP back; 0 for not at all"),
        Limit("stop-ms", \.stopMilliseconds, 0...600_000, "milliseconds for the last answers when the daemon stops"),
    ]

    private init(
        _ name: String, _ path: any WritableKeyPath<Limits, Int> & Sendable, _ range: ClosedRange<Int>, _ sentence: String,
        isFixed: Bool = false
    ) {
        self.isFixed = isFixed
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
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), and not '\(text.shortened)'")
        }
        return value
    }
}
