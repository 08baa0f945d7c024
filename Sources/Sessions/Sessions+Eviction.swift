// Sessions that another node has now, or that have come from one.

import GameFlow
import Memory

extension Sessions {
    /// Forgets the session in this slot, if there is one. Nothing about it has changed, so nothing is recorded.
    package func evict(_ slot: UInt32) {
        guard let session = find(inSlot: slot) else { return }
        notifyObservers(ofResidenceOf: session, isHere: false)
        delegate?.sessionWillEnd(session.nameBytes)
        session.machine.leaves()
        effects.evict(reference(to: session.machine))
        expiries?.remove(slot)
        table.remove(slot)
        observers.resume(slot)
    }

    /// Forgets the drops of sessions with such names: others may begin and end elsewhere before these names come back.
    package func evictDrops(where isMeant: (ByteString) -> Bool) {
        if !undoableDrops.isEmpty { undoableDrops.removeAll(where: isMeant) }
    }

    /// Notifies the observers of the session in this slot, if any, which has arrived from another node.
    package func notifyObserversOfArrival(_ slot: UInt32) {
        guard let session = find(inSlot: slot) else { return }
        observers.resume(slot)
        notifyObservers(ofResidenceOf: session, isHere: true)
    }

    package func evict(setAside names: some Sequence<ByteString>) {
        for name in names {
            guard let session = setAsideSessions.removeValue(forKey: name) else { continue }
            delegate?.sessionWillEnd(name)
            // One that was set aside while the daemon ran still has its slot.
            if let reserved = session.reserved { table.freeReserved(reserved.slot) }
        }
    }
}
