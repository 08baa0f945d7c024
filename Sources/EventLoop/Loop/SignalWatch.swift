import CEvent

/// Calls back in a turn of the loop after a signal.
package final class SignalWatch {
    private var event: OpaquePointer?
    private let loop: Loop
    private let onRaised: () -> Void

    package init(_ signal: Int32, on loop: Loop, onRaised: @escaping () -> Void) throws(LoopFailure) {
        self.loop = loop
        self.onRaised = onRaised
        let me = Unmanaged.passUnretained(self).toOpaque()
        event = event_new(
            loop.base.handle, signal, Int16(EV_SIGNAL | EV_PERSIST),
            { _, _, context in
                guard let context else { return }
                Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().raised()
            }, me)
        guard event != nil, event_add(event, nil) == 0 else { throw .cannotWatch("signal \(signal)") }
    }

    deinit {
        if let event { event_free(event) }
    }

    private func raised() {
        loop.receive(onRaised)
    }
}
