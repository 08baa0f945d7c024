// The ids that a machine remembers.

extension AnyMachine {
    /// Remembers an event that was sent with an id, and forgets the oldest where there are more than `most`. The caller has the session saved.
    package final func remember(_ event: SentEvent, atMost most: Int) {
        let sent = sent ?? SentEvents()
        sent.add(event, atMost: most)
        self.sent = sent
    }

    /// An event that waited for a hook is decided. Where its outcome is unknown here, it waits on elsewhere.
    package final func decide(_ id: EventID, _ result: Result<Outcome, Refusal>) {
        let answer: SentAnswer
        switch result {
        case .success: answer = .state(stateName)
        case .failure(let refusal): answer = .refused(refusal.code, refusal.description)
        }
        if case .refused(.unknown, _) = answer { return }
        if sent?.decide(id, answer) == true { kind.watcher?.keep(self) }
    }

    /// Both in a store's form; nil if there is nothing of either, which is nearly always so.
    package final var savedEventsText: String? {
        guard flags.hasExtras else { return nil }
        let events = waitingEvents
        guard let sent else { return events.isEmpty ? nil : WaitingEvent.text(of: events) }
        return "{\"waiting\":\(WaitingEvent.text(of: events)),\"sent\":\(sent.text)}"
    }

    /// Restores both after a restart. An event that should wait, and is not there, was decided in the turn that a crash cut off.
    package final func restore(_ saved: SavedEvents) throws {
        try restore(waiting: saved.waiting)
        guard !saved.sent.isEmpty else { return }
        let waiting = Set(saved.waiting.compactMap(\.id))
        sent = SentEvents(
            saved.sent.map { event in
                var event = event
                if event.answer == nil, !waiting.contains(event.id) { event.answer = .lost }
                return event
            })
    }
}
