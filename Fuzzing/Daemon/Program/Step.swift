// The steps of a program. All are chosen before it runs, so that a search can leave out steps that do not matter.

import RESP
@testable import Console
@testable import Simulation

/// One step of a program.
enum Step {
    /// A client sends requests in one go, cut into pieces of that length.
    case say(client: Int, [Request], pieces: Int)
    /// A client sends bytes that may not be a request.
    case babble(client: Int, [UInt8])
    /// A client starts or stops reading its output.
    case read(client: Int, Bool)
    case hangUp(client: Int)
    /// The answer that a stand-in gives from now on.
    case standIn(StandInDirective)
    case restart(Ending)
    /// The process dies in one of its next transactions.
    case dieSoon(transactions: Int)
    /// The turn is over; before it, steps belong to the same turn.
    case endTurn

    struct Request: Equatable {
        let words: [[UInt8]]
        let isInline: Bool
    }

    enum Ending {
        case clean, crash
        /// A crash, and one more during its recovery.
        case crashTwice
    }
}

extension Step.Request {
    var bytes: [UInt8] {
        if isInline { return Array((line + "\r\n").utf8) }
        var queue = ByteQueue()
        queue.append(request: words)
        return Array(queue.bytes)
    }

    /// The request as typed into `nc -U` or `redis-cli`.
    var line: String { words.map(Self.typed).joined(separator: " ") }

    private static func typed(_ word: [UInt8]) -> String {
        let isPlain = !word.isEmpty && word.allSatisfy { (0x21...0x7e).contains($0) && !#""'\"#.utf8.contains($0) }
        return isPlain ? String(decoding: word, as: UTF8.self) : "\"" + word.map(escaped).joined() + "\""
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
        case 0x20...0x7e: String(UnicodeScalar(byte))
        default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

extension Step: CustomStringConvertible {
    /// Commands as they can be pasted; other steps are lines that begin with `#`.
    var description: String {
        switch self {
        case .say(let client, let requests, let pieces):
            (["# client \(client), in pieces of \(pieces):"] + requests.map(\.line)).joined(separator: "\n")
        case .babble(let client, let bytes): "# client \(client) sends the bytes \(bytes)"
        case .read(let client, let reads): "# client \(client) \(reads ? "reads" : "does not read")"
        case .hangUp(let client): "# client \(client) hangs up"
        case .standIn(let directive): "# stand-in: \(directive)"
        case .restart(let ending): "# gamed is started again after an end: \(ending)"
        case .dieSoon(let transactions): "# the process dies after \(transactions) transactions"
        case .endTurn: "#"
        }
    }
}
