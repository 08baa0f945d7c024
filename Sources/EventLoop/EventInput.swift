/// A side from which events come: sockets, a console, simulated devices. `GameFlow.EventSource` is what its events are marked with.
package protocol EventInput: AnyObject {
    /// From now on it delivers what comes, in turns of the loop.
    func start(on loop: Loop) throws
    /// It delivers nothing more, and lets go of what it watches.
    func stop()
}
