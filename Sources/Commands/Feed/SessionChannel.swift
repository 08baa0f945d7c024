// The names of channels: a session's messages or its views, plain or sharded.

import Cluster
import GameFlow
import Memory
import RESP

/// The kinds of subscriptions, by the letter before Redis' words for them: `psubscribe`, `smessage`.
enum ChannelKind: String {
    case channel = ""
    case pattern = "p"
    /// A channel that has the slot of its session.
    case sharded = "s"

    /// The first word of a message.
    var messageWord: ByteString { ByteString(rawValue + "message") }
}

/// A plain channel is `session:NAME` or `view:NAME`. A sharded one has the session's slot by Redis Cluster's rule: `session:{NAME}`, or
/// `session:NAME` where the name has a tag in braces itself.
struct SessionChannel: Hashable {
    enum Subject {
        case history, views

        var prefix: StaticString {
            switch self {
            case .history: "session:"
            case .views: "view:"
            }
        }

        var topic: FeedTopic {
            switch self {
            case .history: .messages
            case .views: .views
            }
        }
    }

    let subject: Subject
    let session: ByteString

    /// The hash slot of the session's name, not of the channel's.
    var slot: Int { session.withBytes(HashSlot.of) }

    init(_ subject: Subject, of session: ByteString) { (self.subject, self.session) = (subject, session) }

    /// A pattern has a pattern in place of the session's name. Nil for any other channel: nothing is ever sent to it.
    init?(_ channel: ByteString, _ kind: ChannelKind) {
        switch kind {
        case .channel, .pattern: self.init(plain: channel)
        case .sharded: self.init(sharded: channel)
        }
    }

    /// Nil if it begins with none of the prefixes.
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

    /// Throws if the name is no channel, or the pattern can match none: nothing would ever be sent for it.
    static func check(_ name: ByteString, _ kind: ChannelKind) throws(CommandError) {
        let isValid = kind == .pattern ? name.canMatchChannel : SessionChannel(name, kind) != nil
        guard !isValid else { return }
        let quoted = name.text.shortened
        let sentence =
            switch kind {
            case .channel: "'\(quoted)' is not a channel; use session:NAME or view:NAME"
            case .pattern: "'\(quoted)' matches no channel; use session:GLOB or view:GLOB"
            case .sharded:
                "'\(quoted)' is not a sharded channel; use session:{NAME} or view:{NAME}, without braces if the name has some"
            }
        throw CommandError(.generic, sentence)
    }
}

extension ByteString {
    /// Whether this pattern is one of views, or may match channels of messages: up to its first special character it begins as they do.
    fileprivate var canMatchChannel: Bool {
        if SessionChannel(plain: self)?.subject == .views { return true }
        return withBytes { pattern in
            SessionChannel.Subject.history.prefix.withUTF8Buffer { prefix in
                let start = pattern.prefix { !"*?[\\".utf8.contains($0) }
                let isExact = start.count == pattern.count
                return zip(start, prefix).allSatisfy(==) && (!isExact || start.count >= prefix.count)
            }
        }
    }

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
