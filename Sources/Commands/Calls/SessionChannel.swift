// The names of channels: a session's happenings or its views, plain or sharded.

import Cluster
import GameFlow
import Memory
import RESP
import Sessions

/// A plain channel is `session:NAME` or `view:NAME`. A sharded one has the session's slot by Redis Cluster's rule: `session:{NAME}`, or
/// `session:NAME` where the name has a tag in braces itself.
struct SessionChannel {
    enum Subject {
        case history, views

        var prefix: StaticString {
            switch self {
            case .history: "session:"
            case .views: "view:"
            }
        }
    }

    let subject: Subject
    let session: ByteString

    /// Of the session, not of the channel's own name.
    var slot: Int { session.withBytes(HashSlot.of) }

    /// Nil for a channel of nothing that there is.
    init?(plain channel: ByteString) {
        for subject in [Subject.history, .views] {
            guard let session = channel.dropping(subject.prefix) else { continue }
            (self.subject, self.session) = (subject, session)
            return
        }
        return nil
    }

    /// Nil also where the channel's slot is not that of the session.
    init?(sharded channel: ByteString) {
        guard let plain = SessionChannel(plain: channel) else { return nil }
        (subject, session) = (plain.subject, plain.session.withoutBraces ?? plain.session)
        guard Self.sharded(subject, session) == channel, slot == channel.withBytes(HashSlot.of) else { return nil }
    }

    /// The one sharded channel of a session; nil where braces in its name leave none.
    static func sharded(_ subject: Subject, _ session: ByteString) -> ByteString? {
        if session.hasTag { return session.withoutBraces == nil ? subject.prefix + session : nil }
        return session.isClosing || session.isEmpty ? nil : subject.prefix + session.inBraces
    }
}

extension ByteString {
    private static let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))

    fileprivate func dropping(_ prefix: StaticString) -> ByteString? {
        withBytes { bytes in
            prefix.withUTF8Buffer { prefix in
                guard bytes.starts(with: prefix) else { return nil }
                return ByteString(UnsafeRawBufferPointer(rebasing: bytes[prefix.count...]))
            }
        }
    }

    /// Whether only a part of it decides its slot.
    fileprivate var hasTag: Bool {
        withBytes { bytes in
            guard let open = bytes.firstIndex(of: Self.open) else { return false }
            return bytes[(open + 1)...].firstIndex(of: Self.close).map { $0 > open + 1 } ?? false
        }
    }

    fileprivate var inBraces: ByteString {
        let bytes = [Self.open] + withBytes { Array($0) } + [Self.close]
        return bytes.withUnsafeBytes { ByteString($0) }
    }

    fileprivate var isClosing: Bool { withBytes { $0.contains(Self.close) } }

    /// The text within the braces around all of it; nil without such braces or without text.
    fileprivate var withoutBraces: ByteString? {
        withBytes { bytes in
            let isEnclosed = bytes.first == Self.open && bytes.firstIndex(of: Self.close) == bytes.count - 1
            guard isEnclosed, bytes.count > 2 else { return nil }
            return ByteString(UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]))
        }
    }
}

// MARK: - The messages for subscribers of a session, as JSON.

enum SessionMessage {
    /// An entry of its history, sent when it happens, or later to a subscriber that has missed it.
    static func text(_ entry: HistoryEntryText, of session: Session) -> String {
        var text = JSONText(reserving: 320)
        text.beginObject()
        text.member("what", entry.kind.name)
        text.member("seq", entry.seq)
        text.member("session", session.name)
        text.member("flow", session.machine.kind.name)
        text.member("event", entry.event)
        text.member("source", entry.source.name)
        text.member("timer", entry.timer)
        text.member("from", entry.from)
        text.member("to", entry.to)
        text.member("life", Int(session.life))
        text.member("version", entry.version)
        if let code = entry.code {
            text.member("code", code.text)
            text.member("refused", entry.refused)
            if let accepted = entry.accepted { text.member("accepted", .array(accepted.map { .string($0) })) }
        }
        if let actor = entry.actor { text.member("actor", actor) }
        if let repeats = entry.repeats {
            text.member("times", repeats.times)
            text.member("last_seq", repeats.lastSeq)
        }
        text.endObject()
        return text.finished()
    }

    /// An event that the session emits. It is not in the history and has the number of the latest entry.
    static func text(_ emission: Emission, of session: Session) -> String {
        JSON.object([
            .init("session", .string(session.name)), .init("what", "emitted"), .init("event", .string(emission.event)),
            .init("payload", emission.data ?? .null), .init("seq", .integer(Int(session.seq))),
            .init("version", .integer(Int(session.machine.version))),
        ]).description
    }

    /// Some messages up to the number `seq` are no longer kept; without a session, all of them.
    static func gap(_ name: String, _ session: Session?, before seq: Int) -> String {
        JSON.object([
            .init("what", "gap"), .init("seq", .integer(seq)), .init("session", .string(name)),
            .init("life", session.map { .integer(Int($0.life)) } ?? .null),
        ]).description
    }
}
