// The memory that clients hold: counted per connection, and bounded for all of them together.

import Commands

extension Connections {
    /// Counts the connection's memory again.
    func count(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        heldBytes &+= connection.countMemory()
        if bytes > limits.clientBytes { makeRoom(within: limits.clientBytes) }
    }

    /// The same where it can only have become less.
    func countLess(_ connection: Connection) {
        heldBytes &+= connection.countMemory()
    }

    /// Releases idle buffers first. Then disconnects the clients that hold most, until the rest fits: first those with a token or address that has
    /// more than its share.
    private func makeRoom(within limit: Int) {
        warm.coolDown()
        guard bytes > limit else { return }
        let biggest = open.values.sorted { $0.counted > $1.counted }
        let entries = biggest.map { ($0.charged ?? .nobody, $0.counted) }
        var displacement = Displacement(entries, of: .clientBytes, limit, limits)
        while bytes > limit, let index = displacement.pop() {
            let connection = biggest[index]
            counts.cutOffForMemory += 1
            connection.cutOff(
                "all clients together hold \(bytes) bytes, above the limit client-bytes, and it holds most of them: \(connection.counted)"
            )
        }
    }
}
