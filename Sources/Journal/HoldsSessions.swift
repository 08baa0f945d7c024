// What both kinds of persistence do with sessions that could not be restored.

import RESP
import Sessions

/// Has the rows and the histories of sessions that are set aside.
protocol HoldsSessions: SessionPersistence {
    var sessions: Sessions { get }
    var held: [ByteString: HeldSession] { get set }
    /// The histories of those of them that were dropped.
    var dropped: [ByteString: [StoredLine]] { get set }
    /// Now, as the store keeps time.
    var moment: StoredTime { get }

    func note(_ last: LastLine)
    /// It is in another slot now, or is dropped.
    func giveUp(_ session: UnrestoredSession)
    /// The session of these lines is back, in this slot.
    func move(_ lines: [StoredLine], to slot: UInt32)
}

extension HoldsSessions {
    package func history(ofHeld name: ByteString) -> [PastEvent]? {
        (held[name]?.lines ?? dropped[name])?.map(PastEvent.init)
    }
}
