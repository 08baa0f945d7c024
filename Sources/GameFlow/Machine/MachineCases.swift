// What a machine learns once of each case of its flow's enums, and looks up for every event. The kind is not retained meanwhile, which
// would take longer than the lookup.

extension Machine {
    /// The index of the state's name: its case's, or the one that the state itself gives.
    @inline(__always)
    @inlinable func placeOfState() -> UInt32 {
        if let place = current.proven.ownPlace { return place }
        if let name = current.proven.ownName { return kind.index(ofState: name) }
        guard let table = typed.placesByCase else { return learnPlace() }
        let known = table.number(of: &current)
        return known != CaseTable<F.State>.unknown ? known : learnPlace()
    }

    @usableFromInline func learnPlace() -> UInt32 {
        let place = kind.index(ofState: state.name)
        typed.placesByCase?.set(place, for: state)
        return place
    }

    /// Who may send an event.
    @inlinable func sources(of event: F.Event) -> EventSources {
        guard let table = typed.sourcesByCase else { return learnSources(of: event) }
        let known = table.number(of: event)
        guard known != CaseTable<F.Event>.unknown else { return learnSources(of: event) }
        return EventSources(rawValue: UInt8(truncatingIfNeeded: known))
    }

    @usableFromInline func learnSources(of event: F.Event) -> EventSources {
        let sources = typed.listedSources(of: event)
        typed.sourcesByCase?.set(UInt32(sources.rawValue), for: event)
        return sources
    }
}
