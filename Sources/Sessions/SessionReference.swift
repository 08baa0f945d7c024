// A session by its slot and its life, for what refers to one that may be gone by then.

import GameFlow
import Memory

/// Refers to a session without keeping it.
struct SessionReference: Hashable {
    let slot: UInt32
    let life: Life
}

extension Sessions {
    func reference(to machine: AnyMachine) -> SessionReference {
        SessionReference(slot: machine.tag, life: table.records[machine.tag].life)
    }

    /// Nil once it is gone.
    func session(_ reference: SessionReference) -> Session? {
        guard reference.slot < table.used, table.records[reference.slot].life == reference.life else { return nil }
        return table.records[reference.slot].machine.map { Session($0, in: self) }
    }
}
