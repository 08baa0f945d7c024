// The kind of reply that belongs to each command.

import RESP
import Texts

enum ReplyKind {
    case simple, integer, array, map, text
    /// It depends on its words.
    case any

    static func of(_ command: String) -> ReplyKind {
        switch command {
        case "NEW", "SEND", "FORCE", "RESTART", "UNDROP", "RETRY", "PAUSE", "RESUME", "SELECT", "QUIT", "AUTH",
            "RESET", "MULTI", "DISCARD", "UNWATCH":
            .simple
        case "DROP", "ADVANCE", "EXTEND": .integer
        case "EVENTS", "HISTORY", "TIMERS", "NEXT", "FLOWS", "SESSIONS", "EXEC": .array
        case "STATE", "CLOCK", "DESCRIBE", "HELLO": .map
        case "DIAGRAM", "INFO", "VIEW": .text
        default: .any
        }
    }

    func fits(_ reply: Reply) -> Bool {
        switch (self, reply) {
        case (.any, _), (_, .error), (.simple, .simple), (.integer, .integer), (.array, .array), (.map, .map): true
        case (.text, .verbatim), (.text, .bulk): true
        // RESP2 writes a map as an array.
        case (.map, .array(let parts)): parts.count.isMultiple(of: 2)
        default: false
        }
    }
}

extension Reply {
    /// Whether it is an error for unauthenticated clients, or for subscribers in RESP2.
    var isForbidden: Bool {
        guard case .error(let code, let text) = self else { return false }
        return code == .notAuthenticated || text.hasPrefix("while subscribed")
    }

    /// The documented codes that a daemon without other nodes and without a page can send.
    private static let documentedCodes: Set<ErrorCode> = [
        .noTransition, .badEvent, .vetoed, .stale, .timeout, .limit, .noSession, .exists, .setAside, .badName, .noFlow,
        .badFlow,
        .badConfiguration, .noTimer, .generic, .journal, .unknown, .loading, .busy, .backupFailed, .notAuthenticated,
        .wrongToken, .noPermission, .quota, .noProtocol, .executionAborted, .noDevice, .notConnected, .badDevices,
    ]

    /// An error has its code in one word of capitals, followed by a message.
    func checkAsError() throws(Fault) {
        guard case .error(let code, let text) = self else { return }
        let isCode = !code.text.isEmpty && code.text.utf8.allSatisfy { (65...90).contains($0) }
        try promise(
            isCode && !text.isEmpty, "an error begins with a word in capitals and goes on with a sentence: -\(code) \(text)")
        try promise(Self.documentedCodes.contains(code), "no document has this code: -\(code) \(text)")
        try promise(text.utf8.count < 2_000, "an error of \(text.utf8.count) bytes: \(text.prefix(200))")
    }
}

/// Commands that send one message per confirmation.
enum Subscribing {
    static let commands: Set<String> = [
        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
    ]

    /// How many channels the command names: SINCE and its number are none.
    static func channels(_ words: [[UInt8]]) -> Int {
        let hasSince = words.count > 3 && String(decoding: words[words.count - 2], as: UTF8.self).uppercased() == "SINCE"
        return words.count - (hasSince ? 3 : 1)
    }
}
