// SINCE: who comes back is told what has happened to a session meanwhile.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

/// The last that a subscriber knows of a session: `3:17` with the session's life, or `17` for its present life.
struct KnownEntry {
    let life: Life?
    let seq: UInt32

    init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
        guard let number = parts.last, let seq = number, parts.count == 1 || parts[0] != nil else {
            throw CommandError(
                .generic,
                "'\(text.shortened)' is no number of an entry; messages and HISTORY say it: 17, or 3:17 with the session's life"
            )
        }
        self.seq = seq
        life = parts.count == 2 ? parts[0] : nil
    }
}

struct MissedMessages {
    /// At most so many entries are told; of more, the newest.
    static let most = 1_000

    let messages: [ByteString]

    /// What has happened to the session since. If some of it is not kept, the first message says so.
    init(of name: ByteString, since known: KnownEntry, in host: Host) {
        guard let session = host.sessions.find(name) else {
            messages = [ByteString(SessionMessage.gap(name.text, nil, before: Int(known.seq)))]
            return
        }
        let isSameLife = known.life == nil || known.life == session.life
        let seq = isSameLife ? known.seq : 0
        let entries = session.historyTexts(Self.most, after: seq, at: host.wallNanoseconds).reversed()
        // A number that was never given is of a life that a crash has taken back.
        let isComplete = isSameLife && seq <= session.seq && session.hasAllEntries(after: seq, atMost: Self.most)
        let gap = SessionMessage.gap(name.text, session, before: (entries.first?.seq ?? Int(session.seq) + 1) - 1)
        messages = ((isComplete ? [] : [gap]) + entries.map { SessionMessage.text($0, of: session) }).map { ByteString($0) }
    }
}
