// Waiting for a server that is not there yet: it may start after those who need it.

import Glibc

extension Connection {
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Opens a connection, and goes on trying while the server cannot be reached or is starting. `whenWaiting` is called once, with the reason.
    /// What will not pass by itself, such as a wrong password, is thrown at once.
    package static func open(
        _ address: String, waiting patience: Duration, whenWaiting: (PostgresError) -> Void
    ) throws(PostgresError) -> Connection {
        let deadline = Deadline(in: patience)
        var hasTold = false
        while true {
            do throws(PostgresError) {
                return try Connection(address)
            } catch {
                guard error.mayPass, Library.trouble == nil, !deadline.isOver else { throw error }
                // What is no address will be none later on.
                _ = try Address(address)
                if !hasTold { whenWaiting(error) }
                hasTold = true
                usleep(pauseMicroseconds)
            }
        }
    }
}

extension PostgresError {
    /// Whether the same may succeed later on: nobody answered, or whoever did is starting or has too much to do.
    fileprivate var mayPass: Bool {
        guard let state else { return outcome != .refused }
        return [.cannotConnectNow, .tooManyConnections, .adminShutdown, .crashShutdown].contains(state)
    }
}
