// The service around connections, as they know it.

/// Notified of what connections do.
package protocol ConnectionsDelegate: AnyObject {
    /// Called at the end of a turn in which a connection has read, written or closed.
    func connectionsWereBusy()
    /// Called after a turn in which a connection has closed: a descriptor is free again.
    func connectionDidClose()
}
