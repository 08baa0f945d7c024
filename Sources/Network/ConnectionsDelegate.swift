// The service around connections, as they know it.

/// Notified of what connections do.
package protocol ConnectionsDelegate: AnyObject {
    /// Called at the end of the first turn in which a connection has read, written or closed since the busy turns were taken.
    func connectionsDidBecomeBusy()
    /// Called after a turn in which a connection has closed: a descriptor is free again.
    func connectionDidClose()
}
