// More time for the end of the process, where it waits for the disk and its loop runs no more.

import Dispatch
import Synchronization
import Systemd

/// Asks systemd for more time each second, until nothing has been written for long: a disk that hangs is not waited for for ever.
final class ShutdownTimeExtension: Sendable {
    static let microseconds = 30_000_000
    private static let secondsOfPatience = 60

    private let socket: NotifySocket
    private let unwritten: @Sendable () -> Int
    /// What was unwritten last, and for how many seconds it has been so much.
    private let state = Mutex((bytes: Int.max, seconds: 0))

    init(_ socket: NotifySocket, unwritten: @escaping @Sendable () -> Int) {
        (self.socket, self.unwritten) = (socket, unwritten)
    }

    /// Carries out what waits for the disk.
    func during(_ body: () throws -> Void) rethrows {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { self.askForMore() }
        timer.resume()
        defer { timer.cancel() }
        try body()
    }

    private func askForMore() {
        let bytes = unwritten()
        let isHopeful = state.withLock { state in
            state = (bytes, bytes == state.bytes ? state.seconds + 1 : 0)
            return state.seconds < Self.secondsOfPatience
        }
        guard isHopeful else { return }
        socket.send("EXTEND_TIMEOUT_USEC=\(Self.microseconds)\nSTATUS=stopping: \(bytes) bytes are still to be written")
    }
}
