// A connection to the daemon: requests out, replies in, each on its own queue.

import Client
import Dispatch
import RESP
import Synchronization

/// One connection, from its making to its end. A queue waits for bytes, and another one writes; both may block.
final class Wire: Sendable {
    enum Event: Sendable {
        case connected
        case reply(Reply)
        /// The last event, with the reason.
        case closed(String)
    }

    private enum Phase {
        case connecting
        case connected(Int32)
        case ended
    }

    private static let readSize = 64 << 10
    private static let connectTimeout = Duration.seconds(5)

    private let phase = Mutex(Phase.connecting)
    private let writing = DispatchQueue(label: "gamed.writing")
    private let events: AsyncStream<Event>.Continuation

    /// Connects, and reports everything that happens to `events`, in order.
    init(to address: ServerAddress, _ events: AsyncStream<Event>.Continuation) {
        self.events = events
        DispatchQueue(label: "gamed.reading").async { self.run(to: address) }
    }

    /// Sends requests as one piece. It does nothing before the connection is made, and after its end.
    func send(_ requests: [[String]]) {
        writing.async {
            guard case .connected(let descriptor) = self.phase.withLock(\.self) else { return }
            var output = ByteQueue()
            for words in requests { output.append(request: words) }
            // A failure shows when the replies are read: the daemon may have said why it closes.
            while !output.isEmpty, let count = Platform.send(descriptor, output.bytes) { output.consume(count) }
        }
    }

    /// Ends the connection; the reading queue notices.
    func close() {
        phase.withLock { phase in
            if case .connected(let descriptor) = phase { Platform.shutDown(descriptor) }
            phase = .ended
        }
    }

    // MARK: Reading

    private func run(to address: ServerAddress) {
        let descriptor: Int32
        do throws(ControlError) {
            descriptor = try address.connect(toStart: "gamed", patience: Self.connectTimeout)
        } catch {
            return end(error.sentence)
        }
        // Only connecting was to be over soon.
        Platform.removeTimeouts(descriptor)
        let isWanted = phase.withLock { phase in
            guard case .connecting = phase else { return false }
            phase = .connected(descriptor)
            return true
        }
        guard isWanted else {
            Platform.close(descriptor)
            return end("the client has closed the connection")
        }
        events.yield(.connected)
        let reason = read(descriptor)
        close()
        // A write that is under way still uses the descriptor.
        writing.async { Platform.close(descriptor) }
        end(reason)
    }

    /// Reads replies until the connection ends. Returns the reason.
    private func read(_ descriptor: Int32) -> String {
        var input = ByteQueue()
        var reader = ReplyReader()
        while let count = Platform.receive(descriptor, into: input.room(for: Self.readSize)) {
            input.commit(count)
            do throws(ReplyError) {
                while let (reply, length) = try reader.next(in: input.bytes) {
                    input.consume(length)
                    events.yield(.reply(reply))
                }
            } catch {
                return "the other side is not a game daemon: \(error)"
            }
        }
        return "the daemon has closed the connection"
    }

    private func end(_ reason: String) {
        phase.withLock { $0 = .ended }
        events.yield(.closed(reason))
        events.finish()
    }
}
