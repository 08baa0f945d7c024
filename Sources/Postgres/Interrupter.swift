// What ends the waiting of a connection, from any thread.

import CLinux
import CPostgres
import Glibc
import Synchronization

package final class Interrupter: Sendable {
    /// Readable once it is interrupted. Below zero if the system has no descriptor left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    private let request = Mutex<CancelRequest?>(nil)

    package init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends whatever its connections wait for, now and later: they are lost, and the outcome of what is under way is unknown.
    package func interrupt() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Asks the server to cancel the statement that it is at, which then is refused; the connection stays. It waits for the server, as long
    /// as the network does. False if it was not asked.
    @discardableResult
    package func cancelStatement() -> Bool {
        request.withLock { $0 }?.send() ?? false
    }

    /// Statements of this connection are those to cancel, instead of another's.
    func hold(_ connection: OpaquePointer) -> CancelRequest? {
        let new = PQgetCancel(connection).map(CancelRequest.init)
        request.withLock { $0 = new }
        return new
    }

    func release(_ own: CancelRequest) {
        request.withLock { request in
            if request === own { request = nil }
        }
    }
}

/// What the server knows a session by. libpq lets any thread use it.
final class CancelRequest: @unchecked Sendable {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    fileprivate func send() -> Bool {
        var complaint = [CChar](repeating: 0, count: 256)
        return PQcancel(handle, &complaint, Int32(complaint.count)) == 1
    }
}
