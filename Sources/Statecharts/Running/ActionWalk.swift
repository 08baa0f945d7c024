// All actions of a chart, wherever they stand.

extension ChartDefinition {
    /// Every action, those inside of an `if` included.
    var allActions: [ChartAction] {
        (states.flatMap { $0.entry + $0.exit } + transitions.flatMap(\.actions)).flatMap(\.withInner)
    }

    /// Whether it sends events to other sessions.
    var sends: Bool { allActions.contains { $0.isSend } }

    /// Whether it extends timers, or shortens them.
    var extends: Bool { allActions.contains { $0.isExtension } }

    /// Whether anything of it is for others than its own session.
    var asksOthers: Bool { !invocations.isEmpty || allActions.contains { $0.isForOthers } }
}

extension ChartAction {
    fileprivate var withInner: [ChartAction] {
        guard case .choose(_, let then, let otherwise) = self else { return [self] }
        return [self] + (then + otherwise).flatMap(\.withInner)
    }

    /// The event that it raises in its own session.
    var raisedEvent: String? {
        guard case .raise(let event) = self else { return nil }
        return event.event
    }

    /// The event of the timer that it begins; that of another session's event is `send.NAME`.
    var delayedEvent: String? {
        switch self {
        case .raise(let event): event.delay == nil ? nil : event.event
        case .send(let event, _): event.delay == nil ? nil : Platform.sent(event.event)
        case .assign, .emit, .cancel, .log, .extend, .pause, .resume, .choose: nil
        }
    }

    fileprivate var isSend: Bool {
        guard case .send = self else { return false }
        return true
    }

    fileprivate var isExtension: Bool {
        guard case .extend = self else { return false }
        return true
    }

    fileprivate var isForOthers: Bool {
        switch self {
        case .send, .emit, .log: true
        case .assign, .raise, .cancel, .extend, .pause, .resume, .choose: false
        }
    }
}
