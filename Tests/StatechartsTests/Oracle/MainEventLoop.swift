// Appendix D: `interpret`, `mainEventLoop` and `exitInterpreter`. Where the loop waits for an external event, it returns to its caller.

import Statecharts

extension AppendixD {
    /// `procedure interpret(doc)`, up to its first wait.
    func interpret() throws {
        running = true
        (microsteps, raised) = (0, 0)
        // `enterStates([doc.initial.transition])`
        var entries = EntrySet()
        addDescendantStatesToEnter(scxml, &entries)
        try enterStates(entries)
        try mainEventLoop()
    }

    /// `procedure mainEventLoop()`, without its last part: up to the next wait.
    func mainEventLoop() throws {
        while running {
            var macrostepDone = false
            while running && !macrostepDone {
                var enabledTransitions = try selectEventlessTransitions()
                if enabledTransitions.isEmpty() {
                    if internalQueue.isEmpty() {
                        macrostepDone = true
                    } else {
                        let internalEvent = internalQueue.dequeue()
                        event = internalEvent
                        enabledTransitions = try selectTransitions(internalEvent)
                    }
                }
                if !enabledTransitions.isEmpty() {
                    try microstep(enabledTransitions.toList())
                }
            }
            guard running else { break }
            for state in statesToInvoke.toList().sorted(by: entryOrder) {
                for inv in doc.states[state].invocations {
                    invoke(inv)
                }
            }
            statesToInvoke.clear()
            if internalQueue.isEmpty() { return }
        }
        try exitInterpreter()
    }

    /// The loop's last part: `externalEvent = externalQueue.dequeue()`, and what follows.
    func handle(_ externalEvent: OracleEvent) -> Verdict {
        // Not SCXML: an ended session refuses events; SCXML drops its queue.
        guard running else { return .nothingTakesIt }
        do {
            var isTaken = false
            try wholly {
                event = externalEvent
                (microsteps, raised) = (0, 0)
                let enabledTransitions = try selectTransitions(externalEvent)
                // Not SCXML: an event without a matching transition is refused.
                isTaken = !enabledTransitions.isEmpty()
                guard isTaken else { return }
                try microstep(enabledTransitions.toList())
                try mainEventLoop()
            }
            return isTaken ? .taken : .nothingTakesIt
        } catch {
            return .failed
        }
    }

    /// `procedure exitInterpreter()`
    func exitInterpreter() throws {
        let statesToExit = configuration.toList().sorted(by: exitOrder)
        for s in statesToExit {
            try executeContent(doc.states[s].exit)
            cancelTimers(of: s)
            for inv in doc.states[s].invocations {
                cancelInvoke(inv)
            }
            // "Events that were to be sent later are discarded": 6.2.
            timers = []
            // Not SCXML: `configuration.delete(s)` is left out, because an ended session shows its last states.
        }
    }
}
