// A connection to the daemon: requests out, replies in, each on a thread.

import Client
import Dispatch
import Posix
import RESP
import Synchronization
import TLS

/// One connection, from its making to its end. A thread waits for bytes, and a queue writes; both may block.
final class Wire: Sendable {
    enum Event: Sendable {
        case connected
        case reply(Reply)
        /// The last event, with the reason. A lasting one would end every other connection, too.
        case closed(String, isLasting: Bool)
    }

    private enum Phase {
        case connecting
        case connected(DaemonLink)
        case ended
    }

    private static let connectTimeout = Duration.seconds(5)

    private let phase = Mutex(Phase.connecting)
    private let writing = DispatchQueue(label: "gamed.writing")
    private let events: AsyncStream<Event>.Continuation

    /// Connects, and reports everything that happens to `events`, in order. Nil as `tls` stands for a connection in clear.
    init(to address: ServerAddress, _ tls: TLSFiles?, _ events: AsyncStream<Event>.Continuation) {
        self.events = events
        // The threads of all queues together are limited, and this one is taken for as long as the connection lasts.
        if !startThread({ self.run(to: address, tls) }) { end("the system has no thread for the connection") }
    }

    /// Sends requests as one piece. It does nothing before the connection is made, and after its end.
    func send(_ requests: [[String]]) {
        writing.async {
            guard case .connected(let link) = self.phase.withLock(\.self) else { return }
            var output = ByteQueue()
            for words in requests { output.append(request: words) }
            link.send(&output)
        }
    }

    /// Ends the connection; the reading thread notices.
    func close() {
        phase.withLock { phase in
            if case .connected(let link) = phase { link.shutDown() }
            phase = .ended
        }
    }

    // MARK: Reading

    private func run(to address: ServerAddress, _ tls: TLSFiles?) {
        let link: DaemonLink
        do throws(ControlError) {
            link = try DaemonLink(to: address, tls, program: nil, timeout: nil, connectTimeout: Self.connectTimeout)
        } catch {
            return end(error.sentence, isLasting: error.isLasting)
        }
        let isWanted = phase.withLock { phase in
            guard case .connecting = phase else { return false }
            phase = .connected(link)
            return true
        }
        guard isWanted else {
            link.close()
            return end("the client has closed the connection")
        }
        events.yield(.connected)
        let reason = read(link)
        close()
        // A write that is under way still uses the descriptor.
        writing.async { link.close() }
        end(reason)
    }

    /// Reads replies until the connection ends. Returns the reason.
    private func read(_ link: DaemonLink) -> String {
        var input = ByteQueue()
        var reader = ReplyReader()
        while link.receive(into: &input) > 0 {
            do throws(ReplyError) {
                while let (reply, length) = try reader.next(in: input.bytes) {
                    input.consume(length)
                    events.yield(.reply(reply))
                }
            } catch {
                return "the other side is not a game daemon: \(error)"
            }
        }
        return "the daemon has closed the connection" + (link.fault.map { ": \($0)" } ?? "")
    }

    private func end(_ reason: String, isLasting: Bool = false) {
        phase.withLock { $0 = .ended }
        events.yield(.closed(reason, isLasting: isLasting))
        events.finish()
    }
}
