/// An input that delivers events: sockets, a console, simulated devices. Its events carry a `GameFlow.EventSource`.
package protocol EventInput: AnyObject {
    /// Begins to deliver events, in turns of the loop.
    func start(on loop: Loop) throws
    /// Stops delivering, and releases its watches.
    func stop()
}
